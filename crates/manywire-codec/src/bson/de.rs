//! Reads BSON documents to values.
//!
//! [`Deserializer`] is at one element's value and is the serde deserializer of every type. Each
//! nested document has its own deserializer over its bytes. The methods at the end read and skip
//! single elements; `ExtensionContent` parses an extension that `ser` is about to write.

use std::borrow::Cow;

use manywire_format::Format;
use manywire_shape::extension::Kind;
use manywire_shape::{Node, Shape};
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer as SerdeDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{de, forward_to_deserialize_any};

use super::element;
use crate::core::extension::{seconds, visit};
use crate::core::forward::forward_deserialize;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::core::reader::{Reader, read_numbers, valid_up_to, visit_bytes_as_items};
use crate::{Category, Error, Limits, Result};

/// The meaning of the top-level document when a dynamic value is read.
///
/// The bytes do not show whether the document is an array: `[true]` and `{"0": true}` are the same
/// document. A Rust type that asks for a sequence, a map or a struct gets the type it asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TopLevel {
    /// A document, read as a map.
    #[default]
    Document,
    /// An array, written as a document with the keys "0", "1", ….
    Array,
    /// An array if there are keys and they are "0", "1", … in order, otherwise a document. For
    /// values of which some are arrays.
    ByKeys,
}

impl TopLevel {
    /// Returns the meaning of the top-level documents of this shape.
    pub fn of(shape: &Shape) -> TopLevel {
        let mut ids = vec![shape.root()];
        let mut seen = vec![false; shape.nodes().len()];
        let (mut array, mut document) = (false, false);
        while let Some(id) = ids.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match shape.node(id) {
                Node::Array(_) | Node::Tuple(_) => array = true,
                Node::Map { .. } | Node::Record(_) | Node::Enum(_) => document = true,
                Node::Any => (array, document) = (true, true),
                Node::Option(inner) => ids.push(*inner),
                Node::Union(branches) => ids.extend(branches),
                // Scalars are rejected at the top level.
                _ => {}
            }
        }
        match (array, document) {
            (true, true) => TopLevel::ByKeys,
            (true, false) => TopLevel::Array,
            (false, _) => TopLevel::Document,
        }
    }
}

/// Reads one document. Inside a document, the deserializer is at one element's value.
///
/// Each document has its own deserializer over just its elements, so no claimed length can reach
/// past the document's end.
pub struct Deserializer<'de> {
    reader: Reader<'de>,
    /// The type of the current value.
    kind: u8,
    /// The number of containers that may still be entered.
    depth: usize,
    limit: usize,
}

impl<'de> Deserializer<'de> {
    /// Creates a deserializer for the one document in `bytes`, within [`Limits::DEFAULT`].
    pub fn new(bytes: &'de [u8]) -> Self {
        Deserializer {
            reader: Reader::new(bytes),
            kind: element::DOCUMENT,
            depth: Limits::DEFAULT.depth,
            limit: Limits::DEFAULT.depth,
        }
    }

    /// Sets the meaning of the top-level document for targets that accept any type.
    #[must_use]
    pub fn with_top(mut self, top: TopLevel) -> Self {
        self.kind = match top {
            TopLevel::Document => element::DOCUMENT,
            TopLevel::Array => element::ARRAY,
            TopLevel::ByKeys if self.is_numbered() => element::ARRAY,
            TopLevel::ByKeys => element::DOCUMENT,
        };
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.depth = limits.depth;
        self.limit = limits.depth;
        self
    }

