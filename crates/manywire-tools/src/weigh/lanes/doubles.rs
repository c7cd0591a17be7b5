//! Values as read by a runtime whose only numbers are doubles, such as JavaScript.
//!
//! Such a runtime rounds integers beyond 2^53. The rounding is reported as a loss with a path, not
//! as a fault of the library.

use manywire_codec::Codec;
use manywire_shape::{Arena, Value};

use super::lane_input::read_value;

/// Returns the value in some bytes, as a runtime whose only numbers are doubles reads it.
pub(super) fn read_in_doubles<'a>(
    codec: &'a Codec,
    bytes: &'a [u8],
    arena: &'a Arena,
) -> Result<Value<'a>, manywire_codec::Error> {
    Ok(in_doubles(&read_value(codec, bytes, arena)?, arena))
}

/// Returns the value with each integer rounded to the nearest double. A result that fits 64 bits stays an
/// integer, because the digest does not distinguish whole numbers by their type.
fn in_doubles<'a>(value: &Value<'a>, arena: &'a Arena) -> Value<'a> {
    match *value {
        Value::I64(number) | Value::Long(number) => integer(number as f64),
        Value::U64(number) => integer(number as f64),
        Value::Array(items) => {
            Value::Array(arena.alloc_slice_fill_iter(items.iter().map(|it| in_doubles(it, arena))))
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (*key, in_doubles(value, arena)));
            Value::Map(arena.alloc_slice_fill_iter(entries))
        }
        other => other,
    }
}

/// Returns a whole double as an integer if it fits 64 bits.
fn integer(whole: f64) -> Value<'static> {
    // The cast is exact: `whole` was rounded from a 64-bit integer, so it has no fraction and fits
    // an `i128`.
    let number = whole as i128;
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => Value::I64(number),
        (_, Ok(number)) => Value::U64(number),
        _ => Value::F64(whole),
    }
}

#[cfg(test)]
mod tests {
    use manywire_shape::{Arena, Value};

    use super::in_doubles;

    #[test]
    fn integers_beyond_doubles_are_rounded() {
        let arena = Arena::new();
        let value = [
            Value::I64(5),
            Value::I64(-9_007_199_254_740_993),
            Value::I64(i64::MAX),
            Value::I64(i64::MIN),
            Value::U64(u64::MAX),
            Value::Str("9007199254740993"),
            Value::F64(0.5),
        ];
        let entries = [(Value::Str("a"), Value::Array(&value))];
        let expected = [
            Value::I64(5),
            Value::I64(-9_007_199_254_740_992),
            Value::U64(1 << 63),
            Value::I64(i64::MIN),
            Value::F64(18_446_744_073_709_551_616.0),
            Value::Str("9007199254740993"),
            Value::F64(0.5),
        ];
        let rounded = in_doubles(&Value::Map(&entries), &arena);
        assert_eq!(rounded.get("a"), Some(Value::Array(&expected)));
    }
}
