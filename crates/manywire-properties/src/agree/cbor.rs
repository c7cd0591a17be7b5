//! CBOR: the tags that the codec reads as a special value, by the documentation of
//! `manywire_codec::cbor`.

use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Timestamp, Value};

use super::self_describing::{ExpectedValue, check, container};
use crate::span_tree::{Content, WalkedValue};
use crate::target::CheckResult;

pub(crate) fn cbor(bytes: &[u8]) -> CheckResult {
    check(&Cbor, bytes)
}

struct Cbor;

/// The maximum length of a bignum; the codec refuses longer ones.
const BIGNUM_BYTES_MAX: usize = 512;

impl ExpectedValue for Cbor {
    const FORMAT: Format = Format::Cbor;

    fn value<'a>(&self, raw: &WalkedValue<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        let Some((tag, inner)) = untagged(raw) else { return self.plain(raw, bytes, arena) };
        self.tagged(tag, &inner, arena).unwrap_or_else(|| {
            let content = self.value(&inner, bytes, arena);
            ext(Space::CborTag, tag, content, arena)
        })
    }

    fn meets_other_limit(&self, raw: &WalkedValue<'_>) -> bool {
        let long = raw.tags.iter().any(|tag| matches!(tag, 2 | 3))
            && byte_string(&WalkedValue { tags: &[], ..*raw })
                .is_some_and(|b| b.len() > BIGNUM_BYTES_MAX);
        long || match raw.content {
            Content::Items(items) => items.iter().any(|item| self.meets_other_limit(item)),
            Content::Leaf(_) => false,
        }
    }
}

impl Cbor {
    fn plain<'a>(&self, raw: &WalkedValue<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        match (raw.content, raw.code) {
            (Content::Items(_), 0x5f) => {
                let content = byte_string(raw).unwrap_or_default();
                Value::Bytes(arena.alloc_slice_copy(&content))
            }
            (Content::Items(items), 0x7f) => {
                let text: String = items.iter().filter_map(text).collect();
                Value::Str(arena.alloc_str(&text))
            }
            (Content::Items(items), code) => {
                container(items, code >> 5 == 5, arena, |item| self.value(item, bytes, arena))
            }
            // The simple value 23 means undefined.
            (Content::Leaf(_), 0xf7) => ext(Space::CborSimple, 23, Value::Null, arena),
            (Content::Leaf(Value::I64(code)), 0xe0..=0xf3 | 0xf8) => {
                ext(Space::CborSimple, code.cast_unsigned(), Value::Null, arena)
            }
            (Content::Leaf(value), _) => value,
        }
    }

    /// Returns the value of a tag and its content, or `None` if the codec keeps the tag as an
    /// extension.
    fn tagged<'a>(&self, tag: u64, inner: &WalkedValue<'a>, arena: &'a Arena) -> Option<Value<'a>> {
        match tag {
            1 => Some(Value::Timestamp(Timestamp::new(integer(inner)?, 0)?)),
            2 | 3 => {
                let content = byte_string(inner)?;
                let text = bignum_text(tag == 3, &content);
                Some(match (text.parse::<i64>(), text.parse::<u64>()) {
                    (Ok(number), _) => Value::I64(number),
                    (_, Ok(number)) => Value::U64(number),
                    _ => Value::Number(arena.alloc_str(&text)),
                })
            }
            4 => {
                let (Content::Items([exponent, mantissa]), 4) = (inner.content, major(inner)?)
                else {
                    return None;
                };
                let exponent = integer(exponent)?;
                let text = decimal(&integer_text(mantissa)?, exponent);
                Some(Value::Number(arena.alloc_str(&text)))
            }
            1001 => extended_time(inner),
            _ => None,
        }
    }
}

/// Splits a value into its outermost tag and the tagged value.
fn untagged<'a>(raw: &WalkedValue<'a>) -> Option<(u64, WalkedValue<'a>)> {
    let (tag, tags) = raw.tags.split_first()?;
    Some((*tag, WalkedValue { tags, ..*raw }))
}

fn ext<'a>(space: Space, code: u64, content: Value<'a>, arena: &'a Arena) -> Value<'a> {
    Value::Ext(arena.alloc(Ext { space, code, content }))
}

/// Returns the major type of a value, or `None` for a value with tags.
fn major(raw: &WalkedValue<'_>) -> Option<u8> {
    raw.tags.is_empty().then_some(raw.code >> 5)
}

/// Returns the content of a byte string, whole or in chunks.
fn byte_string(raw: &WalkedValue<'_>) -> Option<Vec<u8>> {
    let chunk = |raw: &WalkedValue<'_>| match raw.content {
        Content::Leaf(Value::Bytes(bytes)) => bytes.to_vec(),
        _ => Vec::new(),
    };
    match (major(raw)?, raw.content) {
        (2, Content::Items(items)) => Some(items.iter().flat_map(chunk).collect()),
        (2, Content::Leaf(_)) => Some(chunk(raw)),
        _ => None,
    }
}

