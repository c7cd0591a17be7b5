//! Reads a value by the schema that it was written with.
//!
//! `Decoder` is a cursor over the bytes with the remaining limits. `DatumDeserializer` is the serde
//! deserializer for one position of the schema. The requested type only selects how a value is
//! passed: the schema alone determines the bytes.

mod compound;

use std::marker::PhantomData;

use manywire_format::Format;
use manywire_shape::Tagging;
use manywire_shape::extension::Kind;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};

use self::compound::{
    ArrayAccess, FieldValues, MapEntries, PairEntries, TupleAccess, visit_access,
};
use super::plan::{Field, Op, OpIndex, Plan, Record, Variant};
use super::wire::{Blocks, EMPTY_ITEMS_MAX, read_bytes, read_int, read_long, read_text};
use crate::core::error::{Error, Result};
use crate::core::extension as triple;
use crate::core::forward::forward_deserialize;
use crate::core::limits::Limits;
use crate::core::reader::{Reader, read_numbers, visit_bytes_as_items};

impl Plan {
    /// Reads a value, with [`Limits::DEFAULT`].
    ///
    /// Text and bytes may be borrowed from the input, names from the plan.
    ///
    /// # Errors
    ///
    /// Fails for bytes that are not exactly one datum of the schema, and for data that the type
    /// rejects. The error has the offset and the path.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self, bytes: &'de [u8]) -> Result<T> {
        self.decode_seed(PhantomData, bytes, Limits::DEFAULT)
    }

    /// Reads a value with a seed, such as [`ValueSeed`](manywire_shape::ValueSeed).
    ///
    /// # Errors
    ///
    /// Fails as [`decode`](Self::decode) does, and for data beyond the limits.
    pub fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        let mut decoder = Decoder::within(self, bytes, limits);
        let value = decoder.read_root(seed)?;
        decoder.reader.finish().map_err(|error| error.with_format(Format::Avro))?;
        Ok(value)
    }

    /// Reads the value at the start of `bytes` and returns it with its length. Consecutive datums
    /// have no separator.
    ///
    /// # Errors
    ///
    /// Fails as [`decode_seed`](Self::decode_seed) does, but accepts bytes after the value.
    pub fn decode_first<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<(S::Value, usize)> {
        let mut decoder = Decoder::within(self, bytes, limits);
        let value = decoder.read_root(seed)?;
        Ok((value, decoder.offset()))
    }
}

/// The input, and the remaining limits.
pub(super) struct Decoder<'de> {
    reader: Reader<'de>,
    plan: &'de Plan,
    depth_left: usize,
    depth_max: usize,
    empty_items_left: u64,
}

impl<'de> Decoder<'de> {
    /// Creates a decoder for the output of our own encoder.
    pub(super) fn over(plan: &'de Plan, bytes: &'de [u8]) -> Self {
        Decoder {
            reader: Reader::new(bytes),
            plan,
            depth_left: usize::MAX,
            depth_max: usize::MAX,
            empty_items_left: EMPTY_ITEMS_MAX,
        }
    }

    /// Creates a decoder for untrusted bytes.
    fn within(plan: &'de Plan, bytes: &'de [u8], limits: Limits) -> Self {
        let (depth_left, depth_max) = (limits.depth, limits.depth);
        Decoder { depth_left, depth_max, ..Decoder::over(plan, bytes) }
    }

