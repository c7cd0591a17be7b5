//! Reads CBOR to values.
//!
//! [`Deserializer`] is a cursor over the bytes and the serde deserializer of every type. Typed
//! values use the methods at the top and read their first byte directly. If it is not of the
//! expected type, the `retry_*` methods skip tags and accept other representations. A target of any
//! type goes through `any`. `tags` interprets tags, and `skip` skips values of unknown fields.

mod skip;
mod tags;

use manywire_format::Format;
use serde::de::{
    DeserializeSeed, Deserializer as SerdeDeserializer, Error as _, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::head::*;
use super::number::{Integer, f32_of_f16};
use crate::core::forward::forward_deserialize;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::core::reader::{Reader, utf8, visit_bytes_as_items};
use crate::core::sequence::sequence_deserializer;
use crate::core::variant::{Locate, NameOnly, VariantEntry};
use crate::{Error, Limits, Result};

/// Reads consecutive values from a slice: a CBOR sequence (RFC 8742).
///
/// `&mut Deserializer` is the serde deserializer. [`read`](Deserializer::read) adds the format and
/// the offset to every error.
pub struct Deserializer<'de> {
    input: &'de [u8],
    reader: Reader<'de>,
    limits: Limits,
    // The number of containers and tags that may still be entered.
    depth: usize,
}

impl<'de> Deserializer<'de> {
    /// Creates a deserializer for `bytes`, within [`Limits::DEFAULT`].
    pub fn new(bytes: &'de [u8]) -> Self {
        Deserializer {
            input: bytes,
            reader: Reader::new(bytes),
            limits: Limits::DEFAULT,
            depth: Limits::DEFAULT.depth,
        }
    }

    fn format(&self) -> Format {
        Format::Cbor
    }
}

sequence_deserializer! {}

// The deserializer methods that serde calls for each type.

impl<'de> Deserializer<'de> {
    /// Reads an integer of any width. The visitor checks the range.
    #[inline]
    fn integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == UNSIGNED {
            return visitor.visit_u64(self.argument(initial)?);
        }
        if initial >> 5 == NEGATIVE
            && let Ok(argument) = i64::try_from(self.argument(initial)?)
        {
            return visitor.visit_i64(!argument);
        }
        self.retry_integer(before, visitor)
    }

    #[inline]
    fn float<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        match self.initial()? {
            F64 => visitor.visit_f64(self.double()?),
            initial @ (F16 | F32) => visitor.visit_f32(self.single(initial)?),
            _ => self.retry_float(before, visitor),
        }
    }

    /// Reads an item of the type `major` by `read`, and any other item by `retry` from its start.
    // Always inlined, so that each method calls its own two functions.
    #[inline(always)]
    fn item_of<V: Visitor<'de>>(
        &mut self,
        major: u8,
        visitor: V,
        read: impl FnOnce(&mut Self, u8, V) -> Result<V::Value>,
        retry: impl FnOnce(&mut Self, Reader<'de>, V) -> Result<V::Value>,
    ) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == major {
            return read(self, initial, visitor);
        }
        retry(self, before, visitor)
    }

    /// Reads a map whose keys are field names.
    #[inline]
    fn record<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let map = |de: &mut Self, initial: u8, visitor: V| de.map(initial, true, visitor);
        self.item_of(MAP, visitor, map, Deserializer::retry)
    }
}

