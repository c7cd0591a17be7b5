//! Writes values to MessagePack.
//!
//! [`Serializer`] writes scalars directly. Containers go through `Compound`, which corrects a head
//! whose length turns out to be wrong. The functions at the end write each scalar in its shortest
//! form.

use std::fmt::Display;

use manywire_shape::extension::{KEEPS_TYPE, Kind};
use serde::ser;
use serde::ser::{Serialize, SerializeMap};

use super::extension;
use super::layout::Layout;
use super::marker::*;
use crate::core::extension::WriteExtension;
use crate::core::forward::{
    binary_serializer, forward_serialize, serialize_fields, serialize_items,
};
use crate::core::variant::VariantName;
use crate::core::{buffer, extension as core_extension};
use crate::{Error, Result};

/// Appends values to a `Vec`, one after another.
///
/// `&mut Serializer` is the serde serializer. [`write`](Serializer::write) adds the format to every
/// error and never leaves a partial value in the output.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    layout: Layout,
}

impl<'o> Serializer<'o> {
    /// Creates a serializer that appends to `out`.
    pub fn new(out: &'o mut Vec<u8>, layout: Layout) -> Self {
        Serializer { out, layout }
    }

    /// Appends one value, or nothing on an error.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(&mut *self).map_err(|error| self.truncate_failed(start, error))
    }

    #[cold]
    #[inline(never)]
    fn truncate_failed(&mut self, start: usize, error: Error) -> Error {
        self.out.truncate(start);
        error.with_format(self.layout.format())
    }

    /// Writes an integer beyond 64 bits as big-endian bytes, like rmp-serde.
    #[cold]
    fn wide(&mut self, bytes: [u8; 16]) -> Result<()> {
        write_bytes(self.out, &bytes)
    }
}

/// Appends a marker and a big-endian number in one store, with one check of the capacity.
macro_rules! put {
    ($out:expr, $marker:expr, $number:expr, $bytes:literal) => {{
        let mut whole = [$marker; 1 + $bytes];
        whole[1..].copy_from_slice(&$number.to_be_bytes());
        $out.extend_from_slice(&whole);
    }};
}

impl<'s, 'o> ser::Serializer for &'s mut Serializer<'o> {
    binary_serializer! {
        SerializeSeq SerializeTuple SerializeTupleStruct SerializeStruct => Compound<'s, 'o>;
        SerializeTupleVariant SerializeStructVariant => VariantContent<'s, 'o>;
        SerializeMap => Entries<'s, 'o>;
    }
    forward_serialize! {
        serialize_i8 serialize_i16 serialize_i32 => serialize_i64;
        serialize_u8 serialize_u16 serialize_u32 => serialize_u64;
        serialize_char serialize_unit_variant => serialize_str;
        serialize_none serialize_unit_struct => serialize_unit;
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.out.push(if value { TRUE } else { FALSE });
        Ok(())
    }
    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        write_signed(self.out, value);
        Ok(())
    }
    fn serialize_i128(self, value: i128) -> Result<()> {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(small), _) => self.serialize_u64(small),
            (_, Ok(small)) => self.serialize_i64(small),
            _ => self.wide(value.to_be_bytes()),
        }
    }
    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        write_unsigned(self.out, value);
        Ok(())
    }
    fn serialize_u128(self, value: u128) -> Result<()> {
        match u64::try_from(value) {
            Ok(small) => self.serialize_u64(small),
            Err(_) => self.wide(value.to_be_bytes()),
        }
    }
    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        put!(self.out, F32, value, 4);
        Ok(())
    }
    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        put!(self.out, F64, value, 8);
        Ok(())
    }
    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        write_str(self.out, value)
    }
    /// Formats text straight into the output.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        let start = self.out.len();
        self.out.push(0);
        buffer::append_display(self.out, value)?;
        fix_str_head(self.out, start)
    }
    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        write_bytes(self.out, value)
    }
    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.out.push(NIL);
        Ok(())
    }
    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Compound<'s, 'o>> {
        Compound::begin(self, Container::Array, len.unwrap_or(0))
    }
    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Entries<'s, 'o>> {
        Entries::begin(self, len.unwrap_or(0))
    }
    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Compound<'s, 'o>> {
        Compound::begin_record(self, len)
    }
}

// Variants with content: a map of one entry, from the name to the content.

impl<'o> Serializer<'o> {
    #[inline]
    fn newtype_variant<T: Serialize + ?Sized>(&mut self, of: VariantName, value: &T) -> Result<()> {
        write_head_and_name(self.out, 1, of.name)?;
        value.serialize(self).map_err(|error| error.under_key(of.name))
    }

