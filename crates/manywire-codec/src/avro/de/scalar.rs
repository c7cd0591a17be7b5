//! Types that have no counterpart in serde, and timestamps.

use manywire_shape::extension::Kind;
use serde::de::Visitor;

use super::{Decoder, Place};
use crate::avro::plan::Slot;
use crate::avro::wire::{read_bytes, read_long};
use crate::core::error::{Category, Error, Result};
use crate::core::extension as triple;

impl<'de> Decoder<'de> {
    /// Reads seconds and nanoseconds.
    pub(super) fn timestamp(&mut self) -> Result<(i64, u32)> {
        let seconds = read_long(&mut self.reader, "seconds")?;
        let start = self.offset();
        let nanoseconds = read_long(&mut self.reader, "nanoseconds")?;
        match u32::try_from(nanoseconds) {
            Ok(nanoseconds @ ..=999_999_999) => Ok((seconds, nanoseconds)),
            _ => Err(Error::at(
                Category::Syntax,
                start,
                format_args!("{nanoseconds} nanoseconds are not within a second"),
            )),
        }
    }

    /// Reads whose an extension is, and its code.
    pub(super) fn extension_head(&mut self) -> Result<(Kind, u64)> {
        const KINDS: [Kind; 4] = [Kind::MessagePack, Kind::CborTag, Kind::CborSimple, Kind::Bson];
        let kind = KINDS[self.index(KINDS.len(), "a space")?];
        Ok((kind, read_long(&mut self.reader, "a code")?.cast_unsigned()))
    }
}

impl<'de> Place<'_, 'de> {
    pub(super) fn timestamp<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (seconds, nanoseconds) = self.decoder.timestamp()?;
        triple::visit(visitor, Kind::Timestamp, nanoseconds.into(), triple::seconds(seconds))
    }

    pub(super) fn extension<V: Visitor<'de>>(self, slot: Slot, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        decoder.enter()?;
        let (kind, code) = decoder.extension_head()?;
        let op = decoder.plan.op(slot);
        let value = triple::visit(visitor, kind, code, Place { decoder, op })?;
        decoder.leave();
        Ok(value)
    }

    /// A number beyond 64 bits: an integer if it is one that serde has a type for.
    pub(super) fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        let text = self.decoder.text()?;
        if let Ok(value) = text.parse::<i128>() {
            return visit_integer(value, visitor);
        }
        if let Ok(value) = text.parse::<u128>() {
            return visitor.visit_u128(value);
        }
        if !is_number(text) {
            return Err(Error::at(Category::Syntax, start, format_args!("`{text}` is no number")));
        }
        triple::visit(visitor, Kind::Number, 0, triple::number(text))
    }

    /// A decimal of scale 0: two's complement, big-endian.
    pub(super) fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
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

/// Gives an integer in the narrowest type that serde visits with.
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
    Error::at(Category::Data, offset, "the decimal does not fit 128 bits")
}

/// Whether text is a number in JSON's grammar (RFC 8259, section 6).
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
