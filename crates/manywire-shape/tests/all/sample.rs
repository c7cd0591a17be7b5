//! Samples for the tests of inference: read from JSON text, or generated.

use manywire_shape::infer::Inference;
use manywire_shape::{Arena, OwnedExt, OwnedValue, Space, Timestamp, Value, ValueSeed};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::DeserializeSeed;

/// Returns the value of a JSON text.
pub(crate) fn read<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    ValueSeed::new(arena).deserialize(&mut deserializer).expect("a sample is JSON")
}

/// Returns the inference from these values.
pub(crate) fn infer(values: &[Value<'_>]) -> Inference {
    let mut inference = Inference::new();
    values.iter().for_each(|value| inference.add(value));
    inference
}

/// Returns the text of a file of `examples/`.
pub(crate) fn example(name: &str) -> String {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the example exists")
}

/// Generates values with few keys, so that samples have fields in common.
fn sample() -> impl Strategy<Value = OwnedValue> {
    // An integer has the width that it has in a `Value`.
    let int = |number: i64| OwnedValue::from(Value::I64(number));
    let leaf = prop_oneof![
        4 => Just(OwnedValue::Null),
        2 => any::<bool>().prop_map(OwnedValue::Bool),
        6 => (-300..300).prop_map(OwnedValue::I32),
        1 => any::<i64>().prop_map(int),
        1 => any::<u64>().prop_map(|number| OwnedValue::from(Value::from(number))),
        3 => any::<f64>().prop_map(OwnedValue::F64),
        1 => any::<f32>().prop_map(OwnedValue::F32),
        6 => "[a-zé]{0,4}".prop_map(OwnedValue::Str),
        1 => vec(any::<u8>(), 0..4).prop_map(OwnedValue::Bytes),
        1 => any::<i64>()
            .prop_map(|seconds| OwnedValue::Timestamp(Timestamp { seconds, nanoseconds: 0 })),
        1 => Just(OwnedValue::Number("1e400".to_owned())),
        1 => (0..3_u64).prop_map(|code| {
            let (space, content) = (Space::CborTag, OwnedValue::Null);
            OwnedValue::Ext(Box::new(OwnedExt { space, code, content }))
        }),
    ];
    let key = prop_oneof![
        30 => "[abc]".prop_map(OwnedValue::Str),
        4 => "u[0-9]{2}".prop_map(OwnedValue::Str),
        1 => (-2..3).prop_map(OwnedValue::I32),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        let entries = vec((key.clone(), inner.clone()), 0..5);
        prop_oneof![
            vec(inner, 0..5).prop_map(OwnedValue::Array),
            entries.prop_map(OwnedValue::Map),
        ]
    })
}

/// Generates several samples of one shape.
pub(crate) fn samples() -> impl Strategy<Value = Vec<OwnedValue>> {
    vec(sample(), 1..12)
}