    #[inline]
    fn tuple_variant(&mut self, of: VariantName, length: usize) -> Result<VariantContent<'_, 'o>> {
        write_head_and_name(self.out, 1, of.name)?;
        let content = Compound::begin(self, Container::Array, length)?;
        Ok(VariantContent { content, variant: of.name })
    }

    #[inline]
    fn struct_variant(&mut self, of: VariantName, length: usize) -> Result<VariantContent<'_, 'o>> {
        write_head_and_name(self.out, 1, of.name)?;
        let content = Compound::begin_record(self, length)?;
        Ok(VariantContent { content, variant: of.name })
    }
}

impl WriteExtension for &mut Serializer<'_> {
    fn extension<T: Serialize + ?Sized>(self, kind: Kind, code: u64, content: &T) -> Result<()> {
        match kind {
            Kind::MessagePack => {
                let code = extension::type_of(code)?;
                core_extension::with_bytes(content, |content| {
                    extension::check(code, content)?;
                    write_extension(self.out, code, content)
                })
            }
            Kind::Timestamp => {
                let seconds = core_extension::i64_of(content)?;
                extension::with_timestamp(seconds, code, |content| {
                    write_extension(self.out, extension::TIMESTAMP, content)
                })
            }
            // As bytes, the number would lose its type.
            Kind::Number if code == KEEPS_TYPE => core_extension::with_str(content, |text| {
                Err(Error::unsupported(format_args!(
                    "MessagePack has no number beyond 64 bits, found {}; write it as text, as a \
                         float, or as bytes by a field of the type i128",
                    excerpt(text)
                )))
            }),
            Kind::Number => core_extension::with_str(content, |text| match text.parse::<i128>() {
                Ok(number) => ser::Serializer::serialize_i128(&mut *self, number),
                Err(_) => Err(Error::unsupported(format_args!(
                    "MessagePack cannot represent the number {}",
                    excerpt(text)
                ))),
            }),
            Kind::CborTag | Kind::CborSimple => Err(foreign_extension("CBOR")),
            Kind::Bson => Err(foreign_extension("BSON")),
        }
    }
}

/// Returns a number for an error: all of it, or the first digits if it is long.
#[cold]
#[inline(never)]
fn excerpt(number: &str) -> String {
    const DIGITS_MAX: usize = 60;
    match number.get(..DIGITS_MAX) {
        Some(start) if start.len() < number.len() => format!("{start}…"),
        _ => number.to_owned(),
    }
}

#[cold]
#[inline(never)]
fn foreign_extension(format: &str) -> Error {
    Error::unsupported(format_args!("MessagePack cannot represent an extension of {format}"))
}

// Arrays, maps and records, item by item.

/// A container whose items are being written. Its head is written with the `claimed` length, before
/// the items, and is corrected at the end if that length was wrong, so no `Serialize` can corrupt
/// the output.
pub struct Compound<'s, 'o> {
    serializer: &'s mut Serializer<'o>,
    start: usize,
    claimed: usize,
    written: usize,
}

impl<'s, 'o> Compound<'s, 'o> {
    #[inline]
    fn begin(
        serializer: &'s mut Serializer<'o>,
        container: Container,
        claimed: usize,
    ) -> Result<Self> {
        let start = serializer.out.len();
        container.head(serializer.out, claimed)?;
        Ok(Compound { serializer, start, claimed, written: 0 })
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let index = self.written;
        self.written += 1;
        value.serialize(&mut *self.serializer).map_err(|error| error.under_index(index))
    }

    /// Begins a record. The head of a map waits for the first name, so that both are one store.
    #[inline]
    fn begin_record(serializer: &'s mut Serializer<'o>, claimed: usize) -> Result<Self> {
        if serializer.layout == Layout::Array {
            return Compound::begin(serializer, Container::Array, claimed);
        }
        let start = serializer.out.len();
        Ok(Compound { serializer, start, claimed, written: 0 })
    }

    // Always inlined: the name is then a constant.
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let is_first = self.written == 0;
        self.written += 1;
        match self.serializer.layout {
            Layout::Array => {}
            Layout::Map if is_first => {
                write_head_and_name(self.serializer.out, self.claimed, name)?;
            }
            Layout::Map => write_name(self.serializer.out, name)?,
        }
        value.serialize(&mut *self.serializer).map_err(|error| error.under_key(name))
    }

    /// Writes the nil of a skipped field in an array. A map needs nothing.
    #[inline]
    fn skip_position(&mut self) {
        if self.serializer.layout == Layout::Array {
            self.written += 1;
            self.serializer.out.push(NIL);
        }
    }

    #[inline]
    fn finish_record(self) -> Result<()> {
        match self.serializer.layout {
            Layout::Array => self.finish_as(Container::Array),
            Layout::Map if self.written == 0 => Container::Map.head(self.serializer.out, 0),
            Layout::Map => self.finish_as(Container::Map),
        }
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.finish_as(Container::Array)
    }

    #[inline]
    fn finish_as(self, container: Container) -> Result<()> {
        if self.written == self.claimed {
            return Ok(());
        }
        container.fix_head(self.serializer.out, self.start, self.claimed, self.written)
    }
}

