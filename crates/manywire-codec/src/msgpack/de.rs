//! Reads MessagePack to values.
//!
//! [`Deserializer`] is a cursor over the bytes and the serde deserializer of every type. The
//! methods at the top read the usual markers of the type that serde requests. `any` reads every
//! other value, and values for targets of any type. Records are read by name from maps and by
//! position from arrays.

use manywire_format::Format;
use manywire_shape::Shape;
use manywire_shape::extension::Kind;
use serde::de::{
    DeserializeSeed, Deserializer as SerdeDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::extension;
use super::extension::TIMESTAMP;
use super::layout::Layout;
use super::marker::*;
use crate::core::extension as core_extension;
use crate::core::extension::{borrowed_bytes, seconds};
use crate::core::forward::forward_deserialize;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::core::reader::{Reader, read_numbers, utf8, visit_bytes_as_items};
use crate::core::sequence::sequence_deserializer;
use crate::core::variant::{Locate, NameOnly, VariantEntry};
use crate::{Category, Error, Limits, Result};

/// The handling of items beyond the last field, where a struct is read from an array.
///
/// Serde passes [`#[serde(deny_unknown_fields)]`](https://serde.rs/container-attrs.html) only to
/// readers of names, so a reader of arrays needs this setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExtraItems {
    /// Skips them: a newer writer has more fields.
    #[default]
    Skipped,
    /// Fails with [`Category::Data`].
    Refused,
}

impl ExtraItems {
    /// Returns the handling for a type: extra items are refused if any struct in it denies unknown
    /// fields.
    pub fn of(shape: &Shape) -> ExtraItems {
        match shape.denies_unknown_fields() {
            true => ExtraItems::Refused,
            false => ExtraItems::Skipped,
        }
    }
}

/// Reads consecutive values from a slice.
///
/// `&mut Deserializer` is the serde deserializer. [`read`](Deserializer::read) adds the format and
/// the offset to every error.
pub struct Deserializer<'de> {
    input: &'de [u8],
    reader: Reader<'de>,
    limits: Limits,
    layout: Layout,
    extra_items: ExtraItems,
    // True if structs are read from maps only.
    by_name_only: bool,
    // The number of containers that may still be entered.
    depth: usize,
}

impl<'de> Deserializer<'de> {
    /// Creates a deserializer for `bytes`, within [`Limits::DEFAULT`].
    pub fn new(bytes: &'de [u8]) -> Self {
        Deserializer {
            input: bytes,
            reader: Reader::new(bytes),
            limits: Limits::DEFAULT,
            layout: Layout::Map,
            extra_items: ExtraItems::Skipped,
            by_name_only: false,
            depth: Limits::DEFAULT.depth,
        }
    }

    /// Sets the layout whose format is named in errors. The other layout is read as well.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Sets what happens to items of an array beyond the last field of a struct.
    #[must_use]
    pub fn with_extra_items(mut self, extra_items: ExtraItems) -> Self {
        self.extra_items = extra_items;
        self
    }

    /// Refuses structs in arrays, for input whose writers may have different positions of the
    /// fields.
    ///
    /// A struct in content that serde buffers is still read from an array, because the buffer does
    /// not tell an array of fields from another array. Serde buffers the content of an untagged or
    /// internally tagged enum, the fields of a `#[serde(flatten)]` struct, and the content of an
    /// adjacently tagged enum if it comes before the tag.
    #[must_use]
    pub fn by_name_only(mut self) -> Self {
        self.by_name_only = true;
        self
    }

    fn format(&self) -> Format {
        self.layout.format()
    }
}

sequence_deserializer! {}

// The deserializer methods that serde calls for each type: the hot path of typed values.