    /// Reads the document with a seed.
    ///
    /// # Errors
    ///
    /// Errors about the whole document have the format and the byte offset, unlike errors of
    /// serde's `deserialize`.
    pub fn read_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let start = self.reader.offset();
        seed.deserialize(self).map_err(|error| error.with_offset(start).with_format(Format::Bson))
    }

    /// Returns the number of bytes read.
    #[inline]
    pub fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// Fails unless everything was read.
    pub fn finish(&self) -> Result<()> {
        self.reader.finish().map_err(|error| error.with_format(Format::Bson))
    }

    /// Checks whether no container has been entered yet, so that the target may choose the type of
    /// the document.
    #[inline]
    fn at_top(&self) -> bool {
        self.depth == self.limit
    }

    #[inline]
    fn visit_document<V: Visitor<'de>>(&mut self, is_record: bool, visitor: V) -> Result<V::Value> {
        let mut entries = Entries::new(self.enter()?, is_record);
        let value = visitor.visit_map(&mut entries)?;
        entries.finish()?;
        Ok(value)
    }

    #[inline]
    fn visit_array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let numbered = self.kind == element::DOCUMENT;
        let mut items = Items::new(self.enter()?, numbered);
        let value = visitor.visit_seq(&mut items)?;
        items.finish()?;
        Ok(value)
    }

    /// Passes the current value to a target that accepts any type, or that asked for another type
    /// and either accepts this one or explains the mismatch.
    #[inline(never)]
    fn visit_any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOUBLE => visitor.visit_f64(self.double()?),
            element::STRING => visitor.visit_borrowed_str(self.text()?),
            element::DOCUMENT => self.visit_document(false, visitor),
            element::ARRAY => self.visit_array(visitor),
            element::BOOLEAN => visitor.visit_bool(self.boolean()?),
            element::NULL => visitor.visit_unit(),
            element::INT32 => visitor.visit_i32(self.int32()?),
            element::INT64 => visitor.visit_i64(self.int64()?),
            _ => self.visit_extension(visitor),
        }
    }

    /// Passes the current value to a target that asked for another type.
    #[cold]
    #[inline(never)]
    fn visit_other<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOUBLE
            | element::STRING
            | element::DOCUMENT
            | element::ARRAY
            | element::BINARY
            | element::BOOLEAN
            | element::NULL
            | element::INT32
            | element::INT64 => self.visit_any(visitor),
            kind => Err(de::Error::invalid_type(Unexpected::Other(element::name(kind)), &visitor)),
        }
    }

    #[inline]
    fn visit_integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::INT32 => visitor.visit_i32(self.int32()?),
            element::INT64 => visitor.visit_i64(self.int64()?),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn visit_record<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOCUMENT => self.visit_document(true, visitor),
            element::ARRAY if self.at_top() => self.visit_document(true, visitor),
            _ => self.visit_other(visitor),
        }
    }

    fn visit_variant<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::STRING => visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?)),
            element::DOCUMENT => {
                let mut entries = Entries::new(self.enter()?, false);
                let value = visitor.visit_enum(MapAccessDeserializer::new(&mut entries))?;
                entries.finish()?;
                Ok(value)
            }
            _ => self.visit_other(visitor),
        }
    }
}

// The deserializer methods that serde calls for each type.

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    forward_deserialize! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 => visit_integer;
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => visit_integer;
        deserialize_i128 deserialize_u128 => visit_integer;
        deserialize_f32 => deserialize_f64;
        deserialize_char deserialize_string deserialize_identifier => deserialize_str;
        deserialize_byte_buf => deserialize_bytes;
        deserialize_unit_struct => deserialize_unit;
        deserialize_newtype_struct => visit_any;
        deserialize_tuple deserialize_tuple_struct => deserialize_seq;
        deserialize_struct => visit_record;
        deserialize_enum => visit_variant;
        deserialize_any => visit_any;
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::BOOLEAN => visitor.visit_bool(self.boolean()?),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOUBLE => visitor.visit_f64(self.double()?),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::STRING | element::CODE | element::SYMBOL => {
                visitor.visit_borrowed_str(self.text()?)
            }
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::BINARY => visitor.visit_borrowed_bytes(self.binary()?.1),
            // If the bytes of an ObjectId were written again, they would be a binary.
            element::OBJECT_ID => Err(Error::data(
                self.reader.offset(),
                "expected bytes, found an ObjectId; read it as manywire_codec::bson::ObjectId",
            )),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::NULL | element::UNDEFINED => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::NULL | element::UNDEFINED => visitor.visit_unit(),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::ARRAY => self.visit_array(visitor),
            element::DOCUMENT if self.at_top() => self.visit_array(visitor),
            // Bytes are accepted as a sequence: `Vec<u8>` does not ask for bytes.
            element::BINARY => {
                let (_, bytes) = self.binary()?;
                visit_bytes_as_items(visitor, bytes, self.reader.offset())
            }
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOCUMENT => self.visit_document(false, visitor),
            element::ARRAY if self.at_top() => self.visit_document(false, visitor),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }
}

