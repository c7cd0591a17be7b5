use crate::Value;

/// Whether two values are the same number, of whatever type. The sign of zero counts.
pub(super) fn is_same(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (*left, *right) {
        (Value::F32(narrow), Value::F64(wide)) | (Value::F64(wide), Value::F32(narrow)) => {
            f64::from(narrow).to_bits() == wide.to_bits()
                || (narrow.is_nan() && wide.is_nan())
                // Rust writes the shortest digits that read back as the same float.
                || narrow.to_string() == wide.to_string()
        }
        (Value::F64(left), Value::F64(right)) => left.is_nan() && right.is_nan(),
        (Value::F32(left), Value::F32(right)) => left.is_nan() && right.is_nan(),
        (Value::Number(left), Value::Number(right)) => {
            decimal(left).is_some_and(|left| decimal(right).is_some_and(|right| left == right))
        }
        (Value::Number(text), Value::F64(float)) | (Value::F64(float), Value::Number(text)) => {
            float.is_finite() && decimal(text) == decimal(&format!("{float:e}"))
        }
        (integer, float) => match (integer_of(integer), float_of(float)) {
            (Some(integer), Some(float)) => is_exactly(float, integer),
            _ => match (float_of(integer), integer_of(float)) {
                (Some(float), Some(integer)) => is_exactly(float, integer),
                _ => false,
            },
        },
    }
}

fn integer_of(value: Value<'_>) -> Option<i128> {
    match value {
        Value::I64(number) => Some(number.into()),
        Value::U64(number) => Some(number.into()),
        _ => None,
    }
}

fn float_of(value: Value<'_>) -> Option<f64> {
    match value {
        Value::F64(number) => Some(number),
        Value::F32(number) => Some(number.into()),
        _ => None,
    }
}

fn is_exactly(float: f64, integer: i128) -> bool {
    // The cast saturates far beyond 64 bits, and rounds nothing that has no fraction.
    float.fract() == 0.0 && float as i128 == integer && (integer != 0 || float.is_sign_positive())
}

/// A decimal text taken apart: whether it is negative, its digits from the first to the last that
/// is not zero, and the power of ten of the last. Nothing if the exponent is beyond all bounds.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    let digits = digits.trim_start_matches(['-', '+']).trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - kept.len()).ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    let exponent = exponent.checked_add(zeros)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let exponent = if kept.is_empty() { 0 } else { exponent };
    Some((text.starts_with('-'), kept.to_owned(), exponent))
}