impl<'de> Deserializer<'de> {
    /// Reads an integer of any width. Small integers are handled here; others, and mismatches, out
    /// of line.
    #[inline]
    fn integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        if marker <= FIXINT_MAX {
            return visitor.visit_u8(marker);
        }
        self.any(marker, visitor)
    }

    /// Reads the bytes of an integer beyond 64 bits.
    #[cold]
    #[inline(never)]
    fn wide(&mut self, marker: u8) -> Result<Option<[u8; 16]>> {
        let Some(length) = self.bytes_length(marker)? else { return Ok(None) };
        let offset = self.reader.offset();
        let bytes = self.reader.take(length, "bytes")?;
        bytes.try_into().map(Some).map_err(|_| {
            Error::data(
                offset,
                format_args!("expected an integer, or 16 bytes of one, found {length} bytes"),
            )
        })
    }

    /// Reads text and nothing else, not even bytes that are valid UTF-8.
    #[inline]
    fn text_only<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.text_length(marker)? {
            Some(length) => visitor.visit_borrowed_str(self.text(length)?),
            None if matches!(marker, BIN8..=BIN32) => Err(self.unexpected(marker, "a string")),
            None => self.any(marker, visitor),
        }
    }

    #[inline]
    fn tuple<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        self.array(marker, visitor)
    }

    #[inline]
    fn record<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.array_length(marker)? {
            Some(length) => self.positional_record(length, visitor),
            None => self.map(marker, visitor),
        }
    }

    #[inline]
    fn variant<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        if let Some(FIXSTR..=FIXSTR_MAX | STR8..=STR32) = self.reader.peek() {
            return visitor.visit_enum(NameOnly(self));
        }
        let marker = self.marker()?;
        match self.map_length(marker)? {
            Some(1) => {
                self.enter()?;
                let name = self.reader.remaining();
                let value = visitor.visit_enum(VariantEntry::new(self, name))?;
                self.leave();
                Ok(value)
            }
            _ => Err(self.unexpected(marker, "a variant: its name, or a map of one entry")),
        }
    }

    #[cold]
    #[inline(never)]
    fn unexpected(&self, marker: u8, expected: &str) -> Error {
        let found = describe(marker);
        Error::new(Category::Data, format_args!("expected {expected}, found {found}"))
    }
}