// Documents and arrays, element by element.

/// The entries of a document.
struct Entries<'de> {
    deserializer: Deserializer<'de>,
    key: &'de [u8],
    /// True if the entries are the fields of a struct, whose keys are compared but never kept. This
    /// is a flag at run time, because two types would compile each visitor twice.
    is_record: bool,
}

impl<'de> Entries<'de> {
    #[inline]
    fn new(deserializer: Deserializer<'de>, is_record: bool) -> Self {
        Entries { deserializer, key: &[], is_record }
    }

    /// Fails if the target left entries unread.
    #[inline]
    fn finish(&self) -> Result<()> {
        self.deserializer.end_of_container(Error::unread_entries)
    }

    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, left: usize) -> Error {
        self.deserializer.with_start(error, left).under_key(String::from_utf8_lossy(self.key))
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let left = self.deserializer.reader.remaining();
        let Some(key) = self.deserializer.next_key()? else { return Ok(None) };
        self.key = key;
        match seed.deserialize(KeyDeserializer { text: key, is_field: self.is_record }) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.locate(error, left - 1)),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let left = self.deserializer.reader.remaining();
        seed.deserialize(&mut self.deserializer).map_err(|error| self.locate(error, left))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.deserializer.elements_left()
    }
}

/// The items of an array.
struct Items<'de> {
    deserializer: Deserializer<'de>,
    index: usize,
    /// True if the target asked for an array but this is a document: its keys must then be those of
    /// an array.
    numbered: bool,
}

impl<'de> Items<'de> {
    #[inline]
    fn new(deserializer: Deserializer<'de>, numbered: bool) -> Self {
        Items { deserializer, index: 0, numbered }
    }

    /// Fails if the target left items unread.
    #[inline]
    fn finish(&self) -> Result<()> {
        let unread = |offset| Error::unread_items(offset, self.index, None);
        self.deserializer.end_of_container(unread)
    }

    #[inline]
    fn next(&mut self) -> Result<bool> {
        if self.numbered { self.next_numbered() } else { self.deserializer.next_index() }
    }

    fn next_numbered(&mut self) -> Result<bool> {
        let left = self.deserializer.reader.remaining();
        let Some(key) = self.deserializer.next_key()? else { return Ok(false) };
        if key == itoa::Buffer::new().format(self.index).as_bytes() {
            return Ok(true);
        }
        let (key, index) = (String::from_utf8_lossy(key), self.index);
        Err(Error::data(
            self.deserializer.reader.offset_at(left - 1),
            format_args!("expected an array, found a document: its key {index} is {key:?}"),
        ))
    }

    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, left: usize) -> Error {
        self.deserializer.with_start(error, left).under_index(self.index)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.next()? {
            return Ok(None);
        }
        let left = self.deserializer.reader.remaining();
        match seed.deserialize(&mut self.deserializer) {
            Ok(item) => {
                self.index += 1;
                Ok(Some(item))
            }
            Err(error) => Err(self.locate(error, left)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.deserializer.elements_left()
    }
}

impl Deserializer<'_> {
    /// Sets the offset of an error to the place where `left` bytes of the document were left.
    #[cold]
    #[inline(never)]
    fn with_start(&self, error: Error, left: usize) -> Error {
        error.with_offset(self.reader.offset_at(left)).with_format(Format::Bson)
    }

    /// Checks whether the current document has keys, all of them those of an array. The result has
    /// no meaning for a malformed document: reading the document reports the fault.
    pub(super) fn is_numbered(&self) -> bool {
        let mut probe = Deserializer { reader: self.reader.clone(), ..*self };
        let Ok(mut elements) = probe.enter() else { return false };
        let mut index = 0_usize;
        while let Ok(Some(key)) = elements.next_key() {
            if key != itoa::Buffer::new().format(index).as_bytes() || elements.skip().is_err() {
                return false;
            }
            index += 1;
        }
        index > 0
    }

    /// Fails if elements are left. `unread` makes the error, from the offset of the next element.
    #[inline]
    fn end_of_container(&self, unread: impl FnOnce(usize) -> Error) -> Result<()> {
        match self.reader.remaining() {
            0 => Ok(()),
            _ => Err(self.elements_are_left(unread)),
        }
    }

    #[cold]
    #[inline(never)]
    fn elements_are_left(&self, unread: impl FnOnce(usize) -> Error) -> Error {
        let offset = self.reader.offset();
        match self.reader.peek() {
            Some(0) => Error::syntax(
                offset,
                "the terminating zero byte comes before the stated end of the document",
            ),
            _ => unread(offset),
        }
    }

    /// Estimates the number of elements left, at most [`PREALLOCATED_ITEMS_MAX`]. BSON states no
    /// number of elements, so the estimate divides the bytes left in the document by the size of
    /// the next element; elements of one container tend to have the same size. Returns `None` at
    /// the end of the document, or if the next element is malformed.
    #[inline(never)]
    fn elements_left(&self) -> Option<usize> {
        let bytes = self.reader.rest();
        let mut probe = Deserializer { reader: Reader::new(bytes), ..*self };
        probe.next_key().ok()??;
        probe.skip().ok()?;
        Some(bytes.len().div_ceil(probe.reader.offset()).min(PREALLOCATED_ITEMS_MAX))
    }
}