serialize_items! { Compound<'_, '_>:
    SerializeSeq SerializeTuple => serialize_element;
    SerializeTupleStruct => serialize_field;
}
serialize_fields! {
    Compound<'_, '_>: SerializeStruct, end => finish_record, skip_field => skip_position
}

/// The content of a variant, in a map of one entry under the variant's name.
pub struct VariantContent<'s, 'o> {
    content: Compound<'s, 'o>,
    variant: &'static str,
}

impl VariantContent<'_, '_> {
    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.content.item(value).map_err(|error| error.under_key(self.variant))
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.content.field(name, value).map_err(|error| error.under_key(self.variant))
    }

    #[inline]
    fn skip_position(&mut self) {
        self.content.skip_position();
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.content.finish()
    }

    #[inline]
    fn finish_record(self) -> Result<()> {
        self.content.finish_record()
    }
}

serialize_items! { VariantContent<'_, '_>: SerializeTupleVariant => serialize_field; }
serialize_fields! {
    VariantContent<'_, '_>: SerializeStructVariant, end => finish_record, skip_field => skip_position
}

/// A map whose keys may be any values.
pub struct Entries<'s, 'o> {
    map: Compound<'s, 'o>,
    // The start of the last key in the output. The key is read back from there if its value fails.
    key: usize,
}

impl<'s, 'o> Entries<'s, 'o> {
    #[inline]
    fn begin(serializer: &'s mut Serializer<'o>, count: usize) -> Result<Self> {
        let map = Compound::begin(serializer, Container::Map, count)?;
        Ok(Entries { map, key: 0 })
    }

    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error) -> Error {
        let written = self.map.serializer.out.get(self.key..).unwrap_or_default();
        error.under_key(crate::msgpack::de::key_text(written))
    }
}

impl SerializeMap for Entries<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = self.map.serializer.out.len();
        self.map.written += 1;
        key.serialize(&mut *self.map.serializer)
    }
    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.map.serializer).map_err(|error| self.locate(error))
    }
    #[inline]
    fn end(self) -> Result<()> {
        self.map.finish_as(Container::Map)
    }
}

// Scalars, each in its shortest form.

#[inline]
fn write_unsigned(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=0x7f => out.push(value as u8),
        _ => wide_unsigned(out, value),
    }
}

#[inline(never)]
fn wide_unsigned(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=0xff => out.extend_from_slice(&[U8, value as u8]),
        0x100..=0xffff => put!(out, U16, value as u16, 2),
        0x1_0000..=0xffff_ffff => put!(out, U32, value as u32, 4),
        _ => put!(out, U64, value, 8),
    }
}

#[inline]
fn write_signed(out: &mut Vec<u8>, value: i64) {
    match value {
        -0x20..0x80 => out.push(value as u8),
        _ => wide_signed(out, value),
    }
}

#[inline(never)]
fn wide_signed(out: &mut Vec<u8>, value: i64) {
    match value {
        0.. => wide_unsigned(out, value.cast_unsigned()),
        -0x80.. => out.extend_from_slice(&[I8, value as u8]),
        -0x8000..-0x80 => put!(out, I16, value as i16, 2),
        -0x8000_0000..-0x8000 => put!(out, I32, value as i32, 4),
        _ => put!(out, I64, value, 8),
    }
}

/// Writes text known at compile time.
#[inline(always)]
fn write_name(out: &mut Vec<u8>, value: &'static str) -> Result<()> {
    let length = value.len();
    if length >= 32 {
        return write_str(out, value);
    }
    buffer::append_name(out, FIXSTR | length as u8, value);
    Ok(())
}

/// Writes the head of a small map and the name of its first entry, in one store like
/// [`write_name`].
#[inline(always)]
fn write_head_and_name(out: &mut Vec<u8>, count: usize, value: &'static str) -> Result<()> {
    let length = value.len();
    if count >= 16 || length >= 32 {
        Container::Map.head(out, count)?;
        return write_name(out, value);
    }
    let heads = [FIXMAP | count as u8, FIXSTR | length as u8];
    out.extend(heads.into_iter().chain(value.bytes()));
    Ok(())
}

/// Writes text of any length.
#[inline]
fn write_str(out: &mut Vec<u8>, value: &str) -> Result<()> {
    if value.len() < 32 {
        buffer::append_short(out, FIXSTR | value.len() as u8, value.as_bytes());
        return Ok(());
    }
    write_long_str(out, value)
}