impl<'de> SerdeDeserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    forward_deserialize! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 => integer;
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => integer;
        deserialize_char deserialize_str deserialize_string => text_only;
        deserialize_byte_buf => deserialize_bytes;
        deserialize_unit => deserialize_any;
        deserialize_newtype_struct => deserialize_any;
        deserialize_tuple deserialize_tuple_struct => tuple;
        deserialize_struct => record;
        deserialize_enum => variant;
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        // Half of the values of a document are short text, and nearly all keys.
        if let FIXSTR..=FIXSTR_MAX = marker {
            return visitor.visit_borrowed_str(self.text(usize::from(marker & 0x1f))?);
        }
        self.any(marker, visitor)
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.marker()? {
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            marker => self.any(marker, visitor),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.wide(marker)? {
            Some(bytes) => visitor.visit_i128(i128::from_be_bytes(bytes)),
            None => self.any(marker, visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.wide(marker)? {
            Some(bytes) => visitor.visit_u128(u128::from_be_bytes(bytes)),
            None => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.marker()? {
            F32 => visitor.visit_f32(f32::from_bits(self.u32()?)),
            marker => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.marker()? {
            F64 => visitor.visit_f64(f64::from_bits(self.u64()?)),
            marker => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        let length = match self.bytes_length(marker)? {
            Some(length) => Some(length),
            // Writers from before 2013 only know text, also for bytes, so UTF-8 is not required
            // here.
            None => self.text_length(marker)?,
        };
        match length {
            Some(length) => visitor.visit_borrowed_bytes(self.reader.take(length, "bytes")?),
            None => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.reader.peek() == Some(NIL) {
            self.marker()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    /// Accepts `nil`, or the empty array that rmp-serde writes.
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        match self.marker()? {
            NIL | FIXARRAY => visitor.visit_unit(),
            marker => self.any(marker, visitor),
        }
    }

    /// Reads an array. `bin` is read as the array of its bytes, because a `Vec<u8>` without
    /// `serde_bytes` asks for a sequence.
    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        if let BIN8..=BIN32 = marker
            && let Some(length) = self.bytes_length(marker)?
        {
            let bytes = self.reader.take(length, "bytes")?;
            return visit_bytes_as_items(visitor, bytes, self.reader.offset());
        }
        self.array(marker, visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        self.map(marker, visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.text_length(marker)? {
            Some(length) => visitor.visit_borrowed_str(self.text(length)?),
            // serde would take a number for the index of a field in the source code.
            None => Err(self.unexpected(marker, "a name")),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }
}

// Self-describing values.

impl<'de> Deserializer<'de> {
    /// Reads any value after its marker. Not inlined: the methods of typed values call this method
    /// only for unusual markers, and a copy in each of them would slow down their usual path.
    #[inline(never)]
    fn any<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        match marker {
            0..=FIXINT_MAX => visitor.visit_u8(marker),
            FIXMAP..=FIXMAP_MAX | MAP16 | MAP32 => self.nested_map(marker, visitor),
            FIXARRAY..=FIXARRAY_MAX | ARRAY16 | ARRAY32 => self.nested_array(marker, visitor),
            FIXSTR..=FIXSTR_MAX => {
                visitor.visit_borrowed_str(self.text(usize::from(marker & 0x1f))?)
            }
            STR8 => {
                let length = usize::from(self.u8()?);
                visitor.visit_borrowed_str(self.text(length)?)
            }
            STR16 => {
                let length = usize::from(self.u16()?);
                visitor.visit_borrowed_str(self.text(length)?)
            }
            STR32 => {
                let length = self.u32()? as usize;
                visitor.visit_borrowed_str(self.text(length)?)
            }
            NIL => visitor.visit_unit(),
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            BIN8..=BIN32 => match self.bytes_length(marker)? {
                Some(length) => visitor.visit_borrowed_bytes(self.reader.take(length, "bytes")?),
                None => Err(self.never_used()),
            },
            F32 => visitor.visit_f32(f32::from_bits(self.u32()?)),
            F64 => visitor.visit_f64(f64::from_bits(self.u64()?)),
            U8 => visitor.visit_u8(self.u8()?),
            U16 => visitor.visit_u16(self.u16()?),
            U32 => visitor.visit_u32(self.u32()?),
            U64 => visitor.visit_u64(self.u64()?),
            I8 => visitor.visit_i8(self.u8()?.cast_signed()),
            I16 => visitor.visit_i16(self.u16()?.cast_signed()),
            I32 => visitor.visit_i32(self.u32()?.cast_signed()),
            I64 => visitor.visit_i64(self.u64()?.cast_signed()),
            NEGATIVE_FIXINT.. => visitor.visit_i8(marker.cast_signed()),
            EXT8..=EXT32 | FIXEXT1..=FIXEXT16 => self.extension(marker, visitor),
            NEVER_USED => Err(self.never_used()),
        }
    }

    // Out of line, so that reading a scalar does not set up the state of a container.
    #[inline(never)]
    fn nested_array<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        self.array(marker, visitor)
    }

    #[inline(never)]
    fn nested_map<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        self.map(marker, visitor)
    }

    /// Reads an array if the marker begins one, otherwise any value.
    #[inline]
    fn array<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        let Some(length) = self.array_length(marker)? else { return self.any(marker, visitor) };
        self.enter()?;
        let mut items = Items { de: self, left: length, length };
        let value = visitor.visit_seq(&mut items)?;
        let left = items.left;
        self.leave();
        if left > 0 {
            return Err(Error::unread_items(self.reader.offset(), length - left, Some(length)));
        }
        Ok(value)
    }

    /// Reads a map if the marker begins one, otherwise any value.
    #[inline]
    fn map<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        let Some(length) = self.map_length(marker)? else { return self.any(marker, visitor) };
        self.enter()?;
        let mut entries = Entries { de: self, left: length, key: 0 };
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.left;
        self.leave();
        if left > 0 {
            return Err(Error::unread_entries(self.reader.offset()));
        }
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn extension<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset() - 1;
        let length = match marker {
            EXT8 => usize::from(self.u8()?),
            EXT16 => usize::from(self.u16()?),
            EXT32 => self.u32()? as usize,
            _ => 1 << (marker - FIXEXT1),
        };
        let code = self.reader.byte("the type of an extension")?.cast_signed();
        let content = self.reader.take(length, "an extension")?;
        if code != TIMESTAMP {
            let code = i64::from(code).cast_unsigned();
            return core_extension::visit(
                visitor,
                Kind::MessagePack,
                code,
                borrowed_bytes(content),
            );
        }
        let Some((whole, nanoseconds)) = extension::timestamp(content) else {
            return Err(Error::syntax(start, "invalid timestamp: none of its three forms"));
        };
        core_extension::visit(visitor, Kind::Timestamp, nanoseconds.into(), seconds(whole))
    }
}

// Arrays and maps, item by item.

/// The items of an array.
struct Items<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    length: usize,
}

impl Items<'_, '_> {
    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, start: usize) -> Error {
        self.de.with_start(error, start).under_index(self.length - self.left - 1)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let start = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.locate(error, start)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

/// The entries of a map.
struct Entries<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    // The number of bytes left at the start of the last key. Its text is only needed for an error.
    key: usize,
}

impl<'de> MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.key = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.de.with_start(error, self.key)),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        self.de.value_of(self.key, |de| seed.deserialize(de))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

// Records written as arrays.

impl<'de> Deserializer<'de> {
    /// Reads a record from an array of `length` items. Items beyond the last field come from a
    /// newer writer.
    fn positional_record<V: Visitor<'de>>(
        &mut self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value> {
        if self.by_name_only {
            return Err(refused_record());
        }
        self.enter()?;
        let mut fields = PositionalFields { de: self, left: length, length, refused: None };
        let value = match visitor.visit_seq(&mut fields) {
            Ok(value) => value,
            Err(error) => return Err(fields.explain_rejected_nil(error)),
        };
        let left = fields.left;
        if left > 0 {
            self.extra_items(length, left)?;
        }
        self.leave();
        Ok(value)
    }
}

#[cold]
#[inline(never)]
fn refused_record() -> Error {
    let message = "expected a map of fields, found an array: fields are read by name only";
    Error::new(Category::Data, message)
}

impl Deserializer<'_> {
    /// Skips or refuses the last `left` items of an array of `length` items.
    #[inline(never)]
    fn extra_items(&mut self, length: usize, left: usize) -> Result<()> {
        if self.extra_items == ExtraItems::Refused {
            let fields = length - left;
            let message = format_args!(
                "the array has {length} items, and the type, which denies unknown fields, has {fields}"
            );
            let error = Error::new(Category::Data, message).with_offset(self.reader.offset());
            return Err(error.under_index(fields));
        }
        (0..left).try_for_each(|_| self.skip())
    }
}

/// The fields of a record, by position.
struct PositionalFields<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    length: usize,
    // The error of the last item, if that item was a nil that the field rejected.
    refused: Option<Error>,
}

