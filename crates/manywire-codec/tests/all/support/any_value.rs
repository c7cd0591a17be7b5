//! Generates dynamic values: trees that own their content, and the values that they represent.

#![allow(dead_code, reason = "each test takes the kinds of value its format holds")]

use std::collections::HashSet;

use manywire_shape::{Arena, Ext, Space, Timestamp, Value};
use proptest::prelude::*;

/// A dynamic value that owns its content, so that it can be generated and shrunk.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    I64(i64),
    U64(u64),
    Number(String),
    F32(f32),
    F64(f64),
    Str(String),
    Bytes(Vec<u8>),
    Array(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
    Timestamp(i64, u32),
    Ext(Space, u64, Box<Tree>),
}

impl Tree {
    pub(crate) fn value<'a>(&self, arena: &'a Arena) -> Value<'a> {
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::I64(value) => Value::I64(*value),
            Tree::U64(value) => Value::from(*value),
            Tree::Number(text) => Value::Number(arena.alloc_str(text)),
            Tree::F32(value) => Value::F32(*value),
            Tree::F64(value) => Value::F64(*value),
            Tree::Str(text) => Value::Str(arena.alloc_str(text)),
            Tree::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
            Tree::Array(items) => Value::Array(
                arena.alloc_slice_fill_iter(items.iter().map(|item| item.value(arena))),
            ),
            Tree::Map(entries) => Value::Map(arena.alloc_slice_fill_iter(
                entries.iter().map(|(key, value)| (key.value(arena), value.value(arena))),
            )),
            Tree::Timestamp(seconds, nanoseconds) => Value::Timestamp(
                Timestamp::new(*seconds, *nanoseconds).expect("less than a second"),
            ),
            Tree::Ext(space, code, content) => Value::Ext(arena.alloc(Ext {
                space: *space,
                code: *code,
                content: content.value(arena),
            })),
        }
    }

    /// Returns the tree with every 32-bit float replaced by `single`.
    pub(crate) fn with_single(self, single: fn(f32) -> Tree) -> Tree {
        let inner = |tree: Tree| tree.with_single(single);
        match self {
            Tree::F32(value) => single(value),
            Tree::Array(items) => Tree::Array(items.into_iter().map(inner).collect()),
            Tree::Map(entries) => Tree::Map(
                entries.into_iter().map(|(key, value)| (inner(key), inner(value))).collect(),
            ),
            Tree::Ext(space, code, content) => Tree::Ext(space, code, Box::new(inner(*content))),
            other => other,
        }
    }

    /// Removes entries whose key occurred before.
    pub(crate) fn keep_first_of_each_key(&mut self) {
        match self {
            Tree::Array(items) => items.iter_mut().for_each(Tree::keep_first_of_each_key),
            Tree::Map(entries) => {
                let mut seen = HashSet::new();
                entries.retain(|(key, _)| seen.insert(format!("{key:?}")));
                entries.iter_mut().for_each(|(_, value)| value.keep_first_of_each_key());
            }
            _ => {}
        }
    }
}

/// Generates arrays and maps of these leaves and keys, and sometimes a bare leaf.
pub(crate) fn tree(leaf: BoxedStrategy<Tree>, key: BoxedStrategy<Tree>) -> BoxedStrategy<Tree> {
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::Array),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(Tree::Map),
        ]
    })
    .boxed()
}

/// Generates values that every format represents: null, booleans, integers within `i64`, finite
/// doubles, text.
pub(crate) fn common() -> BoxedStrategy<Tree> {
    prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        integer().prop_map(Tree::I64),
        finite().prop_map(Tree::F64),
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
pub(crate) fn above_i64() -> BoxedStrategy<Tree> {
    (i64::MAX as u64 + 1..).prop_map(Tree::U64).boxed()
}

/// Generates integers beyond 64 bits, as text.
pub(crate) fn beyond_64_bits() -> BoxedStrategy<Tree> {
    "-?[1-9][0-9]{20,60}".prop_map(Tree::Number).boxed()
}

/// Generates integers beyond 128 bits, as text.
pub(crate) fn beyond_128_bits() -> BoxedStrategy<Tree> {
    "-?[1-9][0-9]{39,60}".prop_map(Tree::Number).boxed()
}

/// Generates NaN with any payload, and the infinities.
pub(crate) fn not_finite() -> BoxedStrategy<Tree> {
    use prop::num::f64::{INFINITE, NEGATIVE, POSITIVE, QUIET_NAN};
    (POSITIVE | NEGATIVE | INFINITE | QUIET_NAN).prop_map(Tree::F64).boxed()
}

/// Generates 32-bit floats.
pub(crate) fn single() -> BoxedStrategy<Tree> {
    use prop::num::f32::{INFINITE, NEGATIVE, NORMAL, POSITIVE, QUIET_NAN, SUBNORMAL, ZERO};
    (POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO | INFINITE | QUIET_NAN)
        .prop_map(Tree::F32)
        .boxed()
}

/// Generates text of any characters, including NUL, with lengths around the boundaries of the
/// formats.
pub(crate) fn text() -> BoxedStrategy<Tree> {
    prop_oneof![4 => any::<String>(), 4 => "[a-z]{0,40}", 1 => "[a-zé☆]{200,300}"]
        .prop_map(Tree::Str)
        .boxed()
}

/// Generates bytes.
pub(crate) fn bytes() -> BoxedStrategy<Tree> {
    prop::collection::vec(any::<u8>(), 0..40).prop_map(Tree::Bytes).boxed()
}

/// Generates points in time that are a multiple of `step` nanoseconds, within this range of
/// seconds.
pub(crate) fn timestamp(seconds: std::ops::Range<i64>, step: u32) -> BoxedStrategy<Tree> {
    (seconds, 0..1_000_000_000 / step)
        .prop_map(move |(seconds, steps)| Tree::Timestamp(seconds, steps * step))
        .boxed()
}

/// Generates an extension with this content.
pub(crate) fn ext(
    space: Space,
    code: impl Strategy<Value = u64> + 'static,
    content: impl Strategy<Value = Tree> + 'static,
) -> BoxedStrategy<Tree> {
    (code, content)
        .prop_map(move |(code, content)| Tree::Ext(space, code, Box::new(content)))
        .boxed()
}

/// Generates a value of one of the strategies.
pub(crate) fn any_of(strategies: Vec<BoxedStrategy<Tree>>) -> BoxedStrategy<Tree> {
    proptest::strategy::Union::new(strategies).boxed()
}
