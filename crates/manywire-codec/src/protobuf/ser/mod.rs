//! Writes values to messages: the entry points, the output with its open lengths, the serializer of a
//! field, and the errors.
//!
//! `FieldSerializer` is the serde serializer for one field. `scalar` writes scalars. `compound`
//! writes records, maps, arrays and variants, and passes each part to another `FieldSerializer`.
//! `groups` changes the finished message if the schema has groups.

mod compound;
mod groups;
mod scalar;

use std::fmt;

use manywire_format::Format;
use manywire_shape::extension::Kind;
use serde::ser::{Serialize, Serializer};

use self::compound::{Entries, Fields, Items};
use self::scalar::Scalar;
use super::plan::{Field, FieldKind, Form, Plan};
use super::wire::{VARINT_BYTES_MAX, put_varint};
use crate::core::extension::WriteExtension;
use crate::core::forward::{binary_serializer, forward_serialize};
use crate::core::variant::VariantName;
use crate::core::{buffer, extension};
use crate::{Category, Error, Limits, Result};

impl Plan {
    /// Encodes a value to a new vector, with the capacity that this plan's recent encodings needed.
    ///
    /// # Errors
    ///
    /// Same as [`encode`](Plan::encode).
    pub fn to_vec<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>> {
        self.capacity.fill(|out| self.encode(value, out))
    }

    /// Appends the message of a value.
    ///
    /// Fails and leaves `out` unchanged if the value does not fit the schema: a value of another
    /// type, a number out of range, or a field that is unknown, missing or duplicated.
    pub fn encode<T: Serialize + ?Sized>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let mut writer = Writer::new(self, std::mem::take(out), Limits::DEFAULT.depth);
        let result = writer.root(value);
        *out = writer.out;
        if self.has_groups && result.is_ok() {
            let message = out.split_off(start);
            groups::delimit(self, self.root, &message, out);
        }
        result.map_err(|error| {
            out.truncate(start);
            error.with_format(Format::Protobuf)
        })
    }
}

impl<'p> Writer<'p> {
    /// Writes the message of the whole value, which has neither tag nor length.
    fn root<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let plan = self.plan;
        let root = &plan.messages[plan.root];
        match root.form {
            Form::Wrapper => {
                value.serialize(FieldSerializer { writer: self, field: &root.fields[0] })
            }
            _ => value.serialize(FieldSerializer { writer: self, field: &plan.whole }),
        }
    }
}

/// The start for content without a length, such as an unpacked field.
const NO_LENGTH: usize = usize::MAX;

/// The output, and the lengths still open in it.
///
/// A length is written as one byte and widened once the size of its content is known: most messages
/// are shorter than 128 bytes, and moving the others costs less than measuring every value
/// beforehand.
struct Writer<'p> {
    out: Vec<u8>,
    plan: &'p Plan,
    /// The starts of messages around the innermost one, if one value opened several.
    outer: Vec<usize>,
    depth: usize,
    depth_max: usize,
}

/// The lengths that one value has opened.
#[derive(Clone, Copy)]
struct OpenLengths {
    /// The start of the innermost content, or [`NO_LENGTH`].
    start: usize,
    /// The number of lengths around the innermost content.
    outer: usize,
}

impl OpenLengths {
    const NONE: OpenLengths = OpenLengths { start: NO_LENGTH, outer: 0 };
}

impl<'p> Writer<'p> {
    fn new(plan: &'p Plan, out: Vec<u8>, depth_max: usize) -> Self {
        Writer { out, plan, outer: Vec::new(), depth: 0, depth_max }
    }

