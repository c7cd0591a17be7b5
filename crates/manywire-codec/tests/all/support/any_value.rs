//! Generates dynamic values.

#![allow(dead_code, reason = "each test takes the kinds of value its format holds")]

use std::collections::HashSet;

use manywire_shape::{OwnedExt, OwnedValue, Space, Timestamp, Value};
use proptest::prelude::*;

/// Returns an integer with the width that it has in a `Value`.
pub(crate) fn int(number: i64) -> OwnedValue {
    Value::I64(number).into()
}

/// Returns the value with every 32-bit float replaced by `single`.
pub(crate) fn with_single(value: OwnedValue, single: fn(f32) -> OwnedValue) -> OwnedValue {
    let inner = |value| with_single(value, single);
    match value {
        OwnedValue::F32(float) => single(float),
        OwnedValue::Array(items) => OwnedValue::Array(items.into_iter().map(inner).collect()),
        OwnedValue::Map(entries) => OwnedValue::Map(
            entries.into_iter().map(|(key, value)| (inner(key), inner(value))).collect(),
        ),
        OwnedValue::Ext(ext) => {
            OwnedValue::Ext(Box::new(OwnedExt { content: inner(ext.content), ..*ext }))
        }
        other => other,
    }
}

/// Removes entries whose key occurred before.
pub(crate) fn keep_first_of_each_key(value: &mut OwnedValue) {
    match value {
        OwnedValue::Array(items) => items.iter_mut().for_each(keep_first_of_each_key),
        OwnedValue::Map(entries) => {
            let mut seen = HashSet::new();
            entries.retain(|(key, _)| seen.insert(format!("{key:?}")));
            entries.iter_mut().for_each(|(_, value)| keep_first_of_each_key(value));
        }
        _ => {}
    }
}

/// Generates arrays and maps of these leaves and keys, and sometimes a bare leaf.
pub(crate) fn tree(
    leaf: BoxedStrategy<OwnedValue>,
    key: BoxedStrategy<OwnedValue>,
) -> BoxedStrategy<OwnedValue> {
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(OwnedValue::Array),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(OwnedValue::Map),
        ]
    })
    .boxed()
}

/// Generates values that every format represents: null, booleans, integers within `i64`, finite
/// doubles, text.
pub(crate) fn common() -> BoxedStrategy<OwnedValue> {
    prop_oneof![
        Just(OwnedValue::Null),
        any::<bool>().prop_map(OwnedValue::Bool),
        integer().prop_map(int),
        finite().prop_map(OwnedValue::F64),
        text(),
    ]
    .boxed()
}

/// Generates integers of every width, including the bounds of each.
fn integer() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0..64_u32).prop_map(|(value, shift)| value >> shift)
}

fn finite() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO, (-9..9_i32).prop_map(f64::from)]
}

/// Generates integers above `i64::MAX`.
pub(crate) fn above_i64() -> BoxedStrategy<OwnedValue> {
    (i64::MAX as u64 + 1..).prop_map(OwnedValue::U64).boxed()
}

/// Generates integers beyond 64 bits, as text.
pub(crate) fn beyond_64_bits() -> BoxedStrategy<OwnedValue> {
    "-?[1-9][0-9]{20,60}".prop_map(OwnedValue::Number).boxed()
}

/// Generates integers beyond 128 bits, as text.
pub(crate) fn beyond_128_bits() -> BoxedStrategy<OwnedValue> {
    "-?[1-9][0-9]{39,60}".prop_map(OwnedValue::Number).boxed()
}

/// Generates NaN with any payload, and the infinities.
pub(crate) fn not_finite() -> BoxedStrategy<OwnedValue> {
    use prop::num::f64::{INFINITE, NEGATIVE, POSITIVE, QUIET_NAN};
    (POSITIVE | NEGATIVE | INFINITE | QUIET_NAN).prop_map(OwnedValue::F64).boxed()
}

/// Generates 32-bit floats.
pub(crate) fn single() -> BoxedStrategy<OwnedValue> {
    use prop::num::f32::{INFINITE, NEGATIVE, NORMAL, POSITIVE, QUIET_NAN, SUBNORMAL, ZERO};
    (POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO | INFINITE | QUIET_NAN)
        .prop_map(OwnedValue::F32)
        .boxed()
}

/// Generates text of any characters, including NUL, with lengths around the boundaries of the
/// formats.
pub(crate) fn text() -> BoxedStrategy<OwnedValue> {
    prop_oneof![4 => any::<String>(), 4 => "[a-z]{0,40}", 1 => "[a-zé☆]{200,300}"]
        .prop_map(OwnedValue::Str)
        .boxed()
}

/// Generates bytes.
pub(crate) fn bytes() -> BoxedStrategy<OwnedValue> {
    prop::collection::vec(any::<u8>(), 0..40).prop_map(OwnedValue::Bytes).boxed()
}

/// Generates points in time that are a multiple of `step` nanoseconds, within this range of
/// seconds.
pub(crate) fn timestamp(seconds: std::ops::Range<i64>, step: u32) -> BoxedStrategy<OwnedValue> {
    (seconds, 0..1_000_000_000 / step)
        .prop_map(move |(seconds, steps)| {
            OwnedValue::Timestamp(Timestamp { seconds, nanoseconds: steps * step })
        })
        .boxed()
}

/// Generates an extension with this content.
pub(crate) fn ext(
    space: Space,
    code: impl Strategy<Value = u64> + 'static,
    content: impl Strategy<Value = OwnedValue> + 'static,
) -> BoxedStrategy<OwnedValue> {
    (code, content)
        .prop_map(move |(code, content)| {
            OwnedValue::Ext(Box::new(OwnedExt { space, code, content }))
        })
        .boxed()
}

/// Generates a value of one of the strategies.
pub(crate) fn any_of(strategies: Vec<BoxedStrategy<OwnedValue>>) -> BoxedStrategy<OwnedValue> {
    proptest::strategy::Union::new(strategies).boxed()
}
