//! The decimal numbers that a double holds without loss.

use super::{Loss, Losses};
use crate::path::{Path, Step};
use crate::{Arena, Value};

/// The maximum number of significant digits to compare. No double has more in its exact expansion,
/// which has at most 767.
const EXACT_DIGITS_MAX: usize = 800;

/// Returns whether a number in decimal text is exact as a double: whether the nearest double
/// reproduces all its digits. The shortest text of the double, or the double rounded to as many
/// digits as the text has, then equals the text. So `-65.613616999999977` is exact although a
/// shorter text would do, and `0.1234567890123456789` is not.
///
/// Every command uses this function: `convert` to decide which fractions of JSON it keeps as text,
/// and `weigh` to decide which fractions it reports as rounded.
#[cold]
#[inline(never)]
pub fn is_exact_double(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    let significant = significant_digits(text);
    if significant.is_empty() {
        return true;
    }
    if !number.is_finite() || number == 0.0 || significant.len() > EXACT_DIGITS_MAX {
        return false;
    }
    // The two texts may differ although they have the same length, if two decimal numbers of that
    // length are equally near to the double.
    significant_digits(&format!("{number:e}")) == significant
        || significant_digits(&format!("{:.*e}", significant.len() - 1, number)) == significant
}

/// Returns the digits from the first to the last non-zero one, without sign, point and exponent.
fn significant_digits(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').to_owned()
}

/// Returns the value with the nearest double in place of each fraction that a double does not hold
/// [exactly](is_exact_double), as most readers of JSON see it, and the losses. The value must come
/// from a reader that keeps such fractions as [`Value::Number`]. Integers, and numbers beyond the
/// range of a double, stay as they are.
pub fn with_doubles<'a>(value: Value<'a>, arena: &'a Arena) -> (Value<'a>, Vec<Loss>) {
    let mut losses = Losses::default();
    let value = if holds_fraction(&value) {
        round(value, arena, &mut losses, &mut Path::default())
    } else {
        value
    };
    (value, losses.into_vec())
}

fn holds_fraction(value: &Value<'_>) -> bool {
    match value {
        Value::Number(text) => nearest(text).is_some(),
        Value::Array(items) => items.iter().any(holds_fraction),
        Value::Map(entries) => entries.iter().any(|entry| holds_fraction(&entry.1)),
        _ => false,
    }
}

/// Returns the nearest double of a fraction, unless it is beyond the range.
fn nearest(text: &str) -> Option<f64> {
    let is_fraction = text.contains(['.', 'e', 'E']);
    text.parse().ok().filter(|double: &f64| is_fraction && double.is_finite())
}

fn round<'a>(
    value: Value<'a>,
    arena: &'a Arena,
    losses: &mut Losses,
    path: &mut Path<'a>,
) -> Value<'a> {
    match value {
        Value::Number(text) => match nearest(text) {
            Some(double) => {
                losses.add(path, "a number has more digits than a double holds");
                Value::F64(double)
            }
            None => value,
        },
        Value::Array(items) => {
            let items = arena.alloc_slice_copy(items);
            for (index, item) in items.iter_mut().enumerate() {
                path.push(Step::Index(index));
                *item = round(*item, arena, losses, path);
                path.pop();
            }
            Value::Array(items)
        }
        Value::Map(entries) => {
            let entries = arena.alloc_slice_copy(entries);
            for (key, value) in entries.iter_mut() {
                path.push(Step::Key(*key));
                *value = round(*value, arena, losses, path);
                path.pop();
            }
            Value::Map(entries)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_digits_that_a_double_reproduces() {
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
            assert!(is_exact_double(text), "{text}");
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
            assert!(!is_exact_double(text), "{text}");
        }
        assert!(!is_exact_double(&format!("0.{}", "1".repeat(100_000))));
    }

    #[test]
    fn rounds_fractions_and_lists_them() {
        let arena = Arena::new();
        let items = [Value::Number("13.3670000000000012"), Value::F64(0.1), Value::Number("1e400")];
        let entries = [
            (Value::Str("a"), Value::Array(&items)),
            (Value::Str("b"), Value::Number("18446744073709551616")),
        ];
        let (value, losses) = with_doubles(Value::Map(&entries), &arena);
        let rounded = [Value::F64(13.367), Value::F64(0.1), Value::Number("1e400")];
        let expected = [(Value::Str("a"), Value::Array(&rounded)), entries[1]];
        assert_eq!(value, Value::Map(&expected));
        let lost = "a number has more digits than a double holds".to_owned();
        assert_eq!(losses, [Loss { path: "$.a[0]".to_owned(), lost, places: 1 }]);
        let (value, losses) = with_doubles(Value::Map(&expected), &arena);
        assert_eq!((value, losses.len()), (Value::Map(&expected), 0));
    }
}
