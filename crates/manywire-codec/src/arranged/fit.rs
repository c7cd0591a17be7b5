//! Checks whether values fit the nodes of a shape, finds fields and variants by their names, and
//! chooses the branch of a union.

use manywire_shape::{
    Enum, Field, Int, Node, NodeId, Record, Shape, Tagging, Value, Variant, VariantKind,
};

/// Checks that a scalar has the node's type and lies within its range. An integer is accepted as a
/// float.
pub(super) fn fits_scalar(node: &Node, value: &Value<'_>) -> bool {
    match (node, value) {
        (Node::Any, _)
        | (Node::Null, Value::Null)
        | (Node::Bool, Value::Bool(_))
        | (Node::F32 | Node::F64, Value::F32(_) | Value::F64(_))
        | (Node::F32 | Node::F64, Value::I64(_) | Value::Long(_) | Value::U64(_))
        | (Node::Char | Node::Str, Value::Str(_))
        | (Node::Bytes, Value::Bytes(_))
        | (Node::Timestamp, Value::Timestamp(_)) => true,
        (Node::Int(int), Value::I64(value) | Value::Long(value)) => within(*int, (*value).into()),
        (Node::Int(int), Value::U64(value)) => within(*int, (*value).into()),
        (Node::Int(Int { bits: 128, signed: true, .. }), Value::Number(text)) => {
            text.parse::<i128>().is_ok()
        }
        (Node::Int(Int { bits: 128, signed: false, .. }), Value::Number(text)) => {
            text.parse::<u128>().is_ok()
        }
        _ => false,
    }
}

/// Returns the integer or boolean that a key represents in formats whose keys are text, such as
/// JSON, if it fits the node.
pub(super) fn typed_key<'t>(node: &Node, text: &'t str) -> Option<Value<'t>> {
    match node {
        Node::Int(_) | Node::Bool => {
            Value::from_key_text(text).filter(|key| fits_scalar(node, key))
        }
        _ => None,
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

/// Describes the values that a node accepts, for error messages.
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

/// Returns the field with this name, or otherwise with this alias.
pub(super) fn field<'s>(record: &'s Record, name: &str) -> Option<&'s Field> {
    record.fields.get(field_index(record, name)?)
}

/// Returns the index of the field with this name, or otherwise with this alias.
pub(super) fn field_index(record: &Record, name: &str) -> Option<usize> {
    let by_name = record.fields.iter().position(|field| field.name == name);
    by_name.or_else(|| record.fields.iter().position(|field| field.is_named(name)))
}

/// Returns the variant with this name or alias.
pub(super) fn variant<'s>(sum: &'s Enum, name: &str) -> Result<&'s Variant, String> {
    let found = sum.variants.iter().find(|variant| variant.is_named(name));
    found.ok_or_else(|| format!("{} has no variant {name:?}", sum.name))
}

/// Builds the message for a value that does not fit a node.
#[cold]
pub(super) fn misfit(node: &Node, value: &Value<'_>) -> String {
    match (node, value) {
        // The type is right, so the range is not.
        (Node::Int(_), Value::I64(number) | Value::Long(number)) => {
            format!("expected {}, found {number}", expected(node))
        }
        (Node::Int(_), Value::U64(number)) => {
            format!("expected {}, found {number}", expected(node))
        }
        _ => format!("expected {}, found {}", expected(node), value.kind()),
    }
}

/// Builds the message for a variant with content that is written as its name alone.
#[cold]
pub(super) fn missing_content(name: &str) -> String {
    format!("the variant {name:?} has content, found its name alone")
}

/// Builds the message for a missing field.
#[cold]
pub(super) fn missing_field(name: &str) -> String {
    format!("the field `{name}` is missing")
}

/// Builds the message for a key that is not a field.
#[cold]
pub(super) fn unknown_key(key: &Value<'_>) -> String {
    match key {
        Value::Str(name) => format!("the shape has no field `{name}`"),
        key => format!("expected the name of a field, found {}", key.kind()),
    }
}

/// The message for an item beyond the last field of a type that denies unknown fields.
pub(super) const DENIED_ITEM: &str =
    "the type denies unknown fields and has no field for this item";

/// The message for an item beyond the last field of any other record.
pub(super) const EXTRA_ITEM: &str = "the schema has no field for this item";

