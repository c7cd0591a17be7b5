//! Writes records: fields may come in any order and are written in the schema's.

use serde::ser::Serialize;

use super::block::Block;
use super::{DatumSerializer, Writer};
use crate::avro::de::Decoder;
use crate::avro::plan::{AbsentField, Field, Op, Plan, Record};
use crate::core::error::{Error, Result};

/// A record being written. Fields that come in order go straight to the output. The first field out
/// of order turns the output into regions, which are sorted at the end.
pub(super) struct RecordWriter<'w, 'p> {
    pub(super) writer: &'w mut Writer,
    plan: &'p Plan,
    record: &'p Record,
    /// The number of fields written so far, in order.
    next: usize,
    /// A bit for each field that was left out, to detect such a field if it comes later.
    left_out: u64,
    start: usize,
    out_of_order: Option<Box<OutOfOrder>>,
}

/// Fields in the order of arrival, in the output from `RecordWriter::start` on.
#[derive(Default)]
struct OutOfOrder {
    regions: Vec<Region>,
}

struct Region {
    of: RegionContent,
    start: usize,
}

/// The content of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RegionContent {
    Field(u32),
    /// An entry that is not a field.
    Rest,
    /// The encoding of an absent field.
    Absent,
}

impl<'w, 'p> RecordWriter<'w, 'p> {
    #[inline]
    pub(super) fn new(writer: &'w mut Writer, plan: &'p Plan, record: &'p Record) -> Self {
        let start = writer.bytes.len();
        RecordWriter { writer, plan, record, next: 0, left_out: 0, start, out_of_order: None }
    }

    #[inline]
    pub(super) fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        let op = match self.record.fields.get(self.next) {
            Some(field) if *field.name == *key && self.out_of_order.is_none() => {
                self.next += 1;
                field.op
            }
            _ => self.other(key)?,
        };
        value
            .serialize(DatumSerializer { writer: self.writer, plan: self.plan, op })
            .map_err(|error| error.under_key(key))
    }

    /// Prepares for a field other than the next one, and returns its operation.
    #[inline(never)]
    fn other(&mut self, key: &str) -> Result<Op> {
        let found = self.record.names.find(key);
        if let Some(index) = found
            && self.out_of_order.is_none()
            && index as usize >= self.next
            && index < u64::BITS
        {
            // The fields in between were left out, as far as is known.
            let between = &self.record.fields[self.next..index as usize];
            if between.iter().all(|field| field.absent != AbsentField::Required) {
                for (field, at) in between.iter().zip(self.next..) {
                    self.writer.absent(field)?;
                    self.left_out |= 1 << at;
                }
                self.next = index as usize + 1;
                return Ok(self.record.fields[index as usize].op);
            }
        }
        let op = match (found, self.record.rest) {
            (Some(index), _) => self.record.fields[index as usize].op,
            (None, Some(rest)) => self.plan.op(rest),
            (None, None) => return Err(unknown_field(key)),
        };
        if self.out_of_order.is_none() {
            let out_of_order = self.out_of_order();
            self.out_of_order = Some(out_of_order);
        }
        let start = self.writer.bytes.len();
        if let Some(out_of_order) = &mut self.out_of_order {
            out_of_order.regions.push(Region {
                of: found.map_or(RegionContent::Rest, RegionContent::Field),
                start,
            });
        }
        if found.is_none() {
            self.writer.sized(key.as_bytes());
        }
        Ok(op)
    }

    /// Returns the regions of the fields written in order so far. Their bounds were not recorded,
    /// but decoding the output finds them.
    #[cold]
    fn out_of_order(&self) -> Box<OutOfOrder> {
        let written = &self.writer.bytes[self.start..];
        let mut decoder = Decoder::over(self.plan, written);
        let mut out_of_order = Box::new(OutOfOrder::default());
        for (field, index) in self.record.fields[..self.next].iter().zip(0..) {
            let start = self.start + decoder.offset();
            let left_out = index < u64::BITS && self.left_out & 1 << index != 0;
            let of = if left_out { RegionContent::Absent } else { RegionContent::Field(index) };
            out_of_order.regions.push(Region { of, start });
            // Our own output is always valid. If it were invalid, ending the record would report a
            // missing field.
            if decoder.skip(field.op).is_err() {
                break;
            }
        }
        out_of_order
    }

    #[inline]
    pub(super) fn end(self) -> Result<&'w mut Writer> {
        if let Some(out_of_order) = self.out_of_order {
            return put_in_order(self.writer, self.record, self.start, out_of_order.regions);
        }
        for field in &self.record.fields[self.next..] {
            self.writer.absent(field)?;
        }
        if self.record.rest.is_some() {
            self.writer.byte(0);
        }
        Ok(self.writer)
    }
}

/// Writes the fields in order, and after them the entries that are not fields.
#[inline(never)]
fn put_in_order<'w>(
    writer: &'w mut Writer,
    record: &Record,
    start: usize,
    regions: Vec<Region>,
) -> Result<&'w mut Writer> {
    let scrambled = writer.bytes.split_off(start);
    let end =
        |index: usize| regions.get(index + 1).map_or(scrambled.len(), |next| next.start - start);
    let bytes_of = |index: usize| &scrambled[regions[index].start - start..end(index)];
    let mut order = vec![None; record.fields.len()];
    for (index, region) in regions.iter().enumerate() {
        if let RegionContent::Field(field) = region.of
            && order[field as usize].replace(index).is_some()
        {
            return Err(duplicate_field(&record.fields[field as usize].name));
        }
    }
    for (field, region) in record.fields.iter().zip(order) {
        match region {
            Some(index) => writer.bytes.extend_from_slice(bytes_of(index)),
            None => writer.absent(field)?,
        }
    }
    if record.rest.is_some() {
        let rest = || (0..regions.len()).filter(|&index| regions[index].of == RegionContent::Rest);
        let mut block = Block::open(writer, Some(rest().count()));
        for index in rest() {
            block.count += 1;
            writer.bytes.extend_from_slice(bytes_of(index));
        }
        block.close(writer);
    }
    Ok(writer)
}

impl Writer {
    /// Writes the encoding of an absent field.
    #[inline]
    pub(super) fn absent(&mut self, field: &Field) -> Result<()> {
        match field.absent {
            AbsentField::Null => {}
            AbsentField::Branch(branch) => self.index(branch),
            AbsentField::Required => return Err(missing_field(&field.name)),
        }
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn missing_field(name: &str) -> Error {
    Error::unsupported(format_args!("the record has no field `{name}`, which the schema requires"))
}

#[cold]
#[inline(never)]
fn duplicate_field(name: &str) -> Error {
    Error::unsupported("duplicate field").under_key(name)
}

#[cold]
#[inline(never)]
pub(super) fn unknown_field(name: &str) -> Error {
    Error::unsupported(format_args!("the schema has no field `{name}` here"))
}
