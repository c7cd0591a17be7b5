//! Numbers in diagnostic notation.

use std::fmt;

/// An encoding indicator (section 8.1): how long an argument is that need not be so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indicator {
    None,
    /// The argument has 2 to this power bytes.
    Width(u8),
}

impl Indicator {
    /// For an argument behind additional information 24 to 27.
    pub(super) fn unless_shortest(information: u8, argument: u64) -> Self {
        let least = match information {
            24 => 24,
            25 => 1 << 8,
            26 => 1 << 16,
            _ => 1 << 32,
        };
        if argument < least { Indicator::Width(information - 24) } else { Indicator::None }
    }
}

impl fmt::Display for Indicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Indicator::None => Ok(()),
            Indicator::Width(width) => write!(f, "_{width}"),
        }
    }
}

/// A float as Appendix A writes it: the fewest digits, as ECMAScript has them, and always a point.
pub(super) struct Float {
    value: f64,
    indicator: Indicator,
}

impl Float {
    /// From the bits behind additional information 25 to 27.
    pub(super) fn of(information: u8, bits: u64) -> Self {
        let value = match information {
            25 => half(bits as u16),
            26 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        };
        let fits_half = half(to_half(value)).to_bits() == value.to_bits();
        let fits_single = f64::from(value as f32).to_bits() == value.to_bits();
        let shortest = match (fits_half, fits_single) {
            (true, _) => 25,
            (false, true) => 26,
            _ => 27,
        };
        let indicator = match value.is_finite() && shortest < information {
            true => Indicator::Width(information - 24),
            false => Indicator::None,
        };
        Float { value, indicator }
    }
}

impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Float { value, indicator } = *self;
        if value.is_nan() {
            return f.write_str("NaN");
        }
        let sign = if value.is_sign_negative() { "-" } else { "" };
        if value.is_infinite() {
            return write!(f, "{sign}Infinity");
        }
        let magnitude = value.abs();
        // Where ECMAScript goes over to an exponent (Number::toString).
        if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
            let text = format!("{magnitude:e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let point = if digits.contains('.') { "" } else { ".0" };
            let plus = if exponent.starts_with('-') { "" } else { "+" };
            return write!(f, "{sign}{digits}{point}e{plus}{exponent}{indicator}");
        }
        let text = format!("{magnitude}");
        let point = if text.contains('.') { "" } else { ".0" };
        write!(f, "{sign}{text}{point}{indicator}")
    }
}

/// The value of 16 bits: 5 of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The 16 bits nearest below a value; exact where the value fits them.
fn to_half(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude < 2_f64.powi(-14) {
        return sign | (magnitude * 2_f64.powi(24)) as u16;
    }
    let exponent = magnitude.log2().floor().min(15.0) as i32;
    let fraction = (magnitude / 2_f64.powi(exponent - 10)) as u16 & 0x3ff;
    sign | ((exponent + 15) as u16) << 10 | fraction
}

/// How many bytes of a bignum are written as a decimal: 512 bits, and what is longer stays bytes.
const BIGNUM_MAX: usize = 64;

/// The decimal text of the big-endian bytes of a bignum (section 3.4.3), or of -1 less it; `None`
/// for one that would not be written so.
pub(super) fn decimal(content: &[u8], negative: bool) -> Option<String> {
    let first = *content.first()?;
    if first == 0 || content.len() <= 8 || content.len() > BIGNUM_MAX {
        return None;
    }
    let mut bytes = content.to_vec();
    if negative {
        add_one(&mut bytes);
    }
    let mut digits = Vec::new();
    while bytes.iter().any(|byte| *byte > 0) {
        digits.push(b'0' + divide_by_ten(&mut bytes));
    }
    if negative {
        digits.push(b'-');
    }
    digits.reverse();
    String::from_utf8(digits).ok()
}

fn add_one(bytes: &mut Vec<u8>) {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte > 0 {
            return;
        }
    }
    bytes.insert(0, 1);
}

/// Leaves the quotient; gives the rest.
fn divide_by_ten(bytes: &mut [u8]) -> u8 {
    let mut rest = 0;
    for byte in bytes {
        let number = rest << 8 | u16::from(*byte);
        *byte = (number / 10) as u8;
        rest = number % 10;
    }
    rest as u8
}