// Keys of documents.

/// A key, known to be UTF-8. Fields of a struct get it as bytes, which serde's derive compares
/// directly and without another check. Types that keep their keys, such as maps and `flatten`, get
/// text.
struct KeyDeserializer<'de> {
    text: &'de [u8],
    is_field: bool,
}

impl<'de> KeyDeserializer<'de> {
    #[inline]
    fn text(&self) -> Result<&'de str> {
        std::str::from_utf8(self.text).map_err(de::Error::custom)
    }

    fn variant<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?))
    }
}

/// Checks that a number has no plus sign and no leading zeros. Otherwise keys that differ would be
/// equal in the map of a type.
fn is_canonical(number: &str) -> bool {
    number == "0" || !number.strip_prefix('-').unwrap_or(number).starts_with(['0', '+'])
}

/// Implements methods that parse the key, which is text, as a number or a boolean.
macro_rules! numbers {
    ($($method:ident $visit:ident $expected:literal)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                let text = self.text()?;
                match text.parse() {
                    Ok(number) if is_canonical(text) => visitor.$visit(number),
                    _ => Err(de::Error::invalid_value(Unexpected::Str(text), &$expected)),
                }
            }
        )*
    };
}

impl<'de> SerdeDeserializer<'de> for KeyDeserializer<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.text()?)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_field { visitor.visit_bytes(self.text) } else { self.deserialize_any(visitor) }
    }

    numbers! {
        deserialize_i8 visit_i8 "an i8 in decimal"
        deserialize_i16 visit_i16 "an i16 in decimal"
        deserialize_i32 visit_i32 "an i32 in decimal"
        deserialize_i64 visit_i64 "an i64 in decimal"
        deserialize_i128 visit_i128 "an i128 in decimal"
        deserialize_u8 visit_u8 "a u8 in decimal"
        deserialize_u16 visit_u16 "a u16 in decimal"
        deserialize_u32 visit_u32 "a u32 in decimal"
        deserialize_u64 visit_u64 "a u64 in decimal"
        deserialize_u128 visit_u128 "a u128 in decimal"
        deserialize_bool visit_bool "true or false"
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    forward_deserialize! { deserialize_enum => variant; }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        ignored_any
    }
}

// Extensions: parsed from our own serializer, and read from a document.

/// The parts of an extension that is being written.
pub(super) enum ExtensionContent<'de> {
    Null,
    IntegerAndBytes(i64, &'de [u8]),
    Texts(&'de str, &'de str),
    TextAndBytes(&'de str, &'de [u8]),
    /// A text and a document's elements, without length and terminator.
    TextAndDocument(&'de str, &'de [u8]),
    Other,
}

