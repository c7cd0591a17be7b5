//! Dynamic values in the array layout, written and read by their shape.

mod generated;
mod key;
mod record;
mod union;
mod variant;

use manywire_codec::{Category, Limits, Result, msgpack};
use manywire_shape::{
    Arena, Array, Enum, Field, Node, NodeId, Presence, Record, Shape, ShapeBuilder, Tagging, Value,
    Variant, VariantKind,
};

fn write(shape: &Shape, value: &Value<'_>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    msgpack::encode_arranged(value, shape, &mut out)?;
    Ok(out)
}

fn read<'a>(shape: &'a Shape, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
    msgpack::read_arranged(shape, bytes, arena, Limits::DEFAULT)
}

/// Parses JSON text.
fn json<'a>(text: &str, arena: &'a Arena) -> Value<'a> {
    let text = arena.alloc_str(text);
    manywire_codec::json::read_value(text.as_bytes(), arena, Limits::DEFAULT).unwrap()
}

fn record(fields: Vec<Field>) -> Node {
    Node::Record(Record { name: "R".into(), doc: "".into(), fields, rest: None })
}

fn field(name: &'static str, node: NodeId, presence: Presence) -> Field {
    Field { presence, ..Field::new(name, node) }
}

fn variant(name: &'static str, kind: VariantKind) -> Variant {
    Variant { name: name.into(), aliases: vec![], doc: "".into(), kind, number: None }
}

fn sum(tagging: Tagging, variants: Vec<Variant>) -> Node {
    Node::Enum(Enum { name: "E".into(), doc: "".into(), tagging, variants })
}

fn array_of(item: NodeId) -> Node {
    Node::Array(Array::new(item))
}

#[test]
fn rejects_deep_input() {
    let mut builder = ShapeBuilder::default();
    let root = builder.named("nest", |builder| {
        let inner = builder.named("nest", |_| Node::Null);
        record(vec![field("a", inner, Presence::Optional)])
    });
    let shape = builder.finish(root);
    let arena = Arena::new();
    let bytes = vec![0x91; 100_000];
    assert_eq!(read(&shape, &bytes, &arena).unwrap_err().category(), Category::Limit);
    // A type that is an option of itself has no end, but a value does.
    let mut builder = ShapeBuilder::default();
    let root =
        builder.named("endless", |builder| Node::Option(builder.named("endless", |_| Node::Null)));
    let shape = builder.finish(root);
    assert!(read(&shape, &[0x05], &arena).is_err());
    assert!(write(&shape, &Value::I64(5)).is_err());
    assert_eq!(read(&shape, &[0xc0], &arena).unwrap(), Value::Null);
}
