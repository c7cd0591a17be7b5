//! Samples for the tests of inference: read from JSON text, or built from generated trees.

use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Ext, Space, Timestamp, Value, ValueSeed};
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

/// An owned value, to be generated and shrunk.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    I64(i64),
    U64(u64),
    Number,
    F32(f32),
    F64(f64),
    Str(String),
    Bytes(Vec<u8>),
    Timestamp(i64),
    Ext(u64),
    Array(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
}

impl Tree {
    pub(crate) fn value<'a>(&'a self, arena: &'a Arena) -> Value<'a> {
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::I64(value) => Value::I64(*value),
            Tree::U64(value) => Value::from(*value),
            Tree::Number => Value::Number("1e400"),
            Tree::F32(value) => Value::F32(*value),
            Tree::F64(value) => Value::F64(*value),
            Tree::Str(text) => Value::Str(text),
            Tree::Bytes(bytes) => Value::Bytes(bytes),
            Tree::Timestamp(seconds) => {
                Value::Timestamp(Timestamp { seconds: *seconds, nanoseconds: 0 })
            }
            Tree::Ext(code) => Value::Ext(arena.alloc(Ext {
                space: Space::CborTag,
                code: *code,
                content: Value::Null,
            })),
            Tree::Array(items) => Value::Array(
                arena.alloc_slice_fill_iter(items.iter().map(|item| item.value(arena))),
            ),
            Tree::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, held)| (key.value(arena), held.value(arena)));
                Value::Map(arena.alloc_slice_fill_iter(entries))
            }
        }
    }
}

/// Generates trees with few keys, so that samples have fields in common.
pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => Just(Tree::Null),
        2 => any::<bool>().prop_map(Tree::Bool),
        6 => (-300i64..300).prop_map(Tree::I64),
        1 => any::<i64>().prop_map(Tree::I64),
        1 => any::<u64>().prop_map(Tree::U64),
        3 => any::<f64>().prop_map(Tree::F64),
        1 => any::<f32>().prop_map(Tree::F32),
        6 => "[a-zé]{0,4}".prop_map(Tree::Str),
        1 => proptest::collection::vec(any::<u8>(), 0..4).prop_map(Tree::Bytes),
        1 => any::<i64>().prop_map(Tree::Timestamp),
        1 => Just(Tree::Number),
        1 => (0u64..3).prop_map(Tree::Ext),
    ];
    let key = prop_oneof![
        30 => "[abc]".prop_map(Tree::Str),
        4 => "u[0-9]{2}".prop_map(Tree::Str),
        1 => (-2i64..3).prop_map(Tree::I64),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        let entries = proptest::collection::vec((key.clone(), inner.clone()), 0..5);
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Tree::Array),
            entries.prop_map(Tree::Map),
        ]
    })
}

/// Generates several trees, as the samples of one shape.
pub(crate) fn trees() -> impl Strategy<Value = Vec<Tree>> {
    proptest::collection::vec(tree(), 1..12)
}
