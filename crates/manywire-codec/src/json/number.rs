//! Numbers: the grammar of RFC 8259, section 6, and the value of a number's text.

use manywire_shape::Value;
use manywire_shape::fidelity::is_exact_double;

use super::error;
use crate::core::error::Result;

/// The number of digits that always fit a `u64`.
const U64_DIGITS_MAX: usize = 19;

/// Reads the number that starts at `at` with a digit or a minus, and returns it with its end. If
/// `exact` is set, a fraction that is not [exact](is_exact_double) as a double stays text.
#[inline(always)]
pub(super) fn read(text: &str, at: usize, exact: bool) -> Result<(Value<'_>, usize)> {
    let bytes = text.as_bytes();
    let negative = bytes.get(at) == Some(&b'-');
    let first = at + usize::from(negative);

    let (mantissa, end) = digits(bytes, first, 0);
    let count = end - first;
    if count == 0 {
        return Err(error::expected(text, end, "a digit after the minus"));
    }
    if count > 1 && bytes.get(first) == Some(&b'0') {
        return Err(error::leading_zero(first));
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
    if count > U64_DIGITS_MAX {
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

/// Reads an integer of more than 19 digits. Twenty digits may still fit a `u64`.
#[cold]
#[inline(never)]
fn long_integer(text: &str) -> Value<'_> {
    text.parse::<u64>().map_or(Value::Number(text), Value::from)
}

/// Reads the rest of a number with a fraction or an exponent. `end` is the end of its integer part.
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
            return Err(error::expected(text, end, "a digit after the decimal point"));
        }
        count += end - start;
        exponent = -((end - start) as i64);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let written;
        (written, end) = read_exponent(text, end + 1)?;
        exponent += written;
    }
    if exact && is_doubtful(count, exponent) && !is_exact_double(&text[at..end]) {
        return Ok((Value::Number(&text[at..end]), end));
    }
    if count <= U64_DIGITS_MAX
        && let Some(number) = fast_f64(mantissa, exponent)
    {
        return Ok((Value::F64(if negative { -number } else { number }), end));
    }
    Ok((long_fraction(&text[at..end]), end))
}

/// Converts by `f64::from_str`, which accepts the text of every JSON number, rounds correctly and
/// returns infinity beyond the range.
#[cold]
#[inline(never)]
fn long_fraction(text: &str) -> Value<'_> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Value::F64(number),
        _ => Value::Number(text),
    }
}

/// Reads the exponent that starts at `at` after its letter, and returns it with its end. The
/// exponent is cut off at 2^40: adding a digit count never brings such an exponent back into range.
#[inline(never)]
fn read_exponent(text: &str, at: usize) -> Result<(i64, usize)> {
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
        return Err(error::expected(text, end, "a digit in the exponent"));
    }
    Ok((if negative { -magnitude } else { magnitude }, end))
}

/// Appends the digits from `at` on to `number`, and returns it with the end of the digits. The
/// number is only correct for at most [`U64_DIGITS_MAX`] digits.
#[inline]
fn digits(bytes: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        // Maps '0' to '9' to 0 to 9 and everything else to more than 9. This sets the high bit of
        // each byte above 9, and perhaps of bytes after the first such byte, which are not
        // examined.
        let word = u64::from_le_bytes(*chunk) ^ (ONES * 0x30);
        let others = (word.wrapping_add(ONES * 0x76) | word) & (ONES * 0x80);
        if others != 0 {
            let count = others.trailing_zeros() / 8;
            if count > 0 {
                // Shifted so that zeros precede the digits.
                let digits = parse_eight_digits(word << (64 - 8 * count));
                number = number.wrapping_mul(U64_TENS[count as usize]).wrapping_add(digits);
            }
            return (number, at + count as usize);
        }
        number = number.wrapping_mul(U64_TENS[8]).wrapping_add(parse_eight_digits(word));
        at += 8;
    }
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    (number, at)
}

const ONES: u64 = u64::MAX / 0xFF;

const U64_TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Returns the number whose eight digits are the bytes of a word, the least significant byte first.
/// Adjacent digits are combined within the word: into pairs, fours, then eight.
#[inline]
fn parse_eight_digits(digits: u64) -> u64 {
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF
}

/// Checks whether the whole text is a number by the grammar.
pub(super) fn is_number(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9'))
        && read(text, 0, false).is_ok_and(|(_, end)| end == text.len())
}