impl<'de> ExtensionContent<'de> {
    /// Parses the only item of an array that our own serializer wrote.
    pub(super) fn parse(array: &'de [u8]) -> Result<Self> {
        let mut item = Deserializer::new(array).enter()?;
        item.next_key()?;
        let mut parts = match item.kind {
            element::NULL => return Ok(ExtensionContent::Null),
            element::ARRAY => item.enter()?,
            _ => return Ok(ExtensionContent::Other),
        };
        let [first, second, third] = [parts.part()?, parts.part()?, parts.part()?];
        Ok(match (first, second, third) {
            (ContentPart::Integer(number), ContentPart::Bytes(bytes), ContentPart::None) => {
                ExtensionContent::IntegerAndBytes(number, bytes)
            }
            (ContentPart::Text(first), ContentPart::Text(second), ContentPart::None) => {
                ExtensionContent::Texts(first, second)
            }
            (ContentPart::Text(text), ContentPart::Bytes(bytes), ContentPart::None) => {
                ExtensionContent::TextAndBytes(text, bytes)
            }
            (ContentPart::Text(text), ContentPart::Document(document), ContentPart::None) => {
                ExtensionContent::TextAndDocument(text, document)
            }
            _ => ExtensionContent::Other,
        })
    }
}

enum ContentPart<'de> {
    Integer(i64),
    Text(&'de str),
    Bytes(&'de [u8]),
    Document(&'de [u8]),
    Other,
    None,
}

impl<'de> Deserializer<'de> {
    fn part(&mut self) -> Result<ContentPart<'de>> {
        if self.next_key()?.is_none() {
            return Ok(ContentPart::None);
        }
        Ok(match self.kind {
            element::INT32 => ContentPart::Integer(self.int32()?.into()),
            element::INT64 => ContentPart::Integer(self.int64()?),
            element::STRING => ContentPart::Text(self.text()?),
            element::DOCUMENT => ContentPart::Document(self.document()?),
            element::BINARY => match self.binary()? {
                (element::GENERIC, bytes) => ContentPart::Bytes(bytes),
                _ => ContentPart::Other,
            },
            _ => {
                self.skip()?;
                ContentPart::Other
            }
        })
    }
}

/// The smallest code with scope, in bytes: a length, an empty string and an empty document.
const CODE_WITH_SCOPE_MIN: usize = 14;

impl<'de> Deserializer<'de> {
    /// Passes the current value to a target that accepts any type, if the value is binary, a time,
    /// or of a type that only BSON has.
    #[inline(never)]
    fn visit_extension<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let kind = self.kind;
        let own = |visitor: V, content: BsonOnlyPart<'de>| {
            visit(visitor, Kind::Bson, kind.into(), content)
        };
        let pair = |visitor: V, first, second| {
            visit(visitor, Kind::Bson, kind.into(), Pair([Some(first), Some(second)]))
        };
        match kind {
            element::BINARY => match self.binary()? {
                (element::GENERIC, bytes) => visitor.visit_borrowed_bytes(bytes),
                (subtype, bytes) => {
                    pair(visitor, BsonOnlyPart::Integer(subtype.into()), BsonOnlyPart::Bytes(bytes))
                }
            },
            element::DATETIME => {
                let milliseconds = self.int64()?;
                let nanoseconds = milliseconds.rem_euclid(1_000).unsigned_abs() * 1_000_000;
                let whole = seconds(milliseconds.div_euclid(1_000));
                visit(visitor, Kind::Timestamp, nanoseconds, whole)
            }
            element::OBJECT_ID => own(visitor, BsonOnlyPart::Bytes(self.object_id()?)),
            element::DECIMAL128 => {
                let bytes = self.reader.take(element::DECIMAL128_SIZE, "a decimal128")?;
                own(visitor, BsonOnlyPart::Bytes(bytes))
            }
            element::TIMESTAMP => {
                own(visitor, BsonOnlyPart::Integer(self.int64()?.cast_unsigned()))
            }
            element::CODE | element::SYMBOL => own(visitor, BsonOnlyPart::Text(self.text()?)),
            element::REGEX => {
                let pattern = self.cstring()?;
                let options = match element::sorted_options(self.cstring()?) {
                    Cow::Borrowed(options) => BsonOnlyPart::Text(options),
                    Cow::Owned(options) => BsonOnlyPart::OwnedText(options),
                };
                pair(visitor, BsonOnlyPart::Text(pattern), options)
            }
            element::DB_POINTER => {
                let namespace = self.text()?;
                pair(visitor, BsonOnlyPart::Text(namespace), BsonOnlyPart::Bytes(self.object_id()?))
            }
            element::CODE_WITH_SCOPE => {
                let (code, scope) = self.code_with_scope()?;
                pair(visitor, BsonOnlyPart::Text(code), BsonOnlyPart::Document(scope))
            }
            _ => own(visitor, BsonOnlyPart::Null),
        }
    }

    /// Returns the code, and a deserializer positioned before the scope. The layout is: length of
    /// both, code, scope.
    fn code_with_scope(&mut self) -> Result<(&'de str, Deserializer<'de>)> {
        let start = self.reader.offset();
        let rest = self.reader.rest();
        let Some(([_, _, _, _, inner @ ..], rest)) = rest
            .first_chunk()
            .and_then(|head| rest.split_at_checked(u32::from_le_bytes(*head) as usize))
            .filter(|(whole, _)| whole.len() >= CODE_WITH_SCOPE_MIN)
        else {
            return Err(self.bad_length("code with scope", CODE_WITH_SCOPE_MIN, 0));
        };
        self.reader.resume(rest);
        let mut inner = Deserializer {
            reader: Reader::over(inner, self.reader.offset()),
            kind: element::DOCUMENT,
            ..*self
        };
        let code = inner.text()?;
        let scope = inner.reader.clone();
        inner.document()?;
        if inner.reader.remaining() != 0 {
            return Err(Error::syntax(start, "the code and its scope end before their length"));
        }
        Ok((code, Deserializer { reader: scope, ..inner }))
    }
}