impl<'de> SerdeDeserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    forward_deserialize! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 => integer;
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 => integer;
        deserialize_f32 deserialize_f64 => float;
        deserialize_char deserialize_string => deserialize_str;
        deserialize_byte_buf => deserialize_bytes;
        deserialize_unit_struct => deserialize_unit;
        deserialize_newtype_struct => extension;
        deserialize_tuple deserialize_tuple_struct => deserialize_seq;
        deserialize_struct => record;
        deserialize_enum => variant;
        deserialize_any => any;
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        match self.initial()? {
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            _ => self.retry(before, visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.item_of(TEXT, visitor, Deserializer::text, Deserializer::retry)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.item_of(BYTES, visitor, Deserializer::bytes, Deserializer::retry)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.reader.peek() {
            Some(NULL | UNDEFINED) => {
                self.reader.skip(1, "null")?;
                visitor.visit_none()
            }
            Some(initial) if initial >> 5 == TAG && self.tagged_null()? => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        match self.initial()? {
            NULL => visitor.visit_unit(),
            _ => self.retry_unit(before, visitor),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.item_of(ARRAY, visitor, Deserializer::array, Deserializer::retry_seq)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let map = |de: &mut Deserializer<'de>, initial, visitor: V| de.map(initial, false, visitor);
        self.item_of(MAP, visitor, map, Deserializer::retry)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.item_of(TEXT, visitor, Deserializer::text, Deserializer::retry_identifier)
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if !self.skip_if_simple() {
            self.skip()?;
        }
        visitor.visit_unit()
    }
}

// Self-describing values.

impl<'de> Deserializer<'de> {
    /// Reads any value. Not inlined: the methods of typed values call this method only if the bytes
    /// are not of the expected type, and a copy in each of them would slow down their usual path.
    #[inline(never)]
    fn any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let initial = self.initial()?;
        match initial >> 5 {
            UNSIGNED => visitor.visit_u64(self.argument(initial)?),
            NEGATIVE => {
                let argument = self.argument(initial)?;
                match i64::try_from(argument) {
                    Ok(argument) => visitor.visit_i64(!argument),
                    Err(_) => self.below_i64(argument, visitor),
                }
            }
            BYTES => self.bytes(initial, visitor),
            TEXT => self.text(initial, visitor),
            ARRAY => self.array(initial, visitor),
            MAP => self.map(initial, false, visitor),
            TAG => self.tagged(initial, visitor),
            _ => self.simple(initial, visitor),
        }
    }

    #[inline]
    fn simple<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        match initial {
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            NULL => visitor.visit_unit(),
            F16 | F32 => visitor.visit_f32(self.single(initial)?),
            F64 => visitor.visit_f64(self.double()?),
            _ => self.simple_value(initial, visitor),
        }
    }

    /// Reads a float of half or single precision, after its first byte.
    #[inline]
    fn single(&mut self, initial: u8) -> Result<f32> {
        if initial == F16 {
            let bits = u16::from_be_bytes(self.reader.array("a float of 2 bytes")?);
            return Ok(f32_of_f16(bits));
        }
        let bits = u32::from_be_bytes(self.reader.array("a float of 4 bytes")?);
        Ok(f32::from_bits(bits))
    }

    /// Reads a float of double precision, after its first byte.
    #[inline]
    fn double(&mut self) -> Result<f64> {
        Ok(f64::from_bits(u64::from_be_bytes(self.reader.array("a float of 8 bytes")?)))
    }
}

// Arrays and maps, item by item.

/// The number of items left in a container that ends with a break. No input has that many items.
const UNTIL_BREAK: usize = usize::MAX;

impl Length {
    #[inline]
    fn left(self) -> usize {
        match self {
            Length::Definite(length) => length,
            Length::Indefinite => UNTIL_BREAK,
        }
    }
}

impl<'de> Deserializer<'de> {
    /// Checks whether a container with `left` items left has another one, and counts it.
    #[inline]
    fn has_next(&mut self, left: &mut usize) -> Result<bool> {
        if *left == 0 {
            return Ok(false);
        }
        if *left == UNTIL_BREAK {
            if self.at_break()? {
                *left = 0;
                return Ok(false);
            }
        } else {
            *left -= 1;
        }
        Ok(true)
    }