    /// Enters a container.
    #[inline]
    fn enter_container(&mut self) -> Result<()> {
        if self.depth == self.depth_max {
            return Err(too_deep(self.depth_max));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves a container.
    #[inline]
    fn leave_container(&mut self) {
        self.depth -= 1;
    }

    /// Starts a message or packed field and returns the start of its content, or [`NO_LENGTH`] for
    /// the root, which has neither tag nor length.
    #[inline(always)]
    fn start(&mut self, field: &Field) -> usize {
        if field.tag_len == 0 {
            return NO_LENGTH;
        }
        self.short(field, 0);
        self.out.len()
    }

    /// Starts a message or packed field inside `open`.
    fn open(&mut self, field: &Field, open: &mut OpenLengths) {
        let start = self.start(field);
        if start == NO_LENGTH {
            return;
        }
        if open.start != NO_LENGTH {
            self.outer.push(open.start);
            open.outer += 1;
        }
        open.start = start;
    }

    /// Removes the innermost open message or field, which is empty.
    fn cancel(&mut self, field: &Field, open: &mut OpenLengths) {
        if open.start != NO_LENGTH {
            self.out.truncate(open.start - 1 - usize::from(field.tag_len));
            open.start = NO_LENGTH;
            if open.outer > 0 {
                open.outer -= 1;
                open.start = self.outer.pop().unwrap_or(NO_LENGTH);
            }
        }
    }

    /// Writes all lengths that a value has opened.
    #[inline(always)]
    fn close(&mut self, open: OpenLengths) {
        // The root has no length: its start is beyond the output, so `get_mut` finds no byte.
        let len = self.out.len().wrapping_sub(open.start);
        if len < 0x80
            && open.outer == 0
            && let Some(length) = self.out.get_mut(open.start.wrapping_sub(1))
        {
            *length = len as u8;
            return;
        }
        self.close_all(open);
    }

    #[inline(never)]
    fn close_all(&mut self, open: OpenLengths) {
        if open.start == NO_LENGTH {
            return;
        }
        self.set_length(open.start);
        for _ in 0..open.outer {
            if let Some(start) = self.outer.pop() {
                self.set_length(start);
            }
        }
    }

    fn set_length(&mut self, start: usize) {
        let len = self.out.len() - start;
        if len < 0x80 {
            self.out[start - 1] = len as u8;
        } else {
            self.widen_length(start, len);
        }
    }

    fn widen_length(&mut self, start: usize, len: usize) {
        let mut bytes = [0; VARINT_BYTES_MAX];
        let width = put_varint(&mut bytes, len as u64);
        self.out.extend_from_slice(&[0; VARINT_BYTES_MAX][1..width]);
        self.out.copy_within(start..start + len, start + width - 1);
        self.out[start - 1..start - 1 + width].copy_from_slice(&bytes[..width]);
    }

    /// Writes a tag and a varint below 128.
    ///
    /// Both are written as one word of fixed size, which is then cut to the used part. The word is
    /// built in a register: built in memory byte by byte, its load would stall on the stores.
    #[inline(always)]
    fn short(&mut self, field: &Field, value: u64) {
        if !self.has_room(8) {
            return self.varint_long(field, value);
        }
        let tag_len = usize::from(field.tag_len & 7);
        let word = field.tag_word | value << (8 * tag_len);
        self.push_prefix(word.to_le_bytes(), tag_len + 1);
    }

    /// Writes a tag and a varint.
    #[inline]
    fn varint(&mut self, field: &Field, value: u64) {
        if value >= 0x80 {
            return self.varint_long(field, value);
        }
        self.short(field, value);
    }

    #[inline(never)]
    fn varint_long(&mut self, field: &Field, mut value: u64) {
        let mut len = usize::from(field.tag_len & 7);
        let mut word = u128::from(field.tag_word);
        while value >= 0x80 {
            word |= u128::from(value as u8 | 0x80) << (8 * len);
            value >>= 7;
            len += 1;
        }
        word |= u128::from(value) << (8 * len);
        self.push_prefix(word.to_le_bytes(), len + 1);
    }

    /// Writes a tag and a number of four bytes.
    #[inline]
    fn fixed32(&mut self, field: &Field, bytes: [u8; 4]) {
        self.fixed(field, u32::from_le_bytes(bytes).into(), 4);
    }

    /// Writes a tag and a number of eight bytes.
    #[inline]
    fn fixed64(&mut self, field: &Field, bytes: [u8; 8]) {
        self.fixed(field, u64::from_le_bytes(bytes), 8);
    }

    #[inline]
    fn fixed(&mut self, field: &Field, value: u64, len: usize) {
        let tag_len = usize::from(field.tag_len & 7);
        let word = u128::from(field.tag_word) | u128::from(value) << (8 * tag_len);
        self.push_prefix(word.to_le_bytes(), tag_len + len);
    }

    /// Writes a tag, a length and the bytes.
    #[inline]
    fn bytes(&mut self, field: &Field, bytes: &[u8]) {
        if bytes.len() > SHORT_LEN_MAX
            || field.tag_len > SHORT_TAG_LEN_MAX
            || !self.has_room(SHORT_BLOCK)
        {
            return self.bytes_long(field, bytes);
        }
        let tag_len = usize::from(field.tag_len);
        let header = field.tag_word | (bytes.len() as u64) << (8 * tag_len);
        let before = self.out.len();
        // The block is appended whole and filled in place: a value assembled elsewhere from pieces
        // would stall when it is copied as one.
        self.out.extend_from_slice(&[0; SHORT_BLOCK]);
        if let Some(block) = self.out.last_chunk_mut::<SHORT_BLOCK>() {
            block[..4].copy_from_slice(&(header as u32).to_le_bytes());
            buffer::copy_short(&mut block[tag_len + 1..tag_len + 1 + bytes.len()], bytes);
        }
        self.out.truncate(before + tag_len + 1 + bytes.len());
    }

    #[inline(never)]
    fn bytes_long(&mut self, field: &Field, bytes: &[u8]) {
        self.varint(field, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// Checks whether `count` bytes fit without growing. Short writes check this first: growing the
    /// vector, and saving registers for that call, then stays out of the hot path.
    #[inline(always)]
    fn has_room(&self, count: usize) -> bool {
        self.out.capacity() - self.out.len() >= count
    }

    /// Appends the first `len` bytes of a word.
    #[inline(always)]
    fn push_prefix<const N: usize>(&mut self, word: [u8; N], len: usize) {
        let before = self.out.len();
        self.out.extend_from_slice(&word);
        self.out.truncate(before + len);
    }
}

/// The length of the longest tag that is written together with its value, in bytes: field numbers
/// below 2,048.
const SHORT_TAG_LEN_MAX: u8 = 2;

/// The number of bytes appended for a short value with its tag and length, before it is cut.
const SHORT_BLOCK: usize = 32;

/// The longest content that fits a short block, in bytes.
const SHORT_LEN_MAX: usize = SHORT_BLOCK - 1 - SHORT_TAG_LEN_MAX as usize;

#[cold]
#[inline(never)]
fn too_deep(limit: usize) -> Error {
    Error::new(Category::Limit, format_args!("nested deeper than the limit of {limit}"))
}

// The serde serializer for one field.

/// Writes one value into one field.
struct FieldSerializer<'w, 'p> {
    writer: &'w mut Writer<'p>,
    field: &'p Field,
}

impl<'w, 'p> Serializer for FieldSerializer<'w, 'p> {
    binary_serializer! {
        SerializeSeq SerializeTuple SerializeTupleStruct SerializeTupleVariant => Items<'w, 'p>;
        SerializeMap => Entries<'w, 'p>;
        SerializeStruct SerializeStructVariant => Fields<'w, 'p>;
    }
    forward_serialize! {
        serialize_i8 serialize_i16 serialize_i32 => serialize_i64;
        serialize_u8 serialize_u16 serialize_u32 => serialize_u64;
        serialize_char => serialize_str;
        serialize_unit_struct => serialize_unit;
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.writer.bool(self.field, value)
    }
    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.writer.signed(self.field, value)
    }
    fn serialize_i128(self, value: i128) -> Result<()> {
        self.writer.scalar(self.field, Scalar::Int(value))
    }
    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.writer.unsigned(self.field, value)
    }
    fn serialize_u128(self, value: u128) -> Result<()> {
        let scalar = i128::try_from(value).map_or(Scalar::Uint128(value), Scalar::Int);
        self.writer.scalar(self.field, scalar)
    }
    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.writer.f32(self.field, value)
    }
    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.writer.f64(self.field, value)
    }
    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.writer.str(self.field, value)
    }
    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.writer.byte_string(self.field, value)
    }
    #[inline]
    fn serialize_none(self) -> Result<()> {
        if self.field.nullable {
            return Ok(());
        }
        self.writer.scalar(self.field, Scalar::None)
    }
    #[inline]
    fn serialize_unit(self) -> Result<()> {
        if self.field.nullable && !self.writer.is_null(self.field) {
            return Ok(());
        }
        self.writer.scalar(self.field, Scalar::Null)
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<()> {
        match self.field.kind {
            FieldKind::Enum => self.writer.enumerator(self.field, variant, index as usize),
            _ => self.writer.scalar(self.field, Scalar::Str(variant)),
        }
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'w, 'p>> {
        Items::enter(self.writer, self.field, OpenLengths::NONE)
    }
    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'w, 'p>> {
        Entries::enter(self.writer, self.field)
    }
    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'w, 'p>> {
        Fields::enter(self.writer, self.field)
    }
}

// Variants with content.

impl<'w, 'p> FieldSerializer<'w, 'p> {
    fn newtype_variant<T: Serialize + ?Sized>(self, of: VariantName, value: &T) -> Result<()> {
        let FieldSerializer { writer, field } = self;
        let mut open = OpenLengths::NONE;
        let content = writer.open_variant(field, of, &mut open)?;
        writer.enter_container()?;
        value
            .serialize(FieldSerializer { writer, field: content })
            .map_err(|error| error.under_key(of.name))?;
        writer.leave_container();
        writer.close(open);
        Ok(())
    }

    fn tuple_variant(self, of: VariantName, _: usize) -> Result<Items<'w, 'p>> {
        let mut open = OpenLengths::NONE;
        let field = self.writer.open_variant(self.field, of, &mut open)?;
        Items::enter(self.writer, field, open)
    }

    fn struct_variant(self, of: VariantName, _: usize) -> Result<Fields<'w, 'p>> {
        let mut open = OpenLengths::NONE;
        let field = self.writer.open_variant(self.field, of, &mut open)?;
        Fields::enter_within(self.writer, field, open)
    }
}

impl WriteExtension for FieldSerializer<'_, '_> {
    fn extension<T: Serialize + ?Sized>(self, kind: Kind, code: u64, content: &T) -> Result<()> {
        match kind {
            Kind::Timestamp => {
                let seconds = extension::i64_of(content)?;
                let nanoseconds = u32::try_from(code)
                    .map_err(|_| Error::unsupported("more nanoseconds than a second has"))?;
                self.writer.scalar(self.field, Scalar::Timestamp { seconds, nanoseconds })
            }
            Kind::Number => extension::with_str(content, |text| {
                self.writer.scalar(self.field, Scalar::Number(text))
            }),
            _ => Err(Error::unsupported(format_args!(
                "Protocol Buffers cannot represent the extension {kind:?} {code}"
            ))),
        }
    }
}

// Errors for values that do not fit the schema.

#[cold]
#[inline(never)]
fn out_of_range(field: &Field, value: i128) -> Error {
    Error::unsupported(format_args!("{value} is out of range for {}", Type(field, "")))
}

#[cold]
#[inline(never)]
fn unknown_variant(type_name: &str, name: &str) -> Error {
    Error::unsupported(format_args!("{type_name} has no variant {name:?} of this kind"))
}

/// Builds the error for a value of the wrong type for its field.
#[cold]
#[inline(never)]
fn mismatch(field: &Field, plan: &Plan, found: impl fmt::Display) -> Error {
    let name: &str = match field.kind {
        FieldKind::Message => &plan.message(field).name,
        FieldKind::Enum => &plan.enums[field.target as usize].name,
        _ => "",
    };
    Error::unsupported(format_args!("expected {}, found {found}", Type(field, name)))
}

/// The type of a field, for error messages.
struct Type<'a>(&'a Field, &'a str);

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind {
            FieldKind::Message | FieldKind::Enum => f.write_str(self.1),
            FieldKind::Repeated | FieldKind::Packed => f.write_str("an array"),
            FieldKind::Map => f.write_str("a map"),
            FieldKind::BigInt => f.write_str("a 128-bit integer"),
            kind => f.write_str(&format!("{kind:?}").to_lowercase()),
        }
    }
}