/// A part of a value that only BSON has.
enum BsonOnlyPart<'de> {
    Null,
    Integer(u64),
    Text(&'de str),
    OwnedText(String),
    Bytes(&'de [u8]),
    Document(Deserializer<'de>),
}

impl<'de> de::Deserializer<'de> for BsonOnlyPart<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            BsonOnlyPart::Null => visitor.visit_unit(),
            BsonOnlyPart::Integer(number) => visitor.visit_u64(number),
            BsonOnlyPart::Text(text) => visitor.visit_borrowed_str(text),
            BsonOnlyPart::OwnedText(text) => visitor.visit_string(text),
            BsonOnlyPart::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            BsonOnlyPart::Document(mut document) => document.visit_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Two parts, as an array.
struct Pair<'de>([Option<BsonOnlyPart<'de>>; 2]);

impl<'de> de::Deserializer<'de> for Pair<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Pair<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        match self.0.iter_mut().find_map(Option::take) {
            Some(part) => seed.deserialize(part).map(Some),
            None => Ok(None),
        }
    }
}

// Single elements: reading, skipping, and the errors of malformed ones.

impl<'de> Deserializer<'de> {
    /// Reads the type and key of the next element, or `None` at the end of the document. The key is
    /// UTF-8.
    #[inline]
    fn next_key(&mut self) -> Result<Option<&'de [u8]>> {
        let Some((&kind, rest)) = self.reader.rest().split_first() else { return Ok(None) };
        if element::is_known(kind)
            && let Some((end, ascii)) = element::find(rest)
            && let Some((key, [_, rest @ ..])) = rest.split_at_checked(end)
            && (ascii || std::str::from_utf8(key).is_ok())
        {
            self.kind = kind;
            self.reader.resume(rest);
            return Ok(Some(key));
        }
        Err(self.bad_element())
    }

    /// Returns the error for a missing or malformed element.
    #[cold]
    #[inline(never)]
    fn bad_element(&self) -> Error {
        let at = self.reader.offset();
        let left = self.reader.remaining();
        match self.reader.rest().split_first() {
            None => Error::eof(at, "an element"),
            Some((0, _)) => Error::syntax(
                at,
                format_args!(
                    "the terminating zero byte comes {left} bytes before the stated end of the document"
                ),
            ),
            Some((kind, _)) if !element::is_known(*kind) => {
                Error::syntax(at, format_args!("there is no BSON element of type {kind:#04x}"))
            }
            Some((_, rest)) => match element::find(rest) {
                None => Error::syntax(
                    at + 1,
                    "unterminated key: expected a NUL byte before the end of the document",
                ),
                Some((end, _)) => not_utf8(at + 1, rest.get(..end).unwrap_or_default(), "key"),
            },
        }
    }

    /// Reads the next key of an array without examining it. Returns false at the end of the array.
    #[inline]
    fn next_index(&mut self) -> Result<bool> {
        match self.reader.rest() {
            // A fast path for the first hundred items.
            [kind, b'0'..=b'9', 0, rest @ ..] | [kind, b'0'..=b'9', b'0'..=b'9', 0, rest @ ..]
                if element::is_known(*kind) =>
            {
                self.kind = *kind;
                self.reader.resume(rest);
                Ok(true)
            }
            _ => self.next_key().map(|key| key.is_some()),
        }
    }

    /// Enters the current document.
    #[inline]
    fn enter(&mut self) -> Result<Deserializer<'de>> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(Error::depth(self.reader.offset(), self.limit));
        };
        let body = self.document()?;
        // The terminator is not part of the body.
        let reader = Reader::over(body, self.reader.offset() - 1);
        Ok(Deserializer { reader, kind: element::NULL, depth, limit: self.limit })
    }

    /// Returns the elements of the current document, without length and terminator.
    #[inline]
    fn document(&mut self) -> Result<&'de [u8]> {
        let rest = self.reader.rest();
        if let Some(head) = rest.first_chunk()
            && let Some((document, rest)) =
                rest.split_at_checked(u32::from_le_bytes(*head) as usize)
            && let [_, _, _, _, body @ .., 0] = document
        {
            self.reader.resume(rest);
            return Ok(body);
        }
        Err(self.bad_length("a document", 5, 0))
    }

    /// Reads the current text: length, text, NUL.
    #[inline]
    fn text(&mut self) -> Result<&'de str> {
        let start = self.reader.offset();
        let text = self.text_bytes()?;
        // simdutf8 checks long text as fast as it is copied, and short text byte by byte, as the
        // standard library does.
        simdutf8::basic::from_utf8(text).map_err(|_| not_utf8(start + 4, text, "string"))
    }

    #[inline]
    fn text_bytes(&mut self) -> Result<&'de [u8]> {
        if let Some((head, rest)) = self.reader.rest().split_first_chunk()
            && let Some((text, rest)) = rest.split_at_checked(u32::from_le_bytes(*head) as usize)
            && let [text @ .., 0] = text
        {
            self.reader.resume(rest);
            return Ok(text);
        }
        Err(self.bad_length("a string", 1, 4))
    }

    /// Returns the error for a wrong length: `head` bytes precede the part that the length counts,
    /// which has at least `min` bytes and ends with NUL.
    #[cold]
    #[inline(never)]
    fn bad_length(&self, what: &'static str, min: usize, head: usize) -> Error {
        let at = self.reader.offset();
        let rest = self.reader.rest();
        let Some(length) = rest.first_chunk().map(|bytes| i32::from_le_bytes(*bytes)) else {
            return Error::eof(at + rest.len(), "a length of 4 bytes");
        };
        let left = rest.len().saturating_sub(head);
        match usize::try_from(length) {
            Ok(claimed) if claimed >= min && claimed > left => Error::at(
                Category::Eof,
                at,
                format_args!("{what} claims {length} bytes, but only {left} are left for it"),
            ),
            Ok(claimed) if claimed >= min => Error::syntax(
                at,
                format_args!(
                    "{what} of {length} bytes ends with 0, found {:#04x}",
                    rest.get(head + claimed - 1).copied().unwrap_or_default()
                ),
            ),
            _ => Error::syntax(
                at,
                format_args!("{what} is at least {min} bytes long, its length says {length}"),
            ),
        }
    }

    /// Reads the text up to the next NUL.
    fn cstring(&mut self) -> Result<&'de str> {
        let at = self.reader.offset();
        let rest = self.reader.rest();
        let Some((text, [_, rest @ ..])) =
            element::find(rest).and_then(|(end, _)| rest.split_at_checked(end))
        else {
            return Err(Error::syntax(
                at,
                "unterminated cstring: expected a NUL byte before the end of the document",
            ));
        };
        self.reader.resume(rest);
        std::str::from_utf8(text).map_err(|_| not_utf8(at, text, "text"))
    }

    /// Returns the subtype and bytes of the current binary.
    #[inline]
    fn binary(&mut self) -> Result<(u8, &'de [u8])> {
        if let [a, b, c, d, subtype, rest @ ..] = self.reader.rest()
            && let Ok(len) = usize::try_from(i32::from_le_bytes([*a, *b, *c, *d]))
            && let Some((bytes, rest)) = rest.split_at_checked(len)
        {
            let bytes = match *subtype {
                element::OLD_BINARY => self.old_binary(bytes)?,
                _ => bytes,
            };
            self.reader.resume(rest);
            return Ok((*subtype, bytes));
        }
        match self.reader.rest() {
            // A negative length is reported before a missing subtype.
            [_, _, _, 0..0x80] => {
                Err(Error::eof(self.reader.offset() + 4, "the subtype of binary"))
            }
            _ => Err(self.bad_length("binary", 0, 5)),
        }
    }

    /// Returns the bytes of the subtype that repeats its length inside.
    #[cold]
    fn old_binary(&self, bytes: &'de [u8]) -> Result<&'de [u8]> {
        match bytes.split_first_chunk() {
            Some((head, inner))
                if usize::try_from(i32::from_le_bytes(*head)) == Ok(inner.len()) =>
            {
                Ok(inner)
            }
            _ => Err(Error::syntax(
                self.reader.offset() + 5,
                "binary of subtype 2 repeats its length inside, less 4: the two lengths differ",
            )),
        }
    }

    read_numbers! { from_le_bytes:
        double -> f64 "a double";
        int32 -> i32 "an int32";
        int64 -> i64 "an int64";
    }

    #[inline]
    fn boolean(&mut self) -> Result<bool> {
        match self.reader.byte("a boolean")? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(Error::syntax(
                self.reader.offset() - 1,
                format_args!("a boolean is 0 or 1, found {byte:#04x}"),
            )),
        }
    }

    fn object_id(&mut self) -> Result<&'de [u8]> {
        self.reader.take(element::OBJECT_ID_SIZE, "an ObjectId")
    }

    /// Skips the current value. Containers are skipped by their length, without recursion and
    /// without reading their content.
    fn skip(&mut self) -> Result<()> {
        match self.kind {
            element::DOUBLE | element::INT64 | element::DATETIME | element::TIMESTAMP => {
                self.reader.skip(8, "a value of 8 bytes")
            }
            element::STRING | element::CODE | element::SYMBOL => self.text_bytes().map(drop),
            element::DOCUMENT | element::ARRAY => self.document().map(drop),
            element::BINARY => self.binary().map(drop),
            element::OBJECT_ID => self.object_id().map(drop),
            element::BOOLEAN => self.boolean().map(drop),
            element::REGEX => {
                self.cstring()?;
                self.cstring().map(drop)
            }
            element::DB_POINTER => {
                self.text_bytes()?;
                self.object_id().map(drop)
            }
            element::CODE_WITH_SCOPE => self.code_with_scope().map(drop),
            element::INT32 => self.reader.skip(4, "an int32"),
            element::DECIMAL128 => self.reader.skip(element::DECIMAL128_SIZE, "a decimal128"),
            // Undefined, null, min key, max key.
            _ => Ok(()),
        }
    }
}

/// Builds the error for text that is not UTF-8, at its first invalid byte.
#[cold]
#[inline(never)]
fn not_utf8(start: usize, text: &[u8], what: &'static str) -> Error {
    Error::syntax(start + valid_up_to(text), format_args!("the {what} is not UTF-8"))
}
