//! Numbers of any size: integers and bignums, decimal fractions, and their decimal text.

use crate::{Category, Error, Result};

/// The maximum length of a bignum, in bytes: 4,096 bits. Converting bytes to digits takes time with
/// the square of their number; at this length a mebibyte of bignums is read in 0.15 s.
pub(super) const BIGNUM_BYTES_MAX: usize = 512;

/// The number of digits of a number with [`BIGNUM_BYTES_MAX`] bytes: 4,096 times the logarithm of
/// 2, rounded up.
const DIGITS_MAX: usize = 1_234;

/// An integer with its sign. Zero is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    pub(super) negative: bool,
    pub(super) magnitude: Natural,
}

impl Integer {
    /// Converts from CBOR's sign and argument. A negative integer is -1 minus the argument.
    pub(super) fn from_argument(negative: bool, argument: Natural) -> Self {
        let magnitude = if negative { argument.successor() } else { argument };
        Integer { negative, magnitude }
    }

    /// Returns the argument that represents the integer in CBOR.
    pub(super) fn into_argument(self) -> Natural {
        if self.negative { self.magnitude.predecessor() } else { self.magnitude }
    }

    /// Returns the integer as an `i64`, if it fits.
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

/// A number in JSON's grammar, parsed.
pub(super) enum Number {
    /// A number without fraction and exponent.
    Integer(Integer),
    /// The mantissa times ten to the power of the exponent.
    Decimal { mantissa: Integer, exponent: i64 },
    /// -0 or -0.0, which no integer represents.
    NegativeZero,
}

/// Parses the text of a number.
///
/// # Errors
/// Fails for text that is not a number in JSON's grammar, for more digits than a bignum of
/// [`BIGNUM_BYTES_MAX`] has, and for an exponent beyond 64 bits.
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
    // Only the resulting exponent must fit CBOR's integers, because all digits are in the mantissa.
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

/// Returns the text of a decimal fraction: the scientific string of decimal arithmetic, with a
/// lowercase `e` and no plus. It always has a point or an exponent, so it is distinct from an
/// integer.
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
    Error::unsupported(format_args!("{text:?} is not a number in JSON's grammar"))
}

#[cold]
fn no_exponent(text: &str) -> Error {
    Error::unsupported(format_args!("CBOR cannot represent the exponent of {text}"))
}

/// Builds the error for a number longer than a bignum may be.
#[cold]
pub(super) fn too_long() -> Error {
    Error::new(
        Category::Limit,
        format_args!("a bignum longer than the limit of {BIGNUM_BYTES_MAX} bytes"),
    )
}

// Natural numbers of any size, between bytes and decimal digits.

/// The number of digits in a decimal limb.
const LIMB_DIGITS: usize = 9;
const LIMB: u64 = 1_000_000_000;