#[inline(never)]
fn write_long_str(out: &mut Vec<u8>, value: &str) -> Result<()> {
    if value.len() < 256 {
        out.extend_from_slice(&[STR8, value.len() as u8]);
    } else {
        write_long_str_head(out, value.len())?;
    }
    out.extend_from_slice(value.as_bytes());
    Ok(())
}

#[inline(never)]
fn write_long_str_head(out: &mut Vec<u8>, length: usize) -> Result<()> {
    out.reserve(5 + length);
    match u16::try_from(length) {
        Ok(length) => put!(out, STR16, length, 2),
        Err(_) => put!(out, STR32, length32(length, "a string")?, 4),
    }
    Ok(())
}

fn write_bytes(out: &mut Vec<u8>, value: &[u8]) -> Result<()> {
    out.reserve(5 + value.len());
    match value.len() {
        length @ 0..=0xff => out.extend_from_slice(&[BIN8, length as u8]),
        length @ 0x100..=0xffff => put!(out, BIN16, length as u16, 2),
        length => put!(out, BIN32, length32(length, "bytes")?, 4),
    }
    out.extend_from_slice(value);
    Ok(())
}

fn write_extension(out: &mut Vec<u8>, kind: i8, content: &[u8]) -> Result<()> {
    let fixed = match content.len() {
        1 => FIXEXT1,
        2 => FIXEXT2,
        4 => FIXEXT4,
        8 => FIXEXT8,
        16 => FIXEXT16,
        _ => 0,
    };
    out.reserve(6 + content.len());
    match content.len() {
        _ if fixed != 0 => out.push(fixed),
        length @ 0..=0xff => out.extend_from_slice(&[EXT8, length as u8]),
        length @ 0x100..=0xffff => put!(out, EXT16, length as u16, 2),
        length => put!(out, EXT32, length32(length, "an extension")?, 4),
    }
    out.push(kind.cast_unsigned());
    out.extend_from_slice(content);
    Ok(())
}

/// The two containers, which only differ in their markers.
#[derive(Clone, Copy)]
enum Container {
    Array,
    Map,
}

impl Container {
    #[inline]
    fn fixed(self) -> u8 {
        match self {
            Container::Array => FIXARRAY,
            Container::Map => FIXMAP,
        }
    }

    /// Appends the head of a container of `count` items or entries.
    #[inline]
    fn head(self, out: &mut Vec<u8>, count: usize) -> Result<()> {
        if count < 16 {
            out.push(self.fixed() | count as u8);
            return Ok(());
        }
        self.long_head(out, count)
    }

    #[inline(never)]
    fn long_head(self, out: &mut Vec<u8>, count: usize) -> Result<()> {
        let (short, long, name) = match self {
            Container::Array => (ARRAY16, ARRAY32, "an array"),
            Container::Map => (MAP16, MAP32, "a map"),
        };
        match u16::try_from(count) {
            Ok(count) => put!(out, short, count, 2),
            Err(_) => put!(out, long, length32(count, name)?, 4),
        }
        Ok(())
    }

    /// Corrects a head that was written before the number of items was known.
    ///
    /// Most containers of unknown length are structs with `flatten` and stay below 16 entries,
    /// where the head is one byte either way. Otherwise the content moves up by two or four bytes.
    #[cold]
    #[inline(never)]
    fn fix_head(self, out: &mut Vec<u8>, start: usize, claimed: usize, count: usize) -> Result<()> {
        let mut head = Vec::with_capacity(5);
        self.head(&mut head, claimed)?;
        let old_end = start + head.len();
        head.clear();
        self.head(&mut head, count)?;
        out.splice(start..old_end, head);
        Ok(())
    }
}

/// Corrects the one-byte head of text that was written before its length was known.
fn fix_str_head(out: &mut Vec<u8>, start: usize) -> Result<()> {
    let length = out.len() - start - 1;
    match u8::try_from(length) {
        Ok(length @ 0..32) => out[start] = FIXSTR | length,
        Ok(length) => drop(out.splice(start..=start, [STR8, length])),
        Err(_) => {
            let mut head = Vec::with_capacity(5);
            write_long_str_head(&mut head, length)?;
            out.splice(start..=start, head);
        }
    }
    Ok(())
}

#[inline]
fn length32(length: usize, what: &str) -> Result<u32> {
    u32::try_from(length).map_err(|_| too_long(what, length))
}

#[cold]
#[inline(never)]
fn too_long(what: &str, length: usize) -> Error {
    Error::unsupported(format_args!(
        "MessagePack has lengths of 32 bits, so it cannot hold {what} of {length}"
    ))
}
