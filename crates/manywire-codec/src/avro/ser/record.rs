//! Records, whose fields may come in any order but are written in the schema's.

use serde::ser::Serialize;

use super::items::Block;
use super::{Place, Writer};
use crate::avro::de::Decoder;
use crate::avro::plan::{Absent, Field, Plan, Record};
use crate::core::error::{Category, Error, Result};

/// A record being written. As long as fields come in order they go straight to the output; the
/// first that does not turns all into regions, which the end puts in order.
pub(super) struct RecordWriter<'w, 'p> {
    pub(super) writer: &'w mut Writer,
    plan: &'p Plan,
    record: &'p Record,
    /// Fields written so far, in order.
    next: usize,
    /// Which of these were left out, so that one that comes after all is not there twice.
    left_out: u64,
    start: usize,
    disorder: Option<Box<Disorder>>,
}

/// Fields in the order they came, after the first `start` bytes.
#[derive(Default)]
struct Disorder {
    regions: Vec<Region>,
}

struct Region {
    of: Of,
    start: usize,
}

/// What a region holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Field(u32),
    /// An entry that is no field.
    Rest,
    /// What stands for a field that was left out.
    Nothing,
}

impl<'w, 'p> RecordWriter<'w, 'p> {
    #[inline]
    pub(super) fn new(writer: &'w mut Writer, plan: &'p Plan, record: &'p Record) -> Self {
        let start = writer.bytes.len();
        RecordWriter { writer, plan, record, next: 0, left_out: 0, start, disorder: None }
    }

    #[inline]
    pub(super) fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        match self.record.fields.get(self.next) {
            Some(field) if *field.name == *key && self.disorder.is_none() => {
                self.next += 1;
                value
                    .serialize(Place { writer: self.writer, plan: self.plan, op: field.op })
                    .map_err(|error| error.under_key(key))
            }
            _ => {
                let op = self.other(key)?;
                value
                    .serialize(Place { writer: self.writer, plan: self.plan, op })
                    .map_err(|error| error.under_key(key))
            }
        }
    }

    /// Makes ready for a field that is not the next one, and says how it is written.
    #[inline(never)]
    fn other(&mut self, key: &str) -> Result<crate::avro::plan::Op> {
        let found = self.record.names.find(key);
        if let Some(index) = found
            && self.disorder.is_none()
            && index as usize >= self.next
            && index < u64::BITS
        {
            // Fields in between were left out, or so it seems.
            let between = &self.record.fields[self.next..index as usize];
            if between.iter().all(|field| field.absent != Absent::Refused) {
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
        if self.disorder.is_none() {
            let disorder = self.disorder();
            self.disorder = Some(disorder);
        }
        let start = self.writer.bytes.len();
        if let Some(disorder) = &mut self.disorder {
            disorder.regions.push(Region { of: found.map_or(Of::Rest, Of::Field), start });
        }
        if found.is_none() {
            self.writer.sized(key.as_bytes());
        }
        Ok(op)
    }

    /// The regions of the fields written in order so far. Their bounds were not kept, but the
    /// bytes themselves say where each ends.
    #[cold]
    fn disorder(&self) -> Box<Disorder> {
        let written = &self.writer.bytes[self.start..];
        let mut decoder = Decoder::over(self.plan, written);
        let mut disorder = Box::new(Disorder::default());
        for (field, index) in self.record.fields[..self.next].iter().zip(0..) {
            let start = self.start + decoder.offset();
            let left_out = index < u64::BITS && self.left_out & 1 << index != 0;
            let of = if left_out { Of::Nothing } else { Of::Field(index) };
            disorder.regions.push(Region { of, start });
            // What was just written can be read, or else the end will find a field missing.
            if decoder.skip(field.op).is_err() {
                break;
            }
        }
        disorder
    }

    #[inline]
    pub(super) fn end(self) -> Result<&'w mut Writer> {
        if let Some(disorder) = self.disorder {
            return put_in_order(self.writer, self.record, self.start, disorder.regions);
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

/// Writes the fields again, each in its place, and after them the entries that are no field.
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
    let mut places = vec![None; record.fields.len()];
    for (index, region) in regions.iter().enumerate() {
        if let Of::Field(field) = region.of
            && places[field as usize].replace(index).is_some()
        {
            return Err(twice(&record.fields[field as usize].name));
        }
    }
    for (field, region) in record.fields.iter().zip(places) {
        match region {
            Some(index) => writer.bytes.extend_from_slice(bytes_of(index)),
            None => writer.absent(field)?,
        }
    }
    if record.rest.is_some() {
        let rest = || (0..regions.len()).filter(|&index| regions[index].of == Of::Rest);
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
    /// Writes what stands for a field that was left out.
    #[inline]
    pub(super) fn absent(&mut self, field: &Field) -> Result<()> {
        match field.absent {
            Absent::Nothing => {}
            Absent::Branch(branch) => self.index(branch),
            Absent::Refused => return Err(missing_field(&field.name)),
        }
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn missing_field(name: &str) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("the record has no field `{name}`, which the schema requires"),
    )
}

#[cold]
#[inline(never)]
fn twice(name: &str) -> Error {
    Error::new(Category::Unsupported, "the field is there twice").under_key(name)
}

#[cold]
#[inline(never)]
fn unknown_field(name: &str) -> Error {
    Error::new(Category::Unsupported, format_args!("the schema has no field `{name}` here"))
}
