//! Values to bytes, each in its shortest form.

use crate::core::copy;
use crate::msgpack::marker::*;
use crate::{Category, Error, Result};

/// Appends a marker and a big-endian number in one store, with one check of the capacity.
macro_rules! put {
    ($out:expr, $marker:expr, $number:expr, $bytes:literal) => {{
        let mut whole = [$marker; 1 + $bytes];
        whole[1..].copy_from_slice(&$number.to_be_bytes());
        $out.extend_from_slice(&whole);
    }};
}

#[inline]
pub(super) fn nil(out: &mut Vec<u8>) {
    out.push(NIL);
}

#[inline]
pub(super) fn boolean(out: &mut Vec<u8>, value: bool) {
    out.push(if value { TRUE } else { FALSE });
}

#[inline]
pub(super) fn unsigned(out: &mut Vec<u8>, value: u64) {
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
pub(super) fn signed(out: &mut Vec<u8>, value: i64) {
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

#[inline]
pub(super) fn float32(out: &mut Vec<u8>, value: f32) {
    put!(out, F32, value, 4);
}

#[inline]
pub(super) fn float64(out: &mut Vec<u8>, value: f64) {
    put!(out, F64, value, 8);
}

/// Text that is known when the program is compiled.
#[inline(always)]
pub(super) fn name(out: &mut Vec<u8>, value: &'static str) -> Result<()> {
    let length = value.len();
    if length >= 32 {
        return text(out, value);
    }
    copy::append_name(out, FIXSTR | length as u8, value);
    Ok(())
}

/// The head of a small map and the name of its first entry, in one store as [`name`] is.
#[inline(always)]
pub(super) fn head_and_name(out: &mut Vec<u8>, count: usize, value: &'static str) -> Result<()> {
    let length = value.len();
    if count >= 16 || length >= 32 {
        Container::Map.head(out, count)?;
        return name(out, value);
    }
    let heads = [FIXMAP | count as u8, FIXSTR | length as u8];
    out.extend(heads.into_iter().chain(value.bytes()));
    Ok(())
}

/// Text of any length.
#[inline]
pub(super) fn text(out: &mut Vec<u8>, value: &str) -> Result<()> {
    if value.len() < 32 {
        copy::append_short(out, FIXSTR | value.len() as u8, value.as_bytes());
        return Ok(());
    }
    long_text(out, value)
}

#[inline(never)]
fn long_text(out: &mut Vec<u8>, value: &str) -> Result<()> {
    if value.len() < 256 {
        out.extend_from_slice(&[STR8, value.len() as u8]);
    } else {
        long_text_head(out, value.len())?;
    }
    out.extend_from_slice(value.as_bytes());
    Ok(())
}

#[inline(never)]
fn long_text_head(out: &mut Vec<u8>, length: usize) -> Result<()> {
    out.reserve(5 + length);
    match u16::try_from(length) {
        Ok(length) => put!(out, STR16, length, 2),
        Err(_) => put!(out, STR32, length32(length, "a string")?, 4),
    }
    Ok(())
}

pub(super) fn bytes(out: &mut Vec<u8>, value: &[u8]) -> Result<()> {
    out.reserve(5 + value.len());
    match value.len() {
        length @ 0..=0xff => out.extend_from_slice(&[BIN8, length as u8]),
        length @ 0x100..=0xffff => put!(out, BIN16, length as u16, 2),
        length => put!(out, BIN32, length32(length, "bytes")?, 4),
    }
    out.extend_from_slice(value);
    Ok(())
}

pub(super) fn extension(out: &mut Vec<u8>, kind: i8, content: &[u8]) -> Result<()> {
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

/// The two containers, which differ in their markers alone.
#[derive(Clone, Copy)]
pub(super) enum Container {
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
    pub(super) fn head(self, out: &mut Vec<u8>, count: usize) -> Result<()> {
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

    /// Corrects a head that was written before the number was known.
    ///
    /// Most containers of unknown length are structs with `flatten` and stay below 16 entries:
    /// there the head is one byte either way. Otherwise the content moves up by two or four bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn correct(
        self,
        out: &mut Vec<u8>,
        start: usize,
        claimed: usize,
        count: usize,
    ) -> Result<()> {
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
pub(super) fn correct_text(out: &mut Vec<u8>, start: usize) -> Result<()> {
    let length = out.len() - start - 1;
    match u8::try_from(length) {
        Ok(length @ 0..32) => out[start] = FIXSTR | length,
        Ok(length) => drop(out.splice(start..=start, [STR8, length])),
        Err(_) => {
            let mut head = Vec::with_capacity(5);
            long_text_head(&mut head, length)?;
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
    Error::new(
        Category::Unsupported,
        format_args!("MessagePack has lengths of 32 bits, so it cannot hold {what} of {length}"),
    )
}