/// A node, and whether records there keep their names.
#[derive(Clone, Copy)]
pub(super) struct NodePosition {
    pub(super) node: NodeId,
    pub(super) named: bool,
}

impl NodePosition {
    pub(super) fn of(node: NodeId) -> Self {
        NodePosition { node, named: false }
    }
}

// Unions: the branch that a value belongs to.

/// The container types that the bytes can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Map,
}

/// Returns the position below options and unions: the branch that takes the value's type, or the
/// position of the union if no branch does.
pub(super) fn value_position(
    shape: &Shape,
    position: NodePosition,
    value: &Value<'_>,
) -> NodePosition {
    resolve_union(shape, position, |node| match value {
        Value::Null => matches!(node, Node::Null | Node::Any),
        Value::Array(_) => matches!(node, Node::Array(_) | Node::Tuple(_) | Node::Any),
        Value::Map(_) => is_map(node),
        Value::Str(name) => {
            fits_scalar(node, value) || matches!(node, Node::Enum(_) if is_unit(node, name))
        }
        _ => fits_scalar(node, value),
    })
}

/// Returns the position of a container that is about to be read.
pub(super) fn container_position(
    shape: &Shape,
    position: NodePosition,
    container: Container,
) -> NodePosition {
    resolve_union(shape, position, |node| match container {
        Container::Array => match node {
            Node::Array(_) | Node::Tuple(_) | Node::Any => true,
            // Records of a union are written as arrays only if no branch is an array.
            node => is_positional(node) && !has_arrays(shape, position.node),
        },
        Container::Map => is_map(node),
    })
}

/// Descends through options and into the union branch for which `takes` returns true.
fn resolve_union(
    shape: &Shape,
    mut position: NodePosition,
    takes: impl Fn(&Node) -> bool,
) -> NodePosition {
    // A shape may be an option of itself, so the loop is bounded. No value nests that many options.
    for _ in 0..shape.nodes().len() {
        position = match shape.node(position.node) {
            Node::Option(inner) => NodePosition { node: *inner, ..position },
            Node::Union(branches) => {
                let named = position.named || has_arrays(shape, position.node);
                let taken =
                    branches.iter().find(|branch| takes(shape.node(skip_options(shape, **branch))));
                match taken {
                    Some(branch) => NodePosition { node: *branch, named },
                    None => return position,
                }
            }
            _ => return position,
        };
    }
    position
}

/// Returns the node below all options.
fn skip_options(shape: &Shape, mut node: NodeId) -> NodeId {
    for _ in 0..shape.nodes().len() {
        match shape.node(node) {
            Node::Option(inner) => node = *inner,
            _ => break,
        }
    }
    node
}

/// Checks whether null fits a node.
pub(super) fn takes_null(shape: &Shape, node: NodeId) -> bool {
    match shape.node(node) {
        Node::Null | Node::Any | Node::Option(_) => true,
        Node::Union(branches) => branches
            .iter()
            .any(|branch| matches!(shape.node(*branch), Node::Null | Node::Any | Node::Option(_))),
        _ => false,
    }
}

fn has_arrays(shape: &Shape, node: NodeId) -> bool {
    let Node::Union(branches) = shape.node(skip_options(shape, node)) else { return false };
    branches.iter().any(|branch| {
        let node = shape.node(skip_options(shape, *branch));
        matches!(node, Node::Array(_) | Node::Tuple(_) | Node::Any)
    })
}

fn is_map(node: &Node) -> bool {
    match node {
        Node::Map { .. } | Node::Record(_) | Node::Any => true,
        Node::Enum(sum) => {
            sum.tagging != Tagging::External
                || sum.variants.iter().any(|variant| variant.kind != VariantKind::Unit)
        }
        _ => false,
    }
}

fn is_positional(node: &Node) -> bool {
    match node {
        Node::Record(record) => record.rest.is_none(),
        Node::Enum(sum) => sum.tagging != Tagging::External,
        _ => false,
    }
}

fn is_unit(node: &Node, name: &str) -> bool {
    let Node::Enum(sum) = node else { return false };
    let is_unit = |variant: &Variant| variant.kind == VariantKind::Unit && variant.is_named(name);
    sum.tagging == Tagging::External && sum.variants.iter().any(is_unit)
}