    /// Reads an array, after its first byte.
    #[inline]
    fn array<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        let length = self.array_length(initial)?;
        self.enter()?;
        let mut items = Items { de: self, left: length.left(), taken: 0 };
        let value = visitor.visit_seq(&mut items)?;
        let (left, taken) = (items.left, items.taken);
        self.leave();
        if left > 0 && !self.is_at_end(left)? {
            let length = (left != UNTIL_BREAK).then(|| taken + left);
            return Err(Error::unread_items(self.reader.offset(), taken, length));
        }
        Ok(value)
    }

    /// Reads a map, after its first byte. The keys of a record are field names.
    #[inline]
    fn map<V: Visitor<'de>>(
        &mut self,
        initial: u8,
        is_record: bool,
        visitor: V,
    ) -> Result<V::Value> {
        let length = self.map_length(initial)?;
        self.enter()?;
        let mut entries = Entries { de: self, left: length.left(), key: 0, is_record };
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.left;
        self.leave();
        if left > 0 && !self.is_at_end(left)? {
            return Err(Error::unread_entries(self.reader.offset()));
        }
        Ok(value)
    }

    /// Returns whether a container ends where a visitor stopped early, which is then valid, and reads
    /// the break.
    #[cold]
    #[inline(never)]
    fn is_at_end(&mut self, left: usize) -> Result<bool> {
        Ok(left == UNTIL_BREAK && self.at_break()?)
    }
}

/// The items of an array.
struct Items<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    taken: usize,
}

