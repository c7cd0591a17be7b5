//! Numbers: the grammar of RFC 8259, section 6, and which value a text means.

use manywire_shape::Value;

use super::exact::{is_double, is_doubtful};
use super::fault;
use super::float;
use crate::core::error::Result;

/// A run of this many digits fits a `u64` whatever they are.
const DIGITS_MAX: usize = 19;

/// Reads the number that starts at `at` with a digit or a minus; returns it with its end. Where
/// it is to be `exact`, a fraction that is more than any double stays text.
#[inline(always)]
pub(super) fn read(text: &str, at: usize, exact: bool) -> Result<(Value<'_>, usize)> {
    let bytes = text.as_bytes();
    let negative = bytes.get(at) == Some(&b'-');
    let first = at + usize::from(negative);

    let (mantissa, end) = digits(bytes, first, 0);
    let count = end - first;
    if count == 0 {
        return Err(fault::expected(text, end, "a digit after the minus"));
    }
    if count > 1 && bytes.get(first) == Some(&b'0') {
        return Err(fault::leading_zero(first));
    }
    match bytes.get(end) {
        Some(b'.' | b'e' | b'E') => fraction(text, at, negative, mantissa, first, end, exact),
        _ => Ok((integer(text, at, end, negative, mantissa, count), end)),
    }
}

#[inline]
fn integer<'a>(
    text: &'a str,
    at: usize,
    end: usize,
    negative: bool,
    magnitude: u64,
    count: usize,
) -> Value<'a> {
    if count > DIGITS_MAX {
        return long_integer(&text[at..end]);
    }
    if !negative {
        return Value::from(magnitude);
    }
    if magnitude == 0 {
        return Value::F64(-0.0);
    }
    match 0i64.checked_sub_unsigned(magnitude) {
        Some(number) => Value::I64(number),
        None => Value::Number(&text[at..end]),
    }
}

/// Twenty digits may still fit a `u64`.
#[cold]
#[inline(never)]
fn long_integer(text: &str) -> Value<'_> {
    text.parse::<u64>().map_or(Value::Number(text), Value::from)
}

/// The rest of a number with a fraction or an exponent; `end` is where its integer part ends.
#[inline(always)]
fn fraction<'a>(
    text: &'a str,
    at: usize,
    negative: bool,
    mut mantissa: u64,
    first: usize,
    mut end: usize,
    exact: bool,
) -> Result<(Value<'a>, usize)> {
    let bytes = text.as_bytes();
    let mut count = end - first;
    let mut exponent = 0;
    if bytes.get(end) == Some(&b'.') {
        let start = end + 1;
        (mantissa, end) = digits(bytes, start, mantissa);
        if end == start {
            return Err(fault::expected(text, end, "a digit after the decimal point"));
        }
        count += end - start;
        exponent = -((end - start) as i64);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let written;
        (written, end) = power(text, end + 1)?;
        exponent += written;
    }
    if exact && is_doubtful(count, exponent) && !is_double(&text[at..end]) {
        return Ok((Value::Number(&text[at..end]), end));
    }
    if count <= DIGITS_MAX
        && let Some(number) = float::shortcut(mantissa, exponent)
    {
        return Ok((Value::F64(if negative { -number } else { number }), end));
    }
    Ok((long_fraction(&text[at..end]), end))
}

/// The text of a number is always in the grammar of `f64::from_str`, which rounds correctly and
/// gives infinity beyond the range.
#[cold]
#[inline(never)]
fn long_fraction(text: &str) -> Value<'_> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Value::F64(number),
        _ => Value::Number(text),
    }
}

/// The exponent that starts at `at` after its letter, with its end. Beyond a billion it is only
/// known to be that large, which no sum with a count of digits brings back into range.
#[inline(never)]
fn power(text: &str, at: usize) -> Result<(i64, usize)> {
    let bytes = text.as_bytes();
    let negative = bytes.get(at) == Some(&b'-');
    let start = at + usize::from(matches!(bytes.get(at), Some(b'-' | b'+')));
    let mut magnitude: i64 = 0;
    let mut end = start;
    while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
        magnitude = (magnitude * 10 + i64::from(digit - b'0')).min(1 << 40);
        end += 1;
    }
    if end == start {
        return Err(fault::expected(text, end, "a digit in the exponent"));
    }
    Ok((if negative { -magnitude } else { magnitude }, end))
}

/// Appends the digits from `at` on to a number, and says where they end. The number is only right
/// if no more than [`DIGITS_MAX`] digits went into it.
#[inline]
fn digits(bytes: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        // '0' to '9' become 0 to 9, and everything else more than that: the high bit of each
        // byte above 9, and perhaps of bytes behind one, which are not looked at.
        let word = u64::from_le_bytes(*chunk) ^ (ONES * 0x30);
        let others = (word.wrapping_add(ONES * 0x76) | word) & (ONES * 0x80);
        if others != 0 {
            let count = others.trailing_zeros() / 8;
            if count > 0 {
                // Moved up, so that zeros stand before the digits.
                let digits = eight(word << (64 - 8 * count));
                number = number.wrapping_mul(TENS[count as usize]).wrapping_add(digits);
            }
            return (number, at + count as usize);
        }
        number = number.wrapping_mul(TENS[8]).wrapping_add(eight(word));
        at += 8;
    }
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    (number, at)
}

const ONES: u64 = u64::MAX / 0xFF;

const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number whose eight digits are the bytes of a word, the least significant byte the first
/// digit. Neighbours are joined within the word: digits to pairs, pairs to fours, fours to eight.
#[inline]
fn eight(digits: u64) -> u64 {
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF
}

/// Whether a text is a number by the grammar, from its first character to its last.
pub(super) fn is_number(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9'))
        && read(text, 0, false).is_ok_and(|(_, end)| end == text.len())
}