    /// Reads the whole datum. An error without an offset is about the datum, which begins at 0.
    #[inline]
    fn read_root<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let op = self.plan.root;
        seed.deserialize(DatumDeserializer { decoder: self, op })
            .map_err(|error| error.with_offset(0).with_format(Format::Avro))
    }

    /// Returns the number of bytes read.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.reader.offset()
    }

    #[inline]
    pub(super) fn text(&mut self) -> Result<&'de str> {
        read_text(&mut self.reader)
    }

    /// Enters a container.
    #[inline]
    fn enter(&mut self) -> Result<()> {
        match self.depth_left.checked_sub(1) {
            Some(left) => {
                self.depth_left = left;
                Ok(())
            }
            None => Err(Error::depth(self.offset(), self.depth_max)),
        }
    }

    #[inline]
    fn leave(&mut self) {
        self.depth_left += 1;
    }

    /// Reads an index below `count`.
    #[inline]
    fn index(&mut self, count: usize, of: &'static str) -> Result<usize> {
        let start = self.offset();
        let index = read_long(&mut self.reader, of)?;
        match usize::try_from(index) {
            Ok(index) if index < count => Ok(index),
            _ => Err(no_such_index(start, of, index, count)),
        }
    }

    /// Checks whether an option has a value.
    #[inline]
    fn is_some(&mut self, op: Op) -> Result<bool> {
        let index = self.index(2, "a branch")?;
        Ok((index == 1) == matches!(op, Op::Maybe(_)))
    }
}

#[cold]
#[inline(never)]
fn no_such_index(offset: usize, of: &str, index: i64, count: usize) -> Error {
    Error::syntax(offset, format_args!("the index of {of} is {index}, but the schema has {count}"))
}

/// A position in the schema at which one value is to be read.
struct DatumDeserializer<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    op: Op,
}

// Reads values by their position in the schema.

impl<'de> Decoder<'de> {
    read_numbers! { from_le_bytes:
        double -> f64 "a double";
        float -> f32 "a float";
    }
}