impl Items<'_, '_> {
    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, start: usize) -> Error {
        self.de.with_start(error, start).under_index(self.taken)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.de.has_next(&mut self.left)? {
            return Ok(None);
        }
        let start = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(value) => {
                self.taken += 1;
                Ok(Some(value))
            }
            Err(error) => Err(self.locate(error, start)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        (self.left != UNTIL_BREAK).then(|| self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

/// The entries of a map.
struct Entries<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    // The number of bytes left at the start of the last key. Its text is only needed for an error.
    key: usize,
    // A flag at run time: two types would compile each visitor twice.
    is_record: bool,
}

impl<'de> MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.de.has_next(&mut self.left)? {
            return Ok(None);
        }
        self.key = self.de.reader.remaining();
        let key = match self.is_record {
            true => seed.deserialize(FieldNameDeserializer(self.de)),
            false => seed.deserialize(&mut *self.de),
        };
        key.map(Some).map_err(|error| self.de.with_start(error, self.key))
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        self.de.value_of(self.key, |de| seed.deserialize(de))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        (self.left != UNTIL_BREAK).then(|| self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

// Enums: a variant's name alone, or a map of one entry from the name to the content.

impl<'de> Deserializer<'de> {
    #[inline]
    fn variant<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.skip_leading_tags()?;
        if self.reader.peek().is_none_or(|initial| initial >> 5 != MAP) {
            return visitor.visit_enum(NameOnly(self));
        }
        let initial = self.initial()?;
        let length = self.map_length(initial)?;
        if let Length::Definite(length) = length
            && length != 1
        {
            return Err(self.not_one_entry(length));
        }
        self.enter()?;
        let name = self.reader.remaining();
        let value = visitor.visit_enum(VariantEntry::new(self, name))?;
        if let Length::Indefinite = length
            && !self.at_break()?
        {
            return Err(self.more_than_one_entry());
        }
        self.leave();
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn not_one_entry(&self, length: usize) -> Error {
        Error::data(
            self.reader.offset(),
            format_args!("expected a map of one entry, the variant, found {length}"),
        )
    }

    #[cold]
    #[inline(never)]
    fn more_than_one_entry(&self) -> Error {
        let offset = self.reader.offset();
        Error::data(offset, "expected a map of one entry, the variant, found more")
    }
}

// Names of fields and variants.

/// A key that is compared with the names of a struct's fields.
///
/// The key is passed as bytes without a UTF-8 check: all field names are valid text, so invalid
/// bytes match none.
struct FieldNameDeserializer<'d, 'de>(&'d mut Deserializer<'de>);

impl<'de> SerdeDeserializer<'de> for FieldNameDeserializer<'_, 'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.0.reader.clone();
        let initial = self.0.initial()?;
        if initial >> 5 == TEXT && initial & 0x1f != INDEFINITE {
            return visitor.visit_borrowed_bytes(self.0.definite(initial)?);
        }
        self.0.retry_identifier(before, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum ignored_any
    }
}

/// Returns the text of a key at the start of `bytes`, for an error's path.
#[cold]
pub(super) fn key_text(bytes: &[u8]) -> String {
    let mut key = Deserializer::new(bytes);
    let text = key.skip_leading_tags().and_then(|()| match key.reader.peek() {
        Some(initial @ (FALSE | TRUE)) => Ok((initial == TRUE).to_string()),
        Some(initial) => match initial >> 5 {
            TEXT => key.read::<String>(),
            UNSIGNED | NEGATIVE => key.small_integer().map(|number| number.to_string()),
            _ => Ok(describe(initial).to_owned()),
        },
        None => Ok(String::new()),
    });
    text.unwrap_or_default()
}

// Typed values in less direct forms: with tags, as another type of number, or without a length.

/// A number after a tag, in the representation that the tag defines.
enum TaggedNumber {
    Integer(Integer),
    Decimal(String),
}

impl<'de> Deserializer<'de> {
    /// Skips the tags in front of a value.
    fn skip_leading_tags(&mut self) -> Result<()> {
        let mut tags = 0;
        while self.next_tag(&mut tags)?.is_some() {}
        Ok(())
    }

    /// Reads the next tag in front of a value, if there is one, and counts it.
    #[inline]
    fn next_tag(&mut self, tags: &mut usize) -> Result<Option<u64>> {
        if self.reader.peek().is_none_or(|initial| initial >> 5 != TAG) {
            return Ok(None);
        }
        if *tags >= self.depth {
            return Err(self.too_deep());
        }
        *tags += 1;
        let initial = self.initial()?;
        self.argument(initial).map(Some)
    }

    /// Returns to the start of a value, skips its tags and tries again.
    #[cold]
    #[inline(never)]
    fn retry<V: Visitor<'de>>(&mut self, before: Reader<'de>, visitor: V) -> Result<V::Value> {
        self.reader = before;
        self.skip_leading_tags()?;
        self.any(visitor)
    }

    /// Tries again to read a sequence, which may also be bytes.
    #[cold]
    #[inline(never)]
    fn retry_seq<V: Visitor<'de>>(&mut self, before: Reader<'de>, visitor: V) -> Result<V::Value> {
        self.reader = before;
        self.skip_leading_tags()?;
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 != BYTES {
            self.reader = before;
            return self.any(visitor);
        }
        let bytes = match initial & 0x1f {
            INDEFINITE => &*self.bytes_in_chunks()?,
            _ => self.definite(initial)?,
        };
        visit_bytes_as_items(visitor, bytes, self.reader.offset())
    }

    /// Tries again to read the unit, which may also be undefined.
    #[cold]
    #[inline(never)]
    fn retry_unit<V: Visitor<'de>>(&mut self, before: Reader<'de>, visitor: V) -> Result<V::Value> {
        self.reader = before;
        self.skip_leading_tags()?;
        if self.reader.peek() == Some(UNDEFINED) {
            self.reader.skip(1, "undefined")?;
            return visitor.visit_unit();
        }
        self.any(visitor)
    }

    /// Tries again to read an identifier, which may also be an integer: the name is then its
    /// decimal digits.
    #[cold]
    #[inline(never)]
    fn retry_identifier<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        self.skip_leading_tags()?;
        match self.reader.peek().map(|initial| initial >> 5) {
            Some(UNSIGNED | NEGATIVE) => visitor.visit_string(self.small_integer()?.to_string()),
            _ => self.any(visitor),
        }
    }

    /// Checks whether the value after the tags is null. If so, it has been read.
    #[cold]
    #[inline(never)]
    fn tagged_null(&mut self) -> Result<bool> {
        let before = self.reader.clone();
        self.skip_leading_tags()?;
        if matches!(self.reader.peek(), Some(NULL | UNDEFINED)) {
            self.reader.skip(1, "null")?;
            return Ok(true);
        }
        self.reader = before;
        Ok(false)
    }

    /// Tries again to read an integer, which may also be a bignum.
    #[cold]
    #[inline(never)]
    fn retry_integer<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        let number = match self.skip_to_number_tag()? {
            Some(TaggedNumber::Integer(number)) => number,
            Some(TaggedNumber::Decimal(text)) => {
                let found = format!("decimal fraction `{text}`");
                return Err(crate::Error::invalid_type(Unexpected::Other(&found), &visitor));
            }
            None => match self.reader.peek().map(|initial| initial >> 5) {
                Some(UNSIGNED | NEGATIVE) => self.small_integer()?.into(),
                _ => return self.any(visitor),
            },
        };
        let magnitude = number.magnitude.to_u128();
        let signed = magnitude.and_then(|magnitude| match number.negative {
            false => i128::try_from(magnitude).ok(),
            true => 0i128.checked_sub_unsigned(magnitude),
        });
        match (signed, magnitude) {
            (Some(number), _) => match (u64::try_from(number), i64::try_from(number)) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_i64(number),
                _ => visitor.visit_i128(number),
            },
            (None, Some(magnitude)) if !number.negative => visitor.visit_u128(magnitude),
            _ => {
                let found = format!("integer `{}`", number.to_text());
                Err(crate::Error::invalid_value(Unexpected::Other(&found), &visitor))
            }
        }
    }

    /// Tries again to read a float. Every number within the range of `f64` is accepted and rounded
    /// to the nearest float.
    #[cold]
    #[inline(never)]
    fn retry_float<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        let text = match self.skip_to_number_tag()? {
            Some(TaggedNumber::Integer(number)) => number.to_text(),
            Some(TaggedNumber::Decimal(text)) => text,
            None => match self.reader.peek().map(|initial| initial >> 5) {
                Some(NEGATIVE) => self.small_integer()?.to_string(),
                _ => return self.any(visitor),
            },
        };
        match text.parse() {
            Ok(number) if f64::is_finite(number) => visitor.visit_f64(number),
            _ => {
                let found = format!("number `{text}`");
                Err(crate::Error::invalid_value(Unexpected::Other(&found), &visitor))
            }
        }
    }

    /// Skips the tags in front of a value. At the first tag that represents a number, reads that
    /// number and returns it. Returns `None` in front of any other value.
    fn skip_to_number_tag(&mut self) -> Result<Option<TaggedNumber>> {
        let mut tags = 0;
        while let Some(code) = self.next_tag(&mut tags)? {
            let spelled = match code {
                tag::BIGNUM | tag::NEGATIVE_BIGNUM => {
                    let negative = code == tag::NEGATIVE_BIGNUM;
                    self.attempt(|de| de.bignum(negative))?.map(TaggedNumber::Integer)
                }
                tag::DECIMAL => self.attempt(Self::decimal)?.map(TaggedNumber::Decimal),
                _ => None,
            };
            if spelled.is_some() {
                return Ok(spelled);
            }
        }
        Ok(None)
    }
}