// Decimal to double, correctly rounded, for the numbers that are common in documents.
//
// There are two fast paths, each exact or without a result; the standard library handles the rest.
// A mantissa of at most 53 bits and a power of ten that a double holds need one correctly rounded
// operation (Clinger 1990). A longer mantissa over a power of ten up to 10^27 is multiplied by the
// reciprocal of the power of five to 128 bits. The result is valid unless the true quotient could
// lie on the other side of a rounding boundary (after Lemire 2021).

/// Powers of ten that a double holds exactly.
const F64_TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The number of powers of five below 2^64: exponents 0 to 27.
const FIVES: usize = 28;

/// `(bits, floor(2^(127 + bits) / 5^k))` for each `k`, where `bits` is the length of `5^k`, so that
/// the highest bit of the reciprocal is set.
const RECIPROCALS: [(u32, u128); FIVES] = reciprocals();

const fn reciprocals() -> [(u32, u128); FIVES] {
    let mut table = [(1, 1 << 127); FIVES];
    let mut five: u128 = 5;
    let mut k = 1;
    while k < FIVES {
        let bits = 128 - five.leading_zeros();
        // Long division of 2^(127 + bits) in two digits of 64 bits: 2^(63 + bits) fits a u128.
        let numerator = 1u128 << (63 + bits);
        let high = numerator / five;
        let low = ((numerator % five) << 64) / five;
        table[k] = (bits, (high << 64) + low);
        five *= 5;
        k += 1;
    }
    table
}

/// Returns `mantissa * 10^exponent`, correctly rounded, or `None` if only a slower algorithm can
/// decide.
#[inline]
pub(super) fn fast_f64(mantissa: u64, exponent: i64) -> Option<f64> {
    if mantissa <= 1 << 53 {
        if let Some(ten) = F64_TENS.get(exponent.unsigned_abs() as usize) {
            let mantissa = mantissa as f64;
            return Some(if exponent < 0 { mantissa / ten } else { mantissa * ten });
        }
        if mantissa == 0 {
            return Some(0.0);
        }
    }
    if exponent < 0 { quotient(mantissa, exponent.unsigned_abs() as usize) } else { None }
}

/// Returns `mantissa / 10^k` for a mantissa other than 0.
#[inline]
fn quotient(mantissa: u64, k: usize) -> Option<f64> {
    let (bits, reciprocal) = *RECIPROCALS.get(k)?;
    let shift = mantissa.leading_zeros();
    let mantissa = u128::from(mantissa << shift);

    // The upper 128 bits of the 192-bit product. Dropping the lower 64 bits loses less than one,
    // and so does the remainder that the reciprocal lacks. The true quotient is therefore less than
    // two above `product` and never below it; with its highest bit in place, less than four.
    let high = mantissa * (reciprocal >> 64);
    let low = mantissa * (reciprocal & u128::from(u64::MAX));
    let product = high + (low >> 64);
    let lacking = (product >> 127 == 0) as u32;
    let product = product << lacking;

    // 53 bits are kept. The highest of the 75 dropped bits is worth half of the last kept bit.
    let (kept, dropped) = ((product >> 75) as u64, product & ((1 << 75) - 1));
    let half = 1 << 74;
    // The true quotient may be below, at or above the boundary.
    if dropped <= half && half - dropped < 4 {
        return None;
    }
    let kept = kept + u64::from(dropped > half);

    // mantissa / 10^k = kept * 2^exponent. A double implies the highest kept bit, so adding that
    // bit increments the exponent; rounding up to 2^53 increments it once more.
    let exponent = 75 + 64 - 127 - bits as i32 - shift as i32 - lacking as i32 - k as i32;
    Some(f64::from_bits((((exponent + 1074) as u64) << 52) + kept))
}

// Checks whether a double represents a decimal text without loss.

/// The number of digits that always survive a double of the normal range.
const DIGITS_SAFE: usize = 15;

/// The power of ten of the last digit below which doubles may be subnormal and hold fewer digits.
const EXPONENT_SAFE: i64 = -300;

/// Checks whether a decimal with this many digits and this exponent might lose digits in a double.
#[inline]
pub(super) fn is_doubtful(digits: usize, exponent: i64) -> bool {
    digits > DIGITS_SAFE || exponent < EXPONENT_SAFE
}