impl<'de> DatumDeserializer<'_, 'de> {
    /// Passes the value of the schema's own type.
    #[inline(never)]
    fn any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        loop {
            return match self.op {
                Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => {
                    self.op = self.decoder.branch(self.op)?;
                    continue;
                }
                Op::Null | Op::Unit => visitor.visit_unit(),
                Op::Boolean => visitor.visit_bool(self.decoder.boolean()?),
                Op::Int => visitor.visit_i32(read_int(&mut self.decoder.reader)?),
                Op::Long => visitor.visit_i64(read_long(&mut self.decoder.reader, "a long")?),
                Op::Float => visitor.visit_f32(self.decoder.float()?),
                Op::Double => visitor.visit_f64(self.decoder.double()?),
                Op::String => visitor.visit_borrowed_str(self.decoder.text()?),
                Op::Bytes => {
                    visitor.visit_borrowed_bytes(read_bytes(&mut self.decoder.reader, "bytes")?)
                }
                Op::Fixed(size) => visitor
                    .visit_borrowed_bytes(self.decoder.reader.take(size as usize, "fixed bytes")?),
                Op::Enum(_) => visitor.visit_borrowed_str(self.symbol()?),
                Op::Array(_) | Op::Empties(_) | Op::Tuple(_) => self.items(visitor),
                Op::Map(_) | Op::Entries(_) | Op::Record(_) => self.entries(visitor),
                Op::Integer => self.integer(visitor),
                Op::Number => self.number(visitor),
                Op::Timestamp => self.timestamp(visitor),
                Op::Extension(slot) => self.extension(slot, visitor),
                Op::Variant(index) => self.tagged(index, visitor),
            };
        }
    }

    /// Reads the index of a symbol and returns the symbol.
    #[inline]
    fn symbol(&mut self) -> Result<&'de str> {
        let Op::Enum(index) = self.op else { return Err(self.type_mismatch("a symbol")) };
        let symbols = &self.decoder.plan.enums[index as usize].symbols;
        Ok(&symbols[self.decoder.index(symbols.len(), "a symbol")?])
    }

    #[inline]
    fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let DatumDeserializer { decoder, op } = self;
        match op {
            Op::Array(slot) | Op::Empties(slot) => {
                let item = decoder.plan.op(slot);
                decoder.enter()?;
                let mut access =
                    ArrayAccess::new(&mut *decoder, item, matches!(op, Op::Empties(_)))?;
                let value = visitor.visit_seq(&mut access)?;
                access.end()?;
                decoder.leave();
                Ok(value)
            }
            Op::Tuple(index) => {
                decoder.enter()?;
                let fields = &decoder.plan.record(index).fields;
                let mut access = TupleAccess::new(&mut *decoder, fields);
                let value = visitor.visit_seq(&mut access)?;
                access.end()?;
                decoder.leave();
                Ok(value)
            }
            op => DatumDeserializer { decoder, op }.any(visitor),
        }
    }

    #[inline]
    fn entries<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Record(index) => self.record(index, visitor),
            _ => self.map(visitor),
        }
    }

    fn map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let DatumDeserializer { decoder, op } = self;
        match op {
            Op::Map(slot) => {
                decoder.enter()?;
                let value = decoder.plan.op(slot);
                let value = visit_access(MapEntries::new(decoder, value), visitor)?;
                decoder.leave();
                Ok(value)
            }
            Op::Entries(index) => {
                decoder.enter()?;
                let value = visit_access(PairEntries::new(decoder, index), visitor)?;
                decoder.leave();
                Ok(value)
            }
            op => DatumDeserializer { decoder, op }.any(visitor),
        }
    }

    /// Passes the values of a record to a visitor that knows their names.
    #[inline]
    fn values<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let record = decoder.plan.record(index);
        decoder.enter()?;
        let mut access = FieldValues::new(&mut *decoder, &record.fields);
        let value = visitor.visit_seq(&mut access)?;
        access.end()?;
        decoder.leave();
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn type_mismatch(&self, asked: &str) -> Error {
        Error::data(
            self.decoder.offset(),
            format_args!(
                "the type expects {asked}, but the schema has {} here",
                self.op.expected()
            ),
        )
    }

    #[inline]
    fn enumeration<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        while self.op.is_union() {
            self.op = self.decoder.branch(self.op)?;
        }
        match self.op {
            Op::Variant(index) => self.variant(index, visitor),
            Op::Enum(_) => visitor.visit_enum(BorrowedStrDeserializer::new(self.symbol()?)),
            Op::String => visitor.visit_enum(BorrowedStrDeserializer::new(self.decoder.text()?)),
            _ => self.map(MapAsEnum(visitor)),
        }
    }

    /// Passes bytes to a type that takes them one by one.
    #[inline(never)]
    fn bytes_as_items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let reader = &mut self.decoder.reader;
        let bytes = match self.op {
            Op::Fixed(size) => reader.take(size as usize, "fixed bytes")?,
            _ => read_bytes(reader, "bytes")?,
        };
        let offset = reader.offset();
        visit_bytes_as_items(visitor, bytes, offset)
    }
}

// The deserializer methods that serde calls for each type.