impl<'de> PositionalFields<'_, 'de> {
    /// Handles a field whose item is nil or missing: returns the field's value for absence, if the
    /// field's type has one. Otherwise returns `None`, which serde's derive takes for the end of
    /// the array: it uses the field's default, or fails if there is none.
    #[inline(never)]
    fn absent<T: DeserializeSeed<'de>>(&mut self, seed: T, nil: bool) -> Option<T::Value> {
        self.refused = None;
        match seed.deserialize(AbsentField) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refused = nil.then_some(error);
                None
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, start: usize) -> Error {
        self.de.with_start(error, start).under_index(self.length - self.left - 1)
    }

    /// Replaces serde's error about missing items if the cause is a nil that a field without a
    /// default rejected.
    #[cold]
    #[inline(never)]
    fn explain_rejected_nil(&mut self, error: Error) -> Error {
        match self.refused.take() {
            // The nil is the byte read last.
            Some(nil) => self.locate(nil, self.de.reader.remaining() + 1),
            None => error,
        }
    }
}

impl<'de> SeqAccess<'de> for PositionalFields<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(self.absent(seed, false));
        }
        self.left -= 1;
        if self.de.reader.peek() == Some(NIL) {
            self.de.reader.skip(1, "nil")?;
            return Ok(self.absent(seed, true));
        }
        let start = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                self.refused = None;
                Err(self.locate(error, start))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

// Absent fields in the array layout.

/// A field of an array whose item is `nil` or beyond the end: in this layout both mean absence.
///
/// An `Option` is `None`, and any type that accepts the unit is read from the unit: a unit field,
/// and the content of a unit variant, which serde's adjacently tagged enums leave out. Every other
/// type fails, and the field's `#[serde(default)]` applies.
struct AbsentField;

impl<'de> SerdeDeserializer<'de> for AbsentField {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_none()
    }

    forward_deserialize! { deserialize_newtype_struct => deserialize_any; }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

// The start of a value: markers, and lengths, which are checked against the bytes left.

impl<'de> Deserializer<'de> {
    /// Reads the first byte of the next value.
    #[inline]
    fn marker(&mut self) -> Result<u8> {
        self.reader.byte("a value")
    }

    #[inline]
    fn u8(&mut self) -> Result<u8> {
        self.reader.byte("a number of 1 byte")
    }

    read_numbers! { from_be_bytes:
        u16 -> u16 "a number of 2 bytes";
        u32 -> u32 "a number of 4 bytes";
        u64 -> u64 "a number of 8 bytes";
    }

    /// Reads the length of text, if the marker begins text.
    #[inline]
    fn text_length(&mut self, marker: u8) -> Result<Option<usize>> {
        match marker {
            FIXSTR..=FIXSTR_MAX => Ok(Some(usize::from(marker & 0x1f))),
            _ => self.long_length(marker, STR8),
        }
    }

    /// Reads the length of bytes, if the marker begins bytes.
    #[inline]
    fn bytes_length(&mut self, marker: u8) -> Result<Option<usize>> {
        self.long_length(marker, BIN8)
    }

    /// Reads a length of 1, 2 or 4 bytes after one of three consecutive markers.
    #[inline(never)]
    fn long_length(&mut self, marker: u8, first: u8) -> Result<Option<usize>> {
        Ok(Some(match marker.wrapping_sub(first) {
            0 => usize::from(self.u8()?),
            1 => usize::from(self.u16()?),
            2 => self.u32()? as usize,
            _ => return Ok(None),
        }))
    }

