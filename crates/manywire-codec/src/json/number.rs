//! Numbers: the grammar of RFC 8259, section 6, and which value a text means.

use manywire_shape::Value;

use super::error;
use crate::core::error::Result;

/// A run of this many digits fits a `u64` whatever they are.
const U64_DIGITS_MAX: usize = 19;

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
            return Err(error::expected(text, end, "a digit after the decimal point"));
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
    if count <= U64_DIGITS_MAX
        && let Some(number) = fast_f64(mantissa, exponent)
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
        return Err(error::expected(text, end, "a digit in the exponent"));
    }
    Ok((if negative { -magnitude } else { magnitude }, end))
}

/// Appends the digits from `at` on to a number, and says where they end. The number is only right
/// if no more than [`U64_DIGITS_MAX`] digits went into it.
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
                number = number.wrapping_mul(U64_TENS[count as usize]).wrapping_add(digits);
            }
            return (number, at + count as usize);
        }
        number = number.wrapping_mul(U64_TENS[8]).wrapping_add(eight(word));
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

// Decimal to double, exactly rounded, for the numbers that documents are full of.
//
// Two shortcuts, each exact or silent; what they leave goes to the standard library. A mantissa
// of at most 53 bits and a power of ten that a double holds need one correctly rounded operation
// (Clinger 1990). A longer mantissa over a power of ten up to 10^27 is multiplied by the
// reciprocal of the power of five to 128 bits, and the result stands unless the true quotient
// could lie on the other side of a rounding boundary (after Lemire 2021).

/// Powers of ten that a double holds exactly.
const F64_TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The powers of five below 2^64 are those up to 27.
const FIVES: usize = 28;

/// `(bits, floor(2^(127 + bits) / 5^k))` for each `k`, where `bits` is the length of `5^k`: the
/// reciprocal has its highest bit set.
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

/// `mantissa * 10^exponent`, correctly rounded, or nothing where only a longer way can tell.
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

/// `mantissa / 10^k` for a mantissa other than 0.
#[inline]
fn quotient(mantissa: u64, k: usize) -> Option<f64> {
    let (bits, reciprocal) = *RECIPROCALS.get(k)?;
    let shift = mantissa.leading_zeros();
    let mantissa = u128::from(mantissa << shift);

    // The upper 128 bits of the 192-bit product. Dropping the lower 64 takes less than one off,
    // and so does the remainder that the reciprocal lacks: the true quotient is less than two
    // above `product`, never below it. With its highest bit in place, less than four.
    let high = mantissa * (reciprocal >> 64);
    let low = mantissa * (reciprocal & u128::from(u64::MAX));
    let product = high + (low >> 64);
    let lacking = (product >> 127 == 0) as u32;
    let product = product << lacking;

    // 53 bits are kept; the highest bit of the 75 dropped is worth half of the last one kept.
    let (kept, dropped) = ((product >> 75) as u64, product & ((1 << 75) - 1));
    let half = 1 << 74;
    // Here the true quotient may be below, at or above the boundary.
    if dropped <= half && half - dropped < 4 {
        return None;
    }
    let kept = kept + u64::from(dropped > half);

    // mantissa / 10^k = kept * 2^exponent. The highest of the bits kept is implied in a double,
    // so adding it counts the exponent up by one; rounding up to 2^53 does so once more.
    let exponent = 75 + 64 - 127 - bits as i32 - shift as i32 - lacking as i32 - k as i32;
    Some(f64::from_bits((((exponent + 1074) as u64) << 52) + kept))
}

// Whether a double says all that a decimal text said.

/// Decimals of at most this many digits come back from a double of the normal range as they were.
const DIGITS_SAFE: usize = 15;

/// Below this power of ten of the last digit, doubles may be subnormal and hold fewer digits.
const EXPONENT_SAFE: i64 = -300;

/// No double has more significant digits than this in its exact expansion (it is 767).
const EXACT_DIGITS_MAX: usize = 800;

/// Whether a decimal of so many digits and this exponent might lose some of them.
#[inline]
pub(super) fn is_doubtful(digits: usize, exponent: i64) -> bool {
    digits > DIGITS_SAFE || exponent < EXPONENT_SAFE
}

/// Whether the double nearest to a number gives all its digits back: its shortest text, or itself
/// rounded to as many digits as the text has, is the text again. So `-65.613616999999977` is a double although a shorter
/// text would do, and `0.1234567890123456789` is more than one.
#[cold]
#[inline(never)]
pub(super) fn is_double(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    let significant = significant_digits(text);
    if significant.is_empty() {
        return true;
    }
    if !number.is_finite() || number == 0.0 || significant.len() > EXACT_DIGITS_MAX {
        return false;
    }
    // The shortest text of a double need not be the nearest of its length, where two are as near.
    significant_digits(&format!("{number:e}")) == significant
        || significant_digits(&format!("{:.*e}", significant.len() - 1, number)) == significant
}

/// The digits from the first to the last that is not zero, without sign, point and exponent.
fn significant_digits(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_a_double_gives_back() {
        for text in [
            "0.1",
            "-65.613616999999977",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "4.9e-324",
            "0.1000000000000000055511151231257827",
            "0.0000000000000000000000",
            "1.5000000000000000000000000000",
            "9007199254740992.0",
            "2.2250738585072014E-308",
            "5.960464477539063e-8",
        ] {
            assert!(is_double(text), "{text}");
        }
        for text in [
            "0.1234567890123456789",
            "9007199254740993.0",
            "1e-400",
            "1.2345678e-320",
            "1e400",
            "0.1000000000000000055511151231257828",
            "3.14159265358979323846264338327950288",
        ] {
            assert!(!is_double(text), "{text}");
        }
        assert!(!is_double(&format!("0.{}", "1".repeat(100_000))));
    }
}