macro_rules! deserialize_integer {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.op {
                Op::Long => visitor.visit_i64(read_long(&mut self.decoder.reader, "a long")?),
                Op::Int => visitor.visit_i32(read_int(&mut self.decoder.reader)?),
                _ => self.any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for DatumDeserializer<'_, 'de> {
    type Error = Error;

    deserialize_integer! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }
    forward_deserialize! {
        deserialize_i128 deserialize_u128 deserialize_unit deserialize_unit_struct => any;
        deserialize_any => any;
        deserialize_char deserialize_string deserialize_identifier => deserialize_str;
        deserialize_byte_buf => deserialize_bytes;
        deserialize_newtype_struct => any;
        deserialize_tuple deserialize_tuple_struct => deserialize_seq;
        deserialize_map => entries;
        deserialize_enum => enumeration;
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Boolean => visitor.visit_bool(self.decoder.boolean()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Float => visitor.visit_f32(self.decoder.float()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Double => visitor.visit_f64(self.decoder.double()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::String => visitor.visit_borrowed_str(self.decoder.text()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Bytes | Op::Integer => {
                visitor.visit_borrowed_bytes(read_bytes(&mut self.decoder.reader, "bytes")?)
            }
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        self.op = self.decoder.branch(self.op)?;
        if self.op == Op::Null {
            return visitor.visit_none();
        }
        // An option directly inside an option is not a container, but may nest without end.
        if self.op.is_union() {
            self.decoder.enter()?;
            let DatumDeserializer { decoder, op } = self;
            let value = visitor.visit_some(DatumDeserializer { decoder: &mut *decoder, op })?;
            decoder.leave();
            return Ok(value);
        }
        visitor.visit_some(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        while self.op.is_union() {
            self.op = self.decoder.branch(self.op)?;
        }
        match self.op {
            Op::Bytes | Op::Fixed(_) => self.bytes_as_items(visitor),
            _ => self.items(visitor),
        }
    }

    /// If a type has exactly the schema's fields, in the same order and without aliases, it gets
    /// their values without names, which saves comparing each name. Derived types accept both,
    /// because they must for any format without names.
    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.op {
            Op::Record(index) if self.decoder.plan.record(index).is_positional(fields) => {
                self.values(index, visitor)
            }
            _ => self.entries(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.decoder.skip(self.op)?;
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// A visitor that passes a map of one entry as a variant, for a schema without variants.
struct MapAsEnum<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for MapAsEnum<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<V::Value, A::Error> {
        self.0.visit_enum(MapAccessDeserializer::new(map))
    }
}

// Types without a counterpart in serde, and timestamps.

impl<'de> Decoder<'de> {
    /// Reads seconds and nanoseconds.
    fn timestamp(&mut self) -> Result<(i64, u32)> {
        let seconds = read_long(&mut self.reader, "seconds")?;
        let start = self.offset();
        let nanoseconds = read_long(&mut self.reader, "nanoseconds")?;
        match u32::try_from(nanoseconds) {
            Ok(nanoseconds @ ..=999_999_999) => Ok((seconds, nanoseconds)),
            _ => Err(Error::syntax(
                start,
                format_args!("expected nanoseconds below 1,000,000,000, found {nanoseconds}"),
            )),
        }
    }

    /// Reads the kind of an extension and its code.
    fn extension_head(&mut self) -> Result<(Kind, u64)> {
        const KINDS: [Kind; 4] = [Kind::MessagePack, Kind::CborTag, Kind::CborSimple, Kind::Bson];
        let kind = KINDS[self.index(KINDS.len(), "a space")?];
        Ok((kind, read_long(&mut self.reader, "a code")?.cast_unsigned()))
    }
}

impl<'de> DatumDeserializer<'_, 'de> {
    fn timestamp<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (seconds, nanoseconds) = self.decoder.timestamp()?;
        triple::visit(visitor, Kind::Timestamp, nanoseconds.into(), triple::seconds(seconds))
    }

    fn extension<V: Visitor<'de>>(self, slot: OpIndex, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        decoder.enter()?;
        let (kind, code) = decoder.extension_head()?;
        let op = decoder.plan.op(slot);
        let value = triple::visit(visitor, kind, code, DatumDeserializer { decoder, op })?;
        decoder.leave();
        Ok(value)
    }

    /// Reads a number beyond 64 bits: as an integer if serde has a type for it.
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        let text = self.decoder.text()?;
        if let Ok(value) = text.parse::<i128>() {
            return visit_integer(value, visitor);
        }
        if let Ok(value) = text.parse::<u128>() {
            return visitor.visit_u128(value);
        }
        if !is_number(text) {
            return Err(Error::syntax(start, format_args!("`{text}` is not a number")));
        }
        triple::visit(visitor, Kind::Number, 0, triple::number(text))
    }

    /// Reads a decimal of scale 0: two's complement, big-endian.
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        let digits = read_bytes(&mut self.decoder.reader, "a decimal")?;
        let negative = digits.first().is_some_and(|&first| first >= 0x80);
        let fill = if negative { 0xff } else { 0 };
        let spare = digits.iter().take_while(|&&digit| digit == fill).count();
        let digits = &digits[spare..];
        let mut bytes = [fill; 16];
        match bytes.len().checked_sub(digits.len()) {
            Some(at) => bytes[at..].copy_from_slice(digits),
            None => return Err(too_wide(start)),
        }
        let value = i128::from_be_bytes(bytes);
        match (negative, value < 0) {
            (false, true) => visitor.visit_u128(value.cast_unsigned()),
            (true, false) => Err(too_wide(start)),
            _ => visit_integer(value, visitor),
        }
    }
}

/// Passes an integer in the narrowest type that serde visits with.
fn visit_integer<'de, V: Visitor<'de>>(value: i128, visitor: V) -> Result<V::Value> {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => visitor.visit_i64(value),
        (_, Ok(value)) => visitor.visit_u64(value),
        _ => visitor.visit_i128(value),
    }
}

#[cold]
#[inline(never)]
fn too_wide(offset: usize) -> Error {
    Error::data(offset, "the decimal does not fit 128 bits")
}

/// Checks whether text is a number in JSON's grammar (RFC 8259, section 6).
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

// Skipping without recursion: everything still to be skipped is on a stack as deep as the limits
// allow.

enum SkipFrame<'de> {
    /// The fields of a record, and the operation of the entries after them that are not fields.
    Fields {
        fields: &'de [Field],
        rest: Option<Op>,
    },
    Items {
        blocks: Blocks,
        item: Op,
        empty: bool,
    },
    /// The entries of a map with keys of any type, and the operation of the value after a key.
    Pairs {
        blocks: Blocks,
        record: &'de Record,
        value: Option<Op>,
    },
    Entries {
        blocks: Blocks,
        value: Op,
    },
}

impl SkipFrame<'_> {
    /// The level of a variant or an extension, whose content is skipped in a frame above this one.
    const LEVEL: Self = SkipFrame::Fields { fields: &[], rest: None };
}

