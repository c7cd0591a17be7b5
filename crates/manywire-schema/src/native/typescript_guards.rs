//! Guards: expressions that say whether a value is of a type.

use manywire_shape::Int;

use super::layout::Type;
use super::typescript::{File, is_property_key};

/// What a number of 64 bits is in JavaScript.
pub(super) const INT64: &str = "
/**
 * An integer of 64 bits or more. JSON.parse reads it as a number, which is exact up to
 * Number.MAX_SAFE_INTEGER (2^53 - 1) and rounded beyond.
 */
export type Int64 = number;
";

/// The guards that others are made of, each with a word that says whether it is used.
pub(super) const HELPERS: [(&str, &str); 5] = [
    (
        "isRecord(",
        "
function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === \"object\" && value !== null && !Array.isArray(value);
}
",
    ),
    (
        "isInteger(",
        "
function isInteger(value: unknown, min: number, max: number): value is number {
  return typeof value === \"number\" && Number.isInteger(value) && value >= min && value <= max;
}
",
    ),
    (
        "isArrayOf(",
        "
function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isItem);
}
",
    ),
    (
        "isMapOf(",
        "
function isMapOf(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(isValue);
}
",
    ),
    (
        "isBytes(",
        "
function isBytes(value: unknown): value is Uint8Array | number[] {
  return value instanceof Uint8Array || isArrayOf(value, (item) => isInteger(item, 0, 255));
}
",
    ),
];

impl File<'_> {
    /// An expression that says whether another is of a type.
    pub(super) fn check(&self, ty: &Type, value: &str) -> String {
        match ty {
            Type::Null => format!("{value} === null"),
            Type::Bool => format!("typeof {value} === \"boolean\""),
            Type::Int(int) => integer_check(*int, value),
            Type::F32 | Type::F64 => format!("typeof {value} === \"number\""),
            Type::Char | Type::Text => format!("typeof {value} === \"string\""),
            Type::Bytes => format!("isBytes({value})"),
            Type::Timestamp => format!("{value} instanceof Date"),
            Type::Any => "true".to_owned(),
            Type::Option(inner) => format!("({value} === null || {})", self.check(inner, value)),
            Type::Array(item, len) => {
                let array = format!("isArrayOf({value}, (item) => {})", self.check(item, "item"));
                match len {
                    Some(len) => format!("({array} && {value}.length === {len})"),
                    None => array,
                }
            }
            Type::Map(key, inner) if is_property_key(key) => {
                format!("isMapOf({value}, (inner) => {})", self.check(inner, "inner"))
            }
            Type::Map(key, inner) => format!(
                "({value} instanceof Map && [...{value}].every(([key, inner]) => {} && {}))",
                self.check(key, "key"),
                self.check(inner, "inner")
            ),
            Type::Tuple(types) => {
                let mut all = vec![
                    format!("isArrayOf({value}, () => true)"),
                    format!("{value}.length === {}", types.len()),
                ];
                let places = types.iter().enumerate();
                all.extend(places.map(|(at, ty)| self.check(ty, &format!("{value}[{at}]"))));
                all.retain(|check| check != "true");
                format!("({})", all.join(" && "))
            }
            Type::Union(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.check(ty, value)).collect();
                format!("({})", all.join(" || "))
            }
            Type::Named(index) => format!("is{}({value})", self.layout.declaration(*index).name),
        }
    }
}

/// An integer within its range. That of 64 bits is the range of what `Number.isInteger` says, for
/// what is beyond 2^53 was rounded when it was read.
fn integer_check(int: Int, value: &str) -> String {
    let (min, max) = match (int.signed, int.bits) {
        (true, bits @ 0..=32) => (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1),
        (false, bits @ 0..=32) => (0, (1_i64 << bits) - 1),
        (true, _) => return format!("isInteger({value}, -Infinity, Infinity)"),
        (false, _) => return format!("isInteger({value}, 0, Infinity)"),
    };
    format!("isInteger({value}, {min}, {max})")
}
