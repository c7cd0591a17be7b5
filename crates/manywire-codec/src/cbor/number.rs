//! Numbers of any size: integers and bignums, decimal fractions, and the decimal text of both.

use super::natural::Natural;
use crate::{Category, Error, Result};

/// How long a bignum may be, in bytes: 4,096 bits. Turning bytes into digits takes time with the
/// square of their number; at this length a mebibyte of bignums is read in 0.15 s.
pub(super) const BIGNUM_BYTES_MAX: usize = 512;

/// How many digits a number of [`BIGNUM_BYTES_MAX`] has: 4,096 times the logarithm of 2, rounded
/// up.
const DIGITS_MAX: usize = 1_234;

/// A whole number with its sign. Zero is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    pub(super) negative: bool,
    pub(super) magnitude: Natural,
}

impl Integer {
    /// From the two halves in which CBOR says it: -1 minus the argument if it is negative.
    pub(super) fn from_argument(negative: bool, argument: Natural) -> Self {
        let magnitude = if negative { argument.successor() } else { argument };
        Integer { negative, magnitude }
    }

    /// The argument that says it in CBOR.
    pub(super) fn into_argument(self) -> Natural {
        if self.negative { self.magnitude.predecessor() } else { self.magnitude }
    }

    /// The number as a machine integer, if it fits.
    pub(super) fn to_i64(&self) -> Option<i64> {
        let magnitude = self.magnitude.to_u128()?;
        match self.negative {
            true => 0_i64.checked_sub_unsigned(u64::try_from(magnitude).ok()?),
            false => i64::try_from(magnitude).ok(),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}", self.magnitude.to_digits())
    }
}

impl From<i128> for Integer {
    fn from(number: i128) -> Self {
        let magnitude = Natural::from_bytes(&number.unsigned_abs().to_be_bytes());
        Integer { negative: number < 0, magnitude }
    }
}

/// A number as JSON's grammar writes it, taken apart.
pub(super) enum Number {
    /// Without fraction and exponent.
    Integer(Integer),
    /// The mantissa times ten to the power of the exponent.
    Decimal { mantissa: Integer, exponent: i64 },
    /// No integer has a sign and no digits: -0, -0.0.
    NegativeZero,
}

/// Takes the text of a number apart.
///
/// # Errors
/// Text that is no number in JSON's grammar; more digits than a bignum of [`BIGNUM_BYTES_MAX`]
/// has; an exponent beyond 64 bits.
pub(super) fn parse(text: &str) -> Result<Number> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (significand, power) = match rest.split_once(['e', 'E']) {
        Some((significand, power)) => (significand, Some(power)),
        None => (rest, None),
    };
    let (whole, fraction) = match significand.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (significand, None),
    };
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if !is_digits(whole) || leading_zero || !fraction.is_none_or(is_digits) {
        return Err(no_number(text));
    }
    if whole.len() + fraction.map_or(0, str::len) > DIGITS_MAX {
        return Err(too_long());
    }
    let digits = whole.bytes().chain(fraction.unwrap_or_default().bytes());
    let magnitude = Natural::from_digits(digits);
    if negative && magnitude == Natural::from(0) {
        return Ok(Number::NegativeZero);
    }
    let mantissa = Integer { negative, magnitude };
    if fraction.is_none() && power.is_none() {
        return Ok(Number::Integer(mantissa));
    }
    let places = fraction.map_or(0, str::len) as i128;
    // Only what is left of it need be within CBOR's integers: it is written of all digits.
    let exponent = exponent(power, text)?.checked_sub(places);
    let exponent = exponent.and_then(|left| i64::try_from(left).ok());
    let exponent = exponent.ok_or_else(|| no_exponent(text))?;
    Ok(Number::Decimal { mantissa, exponent })
}

fn exponent(power: Option<&str>, text: &str) -> Result<i128> {
    let Some(power) = power else { return Ok(0) };
    if !is_digits(power.strip_prefix(['-', '+']).unwrap_or(power)) {
        return Err(no_number(text));
    }
    power.parse().map_err(|_| no_exponent(text))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text of a decimal fraction: the scientific string of decimal arithmetic, with a small `e`
/// and no plus. It always has a point or an exponent, so that it stays apart from an integer.
pub(super) fn decimal_text(mantissa: &Integer, exponent: i64) -> String {
    let sign = if mantissa.negative { "-" } else { "" };
    let digits = mantissa.magnitude.to_digits();
    // The exponent with the point after the first digit.
    let adjusted = i128::from(exponent) + digits.len() as i128 - 1;
    if exponent < 0 && adjusted >= -6 {
        let places = exponent.unsigned_abs() as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        return format!("{sign}{whole}.{fraction}");
    }
    match digits.split_at(1) {
        (first, "") => format!("{sign}{first}e{adjusted}"),
        (first, rest) => format!("{sign}{first}.{rest}e{adjusted}"),
    }
}

#[cold]
fn no_number(text: &str) -> Error {
    Error::new(Category::Unsupported, format_args!("{text:?} is no number in JSON's grammar"))
}

#[cold]
fn no_exponent(text: &str) -> Error {
    Error::new(Category::Unsupported, format_args!("CBOR has no place for the exponent of {text}"))
}

/// A number longer than a bignum may be.
#[cold]
pub(super) fn too_long() -> Error {
    Error::new(
        Category::Limit,
        format_args!("a number longer than the limit of {BIGNUM_BYTES_MAX} bytes"),
    )
}
