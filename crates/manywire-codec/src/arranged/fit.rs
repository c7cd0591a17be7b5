//! Whether a value that is no container fits a node.

use manywire_shape::{Enum, Int, Node, Value, VariantKind};

/// Whether a scalar is of the node's kind and within its range. A whole number is a float too.
pub(super) fn scalar(node: &Node, value: &Value<'_>) -> bool {
    match (node, value) {
        (Node::Any, _)
        | (Node::Null, Value::Null)
        | (Node::Bool, Value::Bool(_))
        | (Node::F32 | Node::F64, Value::F32(_) | Value::F64(_))
        | (Node::F32 | Node::F64, Value::I64(_) | Value::U64(_))
        | (Node::Char | Node::Str, Value::Str(_))
        | (Node::Bytes, Value::Bytes(_))
        | (Node::Timestamp, Value::Timestamp(_)) => true,
        (Node::Int(int), Value::I64(value)) => within(*int, (*value).into()),
        (Node::Int(int), Value::U64(value)) => within(*int, (*value).into()),
        (Node::Int(Int { bits: 128, .. }), Value::Number(_)) => true,
        _ => false,
    }
}

fn within(int: Int, value: i128) -> bool {
    match (int.signed, int.bits) {
        (true, 128) => true,
        (false, 128) => value >= 0,
        (true, bits) => value >> (bits - 1) == 0 || value >> (bits - 1) == -1,
        (false, bits) => value >> bits == 0,
    }
}

/// What a node takes, in words for messages.
pub(super) fn expected(node: &Node) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool => "a boolean",
        Node::Int(int) => match (int.signed, int.bits) {
            (true, 8) => "an integer of 8 bits",
            (true, 16) => "an integer of 16 bits",
            (true, 32) => "an integer of 32 bits",
            (true, 64) => "an integer of 64 bits",
            (true, _) => "an integer",
            (false, 8) => "an unsigned integer of 8 bits",
            (false, 16) => "an unsigned integer of 16 bits",
            (false, 32) => "an unsigned integer of 32 bits",
            (false, 64) => "an unsigned integer of 64 bits",
            (false, _) => "an unsigned integer",
        },
        Node::F32 | Node::F64 => "a float",
        Node::Char | Node::Str => "a string",
        Node::Bytes => "bytes",
        Node::Timestamp => "a timestamp",
        Node::Any => "any value",
        Node::Option(_) => "null or a value",
        Node::Array(_) | Node::Tuple(_) => "an array",
        Node::Map { .. } => "a map",
        Node::Record(_) => "a record",
        Node::Enum(_) => "a variant",
        Node::Union(_) => "one of several kinds",
    }
}

/// What the variant of a name carries.
pub(super) fn variant<'s>(sum: &'s Enum, name: &str) -> Result<&'s VariantKind, String> {
    match sum.variants.iter().find(|variant| variant.name == name) {
        Some(variant) => Ok(&variant.kind),
        None => Err(format!("{} has no variant {name:?}", sum.name)),
    }
}

/// Says that a value does not fit a node.
#[cold]
pub(super) fn misfit(node: &Node, value: &Value<'_>) -> String {
    match (node, value) {
        // Of the right kind, so it is the range that does not fit.
        (Node::Int(_), Value::I64(number)) => {
            format!("expected {}, found {number}", expected(node))
        }
        (Node::Int(_), Value::U64(number)) => {
            format!("expected {}, found {number}", expected(node))
        }
        _ => format!("expected {}, found {}", expected(node), value.kind()),
    }
}

/// Says that a variant with content stands there by its name alone.
#[cold]
pub(super) fn bare(name: &str) -> String {
    format!("the variant {name:?} has content, found its name alone")
}

/// Says that a field is not there.
#[cold]
pub(super) fn missing(name: &str) -> String {
    format!("the field `{name}` is missing")
}

/// Says that a key is no field.
#[cold]
pub(super) fn unknown(key: &Value<'_>) -> String {
    match key {
        Value::Str(name) => format!("the shape has no field `{name}`"),
        key => format!("expected the name of a field, found {}", key.kind()),
    }
}

/// Says that an array has another number of items.
#[cold]
pub(super) fn count(expected: usize, found: usize) -> String {
    format!("expected {expected} items, found {found}")
}