impl<'de> Decoder<'de> {
    /// Skips a value.
    pub(super) fn skip(&mut self, op: Op) -> Result<()> {
        let depth_left = self.depth_left;
        let mut stack: Vec<SkipFrame<'de>> = Vec::new();
        let mut next = Some(op);
        loop {
            if let Some(op) = next.take() {
                self.step(op, &mut stack, &mut next)?;
                continue;
            }
            let Some(top) = stack.last_mut() else { break };
            next = self.advance(top)?;
            if next.is_none() {
                stack.pop();
                self.leave();
            }
        }
        self.depth_left = depth_left;
        Ok(())
    }

    /// Skips a scalar, or pushes the content of a container to the stack.
    fn step(
        &mut self,
        op: Op,
        stack: &mut Vec<SkipFrame<'de>>,
        next: &mut Option<Op>,
    ) -> Result<()> {
        let plan = self.plan;
        match op {
            Op::Null | Op::Unit => {}
            Op::Boolean => drop(self.boolean()?),
            Op::Int => drop(read_int(&mut self.reader)?),
            Op::Long => drop(read_long(&mut self.reader, "a long")?),
            Op::Float => self.reader.skip(4, "a float")?,
            Op::Double => self.reader.skip(8, "a double")?,
            Op::Bytes | Op::Integer => drop(read_bytes(&mut self.reader, "bytes")?),
            Op::String | Op::Number => drop(read_bytes(&mut self.reader, "a string")?),
            Op::Fixed(size) => self.reader.skip(size as usize, "fixed bytes")?,
            Op::Enum(index) => {
                self.index(plan.enums[index as usize].symbols.len(), "a symbol")?;
            }
            Op::Timestamp => drop(self.timestamp()?),
            Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => *next = Some(self.branch(op)?),
            Op::Variant(index) => {
                let Variant { tagging, content, .. } = plan.variant(index);
                // A tag among the fields adds no level to theirs.
                let is_among_fields = matches!(tagging, Tagging::Internal { .. })
                    && matches!(content, Op::Record(_) | Op::Map(_));
                if !is_among_fields {
                    self.enter()?;
                    stack.push(SkipFrame::LEVEL);
                }
                *next = Some(*content);
            }
            Op::Extension(slot) => {
                self.enter()?;
                stack.push(SkipFrame::LEVEL);
                self.extension_head()?;
                *next = Some(plan.op(slot));
            }
            Op::Record(index) | Op::Tuple(index) => {
                self.enter()?;
                let record = plan.record(index);
                // One frame for both, because the fields and the other entries are on one level.
                let rest = record.rest.map(|rest| plan.op(rest));
                stack.push(SkipFrame::Fields { fields: &record.fields, rest });
            }
            Op::Array(slot) | Op::Empties(slot) => {
                self.enter()?;
                let empty = matches!(op, Op::Empties(_));
                stack.push(SkipFrame::Items { blocks: Blocks::START, item: plan.op(slot), empty });
            }
            Op::Entries(index) => {
                self.enter()?;
                let record = plan.record(index);
                stack.push(SkipFrame::Pairs { blocks: Blocks::START, record, value: None });
            }
            Op::Map(slot) => {
                self.enter()?;
                stack.push(SkipFrame::Entries { blocks: Blocks::START, value: plan.op(slot) });
            }
        }
        Ok(())
    }