/// A natural number, least significant 32 bits first, without zeros at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    /// Converts from bytes, most significant first (RFC 8949, section 3.4.3). Leading zeros are
    /// allowed.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let limbs = bytes
            .rchunks(4)
            .map(|chunk| chunk.iter().fold(0, |limb: u32, &byte| limb << 8 | u32::from(byte)));
        Natural(limbs.collect()).trimmed()
    }

    /// Converts to bytes, most significant first, without leading zeros.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.0.iter().rev().flat_map(|limb| limb.to_be_bytes());
        bytes.skip_while(|&byte| byte == 0).collect()
    }

    /// Converts from decimal digits. Other bytes are ignored.
    pub(super) fn from_digits(digits: impl Iterator<Item = u8>) -> Self {
        let digits: Vec<u8> = digits.filter(u8::is_ascii_digit).collect();
        let mut number = Natural(Vec::new());
        // Whole limbs are counted from the end, so the first has the remaining digits.
        let (first, rest) = digits.split_at(digits.len() % LIMB_DIGITS);
        for chunk in std::iter::once(first).chain(rest.chunks(LIMB_DIGITS)) {
            let limb = chunk.iter().fold(0, |limb, digit| limb * 10 + u64::from(digit - b'0'));
            number.multiply_add(LIMB, limb);
        }
        number.trimmed()
    }

    /// Converts to decimal digits, `0` for zero.
    pub(super) fn to_digits(&self) -> String {
        let mut number = self.clone();
        let mut limbs = Vec::new();
        while !number.0.is_empty() {
            limbs.push(number.split_limb());
            number = number.trimmed();
        }
        let mut text = limbs.pop().unwrap_or(0).to_string();
        for limb in limbs.iter().rev() {
            text.push_str(&format!("{limb:0LIMB_DIGITS$}"));
        }
        text
    }

    /// Returns the number as a `u128`, if it fits.
    pub(super) fn to_u128(&self) -> Option<u128> {
        if self.0.len() > 4 {
            return None;
        }
        Some(self.0.iter().rev().fold(0, |number, &limb| number << 32 | u128::from(limb)))
    }

    /// Adds one.
    pub(super) fn successor(mut self) -> Self {
        self.multiply_add(1, 1);
        self
    }

    /// Subtracts one. Zero stays zero.
    pub(super) fn predecessor(mut self) -> Self {
        for limb in &mut self.0 {
            let (less, borrow) = limb.overflowing_sub(1);
            *limb = less;
            if !borrow {
                return self.trimmed();
            }
        }
        Natural(Vec::new())
    }

    fn multiply_add(&mut self, factor: u64, addend: u64) {
        let mut carry = addend;
        for limb in &mut self.0 {
            carry += u64::from(*limb) * factor;
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Removes the last decimal limb and returns it. The divisor is a constant, so the division
    /// compiles to a multiplication.
    fn split_limb(&mut self) -> u64 {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let part = remainder << 32 | u64::from(*limb);
            *limb = (part / LIMB) as u32;
            remainder = part % LIMB;
        }
        remainder
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        Natural::from_bytes(&number.to_be_bytes())
    }
}

// Converts floats from one width to another, bit by bit: the conversions of the processor may
// change the payload of a NaN.

/// Converts a half-precision float (RFC 8949, appendix D) to single precision, which represents all
/// of them.
pub(super) fn f32_of_f16(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 0x1f);
    let mantissa = u32::from(half & 0x3ff);
    let magnitude = match (exponent, mantissa) {
        (0, 0) => 0,
        (0, _) => {
            // Subnormal: the highest set bit becomes the hidden one.
            let shift = mantissa.leading_zeros() - 21;
            (113 - shift) << 23 | (mantissa << shift & 0x3ff) << 13
        }
        (0x1f, _) => 0xff << 23 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// Converts to half precision if that preserves every bit, including those of a NaN.
pub(super) fn f16_of_f32(single: f32) -> Option<u16> {
    let bits = single.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = bits >> 23 & 0xff;
    let mantissa = bits & 0x7f_ffff;
    let magnitude = match exponent {
        0 if mantissa == 0 => 0,
        0xff => 0x1f << 10 | shift_right_exactly(mantissa, 13)?,
        113..=142 => (exponent - 112) << 10 | shift_right_exactly(mantissa, 13)?,
        // Subnormal in half precision: the hidden bit moves into the mantissa.
        103..=112 => shift_right_exactly(mantissa | 0x80_0000, 126 - exponent)?,
        _ => return None,
    };
    Some(sign | magnitude as u16)
}

/// Converts to single precision if that preserves every bit, including those of a NaN.
pub(super) fn f32_of_f64(double: f64) -> Option<f32> {
    if double.is_nan() {
        let bits = double.to_bits();
        let sign = (bits >> 32) as u32 & 0x8000_0000;
        let mantissa = bits & 0xf_ffff_ffff_ffff;
        let lost = mantissa & 0x1fff_ffff;
        return (lost == 0).then(|| f32::from_bits(sign | 0xff << 23 | (mantissa >> 29) as u32));
    }
    let single = double as f32;
    (f64::from(single).to_bits() == double.to_bits()).then_some(single)
}

/// Removes the low `bits` of the number, if none of them is set.
fn shift_right_exactly(mantissa: u32, bits: u32) -> Option<u32> {
    (mantissa.trailing_zeros() >= bits).then(|| mantissa >> bits)
}