// The start of every item: the first byte, and the length, which is checked against the bytes left.

/// The number of items: a count, or all up to a break.
#[derive(Clone, Copy)]
enum Length {
    Definite(usize),
    Indefinite,
}

impl<'de> Deserializer<'de> {
    /// Reads the first byte of the next item.
    #[inline]
    fn initial(&mut self) -> Result<u8> {
        self.reader.byte("a value")
    }

    /// Reads the argument that belongs to a first byte.
    #[inline]
    fn argument(&mut self, initial: u8) -> Result<u64> {
        match initial & 0x1f {
            direct @ 0..DIRECT => Ok(u64::from(direct)),
            _ => self.long_argument(initial),
        }
    }

    #[inline(never)]
    fn long_argument(&mut self, initial: u8) -> Result<u64> {
        match initial & 0x1f {
            24 => self.reader.byte("a number of 1 byte").map(u64::from),
            25 => Ok(u16::from_be_bytes(self.reader.array("a number of 2 bytes")?).into()),
            26 => Ok(u32::from_be_bytes(self.reader.array("a number of 4 bytes")?).into()),
            27 => Ok(u64::from_be_bytes(self.reader.array("a number of 8 bytes")?)),
            _ => Err(self.malformed(initial)),
        }
    }

    /// Reads the length that belongs to the first byte of an array.
    #[inline]
    fn array_length(&mut self, initial: u8) -> Result<Length> {
        if initial == ARRAY_INDEFINITE {
            return Ok(Length::Indefinite);
        }
        let claimed = self.argument(initial)?;
        // Every item has at least one byte, so this check also bounds the memory that a collection
        // reserves.
        match usize::try_from(claimed) {
            Ok(length) if length <= self.reader.remaining() => Ok(Length::Definite(length)),
            _ => Err(self.reader.claims_too_much("an array", claimed, "items")),
        }
    }