    /// Reads the number of items, if the marker begins an array.
    #[inline]
    fn array_length(&mut self, marker: u8) -> Result<Option<usize>> {
        let length = match marker {
            FIXARRAY..=FIXARRAY_MAX => usize::from(marker & 0x0f),
            ARRAY16 => usize::from(self.u16()?),
            ARRAY32 => self.u32()? as usize,
            _ => return Ok(None),
        };
        // Every item has at least one byte, so this check also bounds the memory that a collection
        // reserves.
        if length > self.reader.remaining() {
            return Err(self.reader.claims_too_much("an array", length as u64, "items"));
        }
        Ok(Some(length))
    }

    /// Reads the number of entries, if the marker begins a map.
    #[inline]
    fn map_length(&mut self, marker: u8) -> Result<Option<usize>> {
        let length = match marker {
            FIXMAP..=FIXMAP_MAX => usize::from(marker & 0x0f),
            MAP16 => usize::from(self.u16()?),
            MAP32 => self.u32()? as usize,
            _ => return Ok(None),
        };
        if length > self.reader.remaining() / 2 {
            return Err(self.reader.claims_too_much("a map", length as u64, "entries"));
        }
        Ok(Some(length))
    }

    /// Reads `length` bytes as text.
    #[inline]
    fn text(&mut self, length: usize) -> Result<&'de str> {
        let bytes = self.reader.take(length, "a string")?;
        match utf8(bytes) {
            Some(text) => Ok(text),
            None => Err(self.reader.not_utf8(bytes)),
        }
    }
}

/// Returns the text of a key at the start of `bytes`, for an error's path.
#[cold]
pub(super) fn key_text(bytes: &[u8]) -> String {
    let mut key = Deserializer::new(bytes);
    let Ok(marker) = key.marker() else { return "?".to_owned() };
    if let Ok(Some(length)) = key.text_length(marker)
        && let Ok(text) = key.text(length)
    {
        return text.to_owned();
    }
    let mut key = Deserializer { reader: Reader::new(bytes), ..key };
    match key.read::<i128>() {
        Ok(number) => number.to_string(),
        Err(_) => describe(marker).to_owned(),
    }
}

// Skipped values.

impl Deserializer<'_> {
    /// Skips the next value, without recursion. The value must be within the depth limit, so that
    /// acceptance of the bytes does not depend on the target type. Text is not checked.
    fn skip(&mut self) -> Result<()> {
        // The values left in each open container that is not at its last value, and its depth.
        let mut outer: Vec<(usize, usize)> = Vec::new();
        let (mut left, mut depth) = (1, 0);
        loop {
            if left == 0 {
                let Some(container) = outer.pop() else { return Ok(()) };
                (left, depth) = container;
            }
            left -= 1;
            let marker = self.marker()?;
            let bytes = match marker {
                0..=FIXINT_MAX | NIL | FALSE | TRUE | NEGATIVE_FIXINT.. => continue,
                FIXSTR..=FIXSTR_MAX => usize::from(marker & 0x1f),
                FIXMAP..=FIXMAP_MAX | FIXARRAY..=FIXARRAY_MAX | ARRAY16..=MAP32 => {
                    let values = match self.array_length(marker)? {
                        Some(items) => items,
                        None => 2 * self.map_length(marker)?.unwrap_or_default(),
                    };
                    if depth >= self.depth {
                        return Err(self.too_deep());
                    }
                    if left > 0 {
                        outer.push((left, depth));
                    }
                    (left, depth) = (values, depth + 1);
                    continue;
                }
                U8 | I8 => 1,
                U16 | I16 => 2,
                U32 | I32 | F32 => 4,
                U64 | I64 | F64 => 8,
                STR8 | BIN8 => usize::from(self.u8()?),
                STR16 | BIN16 => usize::from(self.u16()?),
                STR32 | BIN32 => self.u32()? as usize,
                // The content and one byte for the type.
                FIXEXT1..=FIXEXT16 => 1 + (1 << (marker - FIXEXT1)),
                EXT8 => 1 + usize::from(self.u8()?),
                EXT16 => 1 + usize::from(self.u16()?),
                EXT32 => 1 + self.u32()? as usize,
                NEVER_USED => return Err(self.never_used()),
            };
            self.reader.skip(bytes, "a value to be skipped")?;
        }
    }

    #[cold]
    #[inline(never)]
    fn never_used(&self) -> Error {
        Error::syntax(self.reader.offset() - 1, "the byte 0xc1 begins no value")
    }
}