fn text<'a>(raw: &WalkedValue<'a>) -> Option<&'a str> {
    match raw.content {
        Content::Leaf(Value::Str(text)) => Some(text),
        _ => None,
    }
}

/// Returns the text of an integer of major type 0 or 1.
fn integer_item_text(raw: &WalkedValue<'_>) -> Option<String> {
    match (major(raw)?, raw.content) {
        (0 | 1, Content::Leaf(Value::I64(number))) => Some(number.to_string()),
        (0 | 1, Content::Leaf(Value::U64(number))) => Some(number.to_string()),
        (0 | 1, Content::Leaf(Value::Number(text))) => Some(text.to_owned()),
        _ => None,
    }
}

/// Returns the text of an integer or a bignum.
fn integer_text(raw: &WalkedValue<'_>) -> Option<String> {
    match untagged(raw) {
        Some((tag @ (2 | 3), inner)) => Some(bignum_text(tag == 3, &byte_string(&inner)?)),
        Some(_) => None,
        None => integer_item_text(raw),
    }
}

fn integer(raw: &WalkedValue<'_>) -> Option<i64> {
    integer_text(raw)?.parse().ok()
}

/// Returns the text of a bignum (RFC 8949, section 3.4.3): the number, or -1 minus the number if
/// `negative` is true.
fn bignum_text(negative: bool, content: &[u8]) -> String {
    match negative {
        false => digits(content),
        true => format!("-{}", digits(&successor(content))),
    }
}

/// Returns the scientific string of decimal arithmetic with a lowercase e, without a plus, and
/// always with a point or an exponent.
fn decimal(mantissa: &str, exponent: i64) -> String {
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", mantissa),
    };
    let adjusted = i128::from(exponent) + digits.len() as i128 - 1;
    if exponent < 0 && adjusted >= -6 {
        let places = exponent.unsigned_abs() as usize;
        let zeros = "0".repeat((places + 1).saturating_sub(digits.len()));
        let digits = zeros + digits;
        let point = digits.len() - places;
        return format!("{sign}{}.{}", &digits[..point], &digits[point..]);
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e{adjusted}")
}

/// Reads an extended time (RFC 9581, section 3) as far as the codec does: whole seconds and at most
/// one fraction.
fn extended_time<'a>(raw: &WalkedValue<'a>) -> Option<Value<'a>> {
    let Content::Items(items) = raw.content else { return None };
    if major(raw)? != 5 || items.len() > 4 {
        return None;
    }
    let (mut whole, mut fraction) = (None, None);
    for entry in items.chunks_exact(2) {
        let (key, value) = (integer(&entry[0])?, integer(&entry[1])?);
        let slot = if key == 1 { &mut whole } else { &mut fraction };
        let nanoseconds_each = match key {
            1 => 0,
            -3 => 1_000_000,
            -6 => 1_000,
            -9 => 1,
            _ => return None,
        };
        let in_range = key == 1 || (0..1_000_000_000 / nanoseconds_each).contains(&value);
        if slot.is_some() || !in_range {
            return None;
        }
        *slot = Some(if key == 1 { value } else { value * nanoseconds_each });
    }
    let nanoseconds = u32::try_from(fraction.unwrap_or(0)).ok()?;
    Some(Value::Timestamp(Timestamp::new(whole?, nanoseconds)?))
}

/// Returns the decimal digits of a natural number of any length, most significant byte first. Long
/// division is slow and easy to verify.
fn digits(bytes: &[u8]) -> String {
    let mut number: Vec<u8> = bytes.to_vec();
    let mut groups = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut remainder = 0_u32;
        for byte in &mut number {
            let part = remainder << 8 | u32::from(*byte);
            *byte = (part / 10_000) as u8;
            remainder = part % 10_000;
        }
        groups.push(remainder);
    }
    let Some(first) = groups.pop() else { return "0".to_owned() };
    let rest = groups.iter().rev().map(|group| format!("{group:04}"));
    first.to_string() + &rest.collect::<String>()
}

/// Returns the number plus one, the magnitude of -1 minus the number.
fn successor(bytes: &[u8]) -> Vec<u8> {
    let mut number = [&[0], bytes].concat();
    for byte in number.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::{digits, successor};

    #[test]
    fn writes_long_numbers() {
        assert_eq!(digits(&[]), "0");
        assert_eq!(digits(&[0, 0]), "0");
        assert_eq!(digits(&[0x27, 0x10]), "10000");
        assert_eq!(digits(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), "18446744073709551616");
        assert_eq!(digits(&successor(&[0xff; 16])), "340282366920938463463374607431768211456");
    }
}
