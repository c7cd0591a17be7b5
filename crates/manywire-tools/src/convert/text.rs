//! Text and numbers that replace other values: hex, keys as text, and decimal128 of BSON
//! (IEEE 754-2008, 128 bits, binary integer decimal).

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use manywire_shape::{Arena, Value};

/// Encodes lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a number that no 64-bit type holds exactly, a float, bytes or a timestamp as the text of
/// a key. Returns `None` for other keys.
pub(super) fn of_key(key: &Value<'_>) -> Option<String> {
    Some(match *key {
        Value::Number(text) => text.to_owned(),
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        Value::Bytes(bytes) => STANDARD.encode(bytes),
        Value::Timestamp(time) => time.to_string(),
        _ => return None,
    })
}

const EXPONENT_BIAS: i32 = 6_176;

/// The end of valid coefficients, which have at most 34 digits. A coefficient of this value or
/// above means zero.
const COEFFICIENT_END: u128 = 10_u128.pow(34);

/// The smallest exponent that is written as decimals instead of `E`.
const PLAIN_EXPONENT_MIN: i32 = -34;

/// Converts a decimal128 to a number, or to text if it is not finite. Returns the result after its
/// description. The result is null unless `bytes` are 16 bytes.
pub(super) fn decimal<'a>(bytes: &[u8], arena: &'a Arena) -> (&'static str, Value<'a>) {
    let Ok(bytes) = bytes.try_into() else { return ("null", Value::Null) };
    let bits = u128::from_le_bytes(bytes);
    let sign = if bits >> 127 == 1 { "-" } else { "" };
    // The five bits after the sign: 11110 is infinity, 11111 is NaN.
    match bits >> 122 & 0x1F {
        0x1F => return ("text", Value::Str("NaN")),
        0x1E => return ("text", Value::Str(arena.alloc_str(&format!("{sign}Infinity")))),
        _ => {}
    }
    let large = bits >> 125 & 0b11 == 0b11;
    let exponent = if large { bits >> 111 } else { bits >> 113 } & 0x3FFF;
    let coefficient = if large { 0 } else { bits & ((1 << 113) - 1) };
    let coefficient = if coefficient < COEFFICIENT_END { coefficient } else { 0 };
    let text = decimal_text(sign, coefficient, exponent as i32 - EXPONENT_BIAS);
    let number = match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(integer), _) if text != "-0" => Value::I64(integer),
        (_, Ok(integer)) => Value::U64(integer),
        _ => Value::Number(arena.alloc_str(&text)),
    };
    ("a number", number)
}

fn decimal_text(sign: &str, coefficient: u128, exponent: i32) -> String {
    let digits = coefficient.to_string();
    if exponent == 0 {
        return format!("{sign}{digits}");
    }
    if !(PLAIN_EXPONENT_MIN..=0).contains(&exponent) {
        return format!("{sign}{digits}E{exponent}");
    }
    let decimals = exponent.unsigned_abs() as usize;
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod decimal_tests {
    use super::*;

    /// Cases of the BSON corpus: decimal128-1.json.
    #[test]
    fn known_decimals() {
        let known = [
            ("00000000000000000000000000004030", "0"),
            ("00000000000000000000000000003E30", "0.0"),
            ("01000000000000000000000000004030", "1"),
            ("0100000000000000000000000000403030", ""),
            ("D2040000000000000000000000003430", "0.001234"),
            ("40EF5A07000000000000000000003A30", "123400.000"),
            ("F2AF967ED05C82DE3297FF6FDE3C4030", "1234567890123456789012345678901234"),
            ("010000000000000000000000000000B0", "-0.00000000000000000000000000000001"),
            ("01000000000000000000000000000080", "-1E-6176"),
            ("FFFFFFFF638E8D37C087ADBE09EDFF5F", "9999999999999999999999999999999999E6111"),
            ("00000000000000000000000000000078", "Infinity"),
            ("000000000000000000000000000000F8", "-Infinity"),
            ("0000000000000000000000000000007C", "NaN"),
        ];
        for (hex, expected) in known {
            let bytes: Vec<u8> = (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hex"))
                .collect();
            let arena = Arena::new();
            let found = match decimal(&bytes, &arena).1 {
                Value::I64(number) => number.to_string(),
                Value::Number(text) | Value::Str(text) => text.to_owned(),
                Value::Null => String::new(),
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{hex}");
        }
    }
}