    /// Reads the number of entries that belongs to the first byte of a map.
    #[inline]
    fn map_length(&mut self, initial: u8) -> Result<Length> {
        if initial == MAP_INDEFINITE {
            return Ok(Length::Indefinite);
        }
        let claimed = self.argument(initial)?;
        match usize::try_from(claimed) {
            Ok(length) if length <= self.reader.remaining() / 2 => Ok(Length::Definite(length)),
            _ => Err(self.reader.claims_too_much("a map", claimed, "entries")),
        }
    }

    /// Reads the break that ends a container without a length, if it is next.
    #[inline]
    fn at_break(&mut self) -> Result<bool> {
        let ends = self.reader.peek() == Some(BREAK);
        if ends {
            self.reader.skip(1, "a break")?;
        }
        Ok(ends)
    }

    /// Returns the error for a first byte, just read, that begins no item.
    #[cold]
    #[inline(never)]
    fn malformed(&self, initial: u8) -> Error {
        let offset = self.reader.offset() - 1;
        match initial {
            BREAK => {
                Error::syntax(offset, "unexpected break: no item of indefinite length is open")
            }
            _ if initial & 0x1f == INDEFINITE => Error::syntax(
                offset,
                format_args!("{} cannot have an indefinite length", describe(initial)),
            ),
            _ => Error::syntax(
                offset,
                format_args!("the byte 0x{initial:02x} is reserved and begins no value"),
            ),
        }
    }
}

// Text and byte strings, whole and in chunks.

impl<'de> Deserializer<'de> {
    /// Returns the bytes of a text or byte string with a length.
    #[inline]
    fn definite(&mut self, initial: u8) -> Result<&'de [u8]> {
        let claimed = self.argument(initial)?;
        // A length beyond the address space is also beyond the input.
        self.reader.take(usize::try_from(claimed).unwrap_or(usize::MAX), "a string")
    }

    /// Reads a text string, after its first byte.
    #[inline]
    fn text<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        if initial == TEXT << 5 | INDEFINITE {
            return self.text_in_chunks(visitor);
        }
        let bytes = self.definite(initial)?;
        match utf8(bytes) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => Err(self.reader.not_utf8(bytes)),
        }
    }

    /// Reads a byte string, after its first byte.
    #[inline]
    fn bytes<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        if initial == BYTES << 5 | INDEFINITE {
            return visitor.visit_byte_buf(self.bytes_in_chunks()?);
        }
        visitor.visit_borrowed_bytes(self.definite(initial)?)
    }

    #[inline(never)]
    fn text_in_chunks<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut text = String::new();
        while let Some(chunk) = self.chunk(TEXT)? {
            // A character may not be split between chunks (RFC 8949, section 3.2.3).
            text.push_str(utf8(chunk).ok_or_else(|| self.reader.not_utf8(chunk))?);
        }
        visitor.visit_string(text)
    }

    /// Reads a byte string without a length and joins its chunks.
    #[inline(never)]
    fn bytes_in_chunks(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk(BYTES)? {
            bytes.extend_from_slice(chunk);
        }
        Ok(bytes)
    }

    /// Reads the next chunk of a string without a length, or returns `None` at its break.
    fn chunk(&mut self, major: u8) -> Result<Option<&'de [u8]>> {
        let initial = self.reader.byte("a chunk or a break")?;
        if initial == BREAK {
            return Ok(None);
        }
        if initial >> 5 != major || initial & 0x1f == INDEFINITE {
            return Err(self.not_a_chunk(major, initial));
        }
        self.definite(initial).map(Some)
    }

    #[cold]
    #[inline(never)]
    fn not_a_chunk(&self, major: u8, initial: u8) -> Error {
        let whole = describe(major << 5);
        let found = describe(initial);
        let length = match initial & 0x1f {
            INDEFINITE => " of indefinite length",
            _ => "",
        };
        Error::syntax(
            self.reader.offset() - 1,
            format_args!(
                "invalid chunk: expected {whole} of definite length, found {found}{length}"
            ),
        )
    }
}