    /// Returns the next value of a container, if there is one.
    fn advance(&mut self, frame: &mut SkipFrame<'de>) -> Result<Option<Op>> {
        let Decoder { reader, empty_items_left, .. } = self;
        Ok(match frame {
            SkipFrame::Fields { fields, rest } => match (fields.split_first(), *rest) {
                (Some((field, left)), _) => {
                    *fields = left;
                    Some(field.op)
                }
                (None, Some(value)) => {
                    *frame = SkipFrame::Entries { blocks: Blocks::START, value };
                    return self.advance(frame);
                }
                (None, None) => None,
            },
            SkipFrame::Items { blocks, item, empty } => {
                let empties = empty.then_some(empty_items_left);
                blocks.advance_skipping(reader, empties)?.then_some(*item)
            }
            SkipFrame::Pairs { blocks, record, value } => {
                if let Some(value) = value.take() {
                    return Ok(Some(value));
                }
                let empties = record.empty.then_some(empty_items_left);
                if !blocks.advance_skipping(reader, empties)? {
                    return Ok(None);
                }
                *value = Some(record.fields[1].op);
                Some(record.fields[0].op)
            }
            SkipFrame::Entries { blocks, value } => {
                if !blocks.advance_skipping(reader, None)? {
                    return Ok(None);
                }
                read_bytes(reader, "a key")?;
                Some(*value)
            }
        })
    }

    /// Reads a boolean.
    #[inline]
    fn boolean(&mut self) -> Result<bool> {
        let start = self.offset();
        match self.reader.byte("a boolean")? {
            0 => Ok(false),
            1 => Ok(true),
            byte => {
                Err(Error::syntax(start, format_args!("a boolean is 0 or 1, found 0x{byte:02x}")))
            }
        }
    }

    /// Reads the index of a branch and returns the branch's operation. Returns any other operation
    /// unchanged.
    #[inline]
    fn branch(&mut self, op: Op) -> Result<Op> {
        Ok(match op {
            Op::Maybe(slot) | Op::MaybeLast(slot) => {
                if self.is_some(op)? {
                    self.plan.op(slot)
                } else {
                    Op::Null
                }
            }
            Op::Union(index) => {
                let branches = &self.plan.union(index).branches;
                branches[self.index(branches.len(), "a branch")?]
            }
            op => op,
        })
    }
}
