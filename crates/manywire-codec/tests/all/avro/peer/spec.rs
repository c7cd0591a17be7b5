//! Specifications of generated shapes.

use manywire_shape::{
    Array, Enum, Field, Int, Node, NodeId, Presence, Record, ShapeBuilder, Tagging, Variant,
    VariantKind,
};
use proptest::prelude::*;

/// The specification of a shape.
#[derive(Clone, Debug)]
pub(super) enum Spec {
    Null,
    Bool,
    Int(Int),
    F32,
    F64,
    Str,
    Bytes,
    Timestamp,
    Any,
    Option(Box<Spec>),
    Array(Box<Spec>),
    Tuple(Vec<Spec>),
    Map(Box<Spec>),
    /// A map with integer keys.
    Pairs(Box<Spec>),
    /// Fields, and whether each is optional.
    Record(Vec<(bool, Spec)>),
    /// An enum of this many unit variants.
    Names(usize),
    /// 0: external tags, 1: internal, 2: adjacent; and the content of the variants.
    Sum(u8, Vec<Spec>),
    /// Scalars of different types, and optionally a list of them.
    Union(Vec<Spec>),
}

/// Names, some of which are invalid in Avro.
pub(super) const NAMES: &[&str] = &["a", "b c", "größe", "d", "e-mail", "1st", "type", "h"];

pub(super) fn spec() -> impl Strategy<Value = Spec> {
    let int = (any::<bool>(), prop::sample::select(vec![8u8, 16, 32, 64, 128]))
        .prop_map(|(signed, bits)| Spec::Int(Int { signed, ..Int::signed(bits) }));
    let leaf = prop_oneof![
        Just(Spec::Null),
        Just(Spec::Bool),
        int,
        Just(Spec::F32),
        Just(Spec::F64),
        Just(Spec::Str),
        Just(Spec::Bytes),
        Just(Spec::Timestamp),
        Just(Spec::Any),
        (1usize..5).prop_map(Spec::Names),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let list = |most| prop::collection::vec(inner.clone(), 1..most);
        let fields = prop::collection::vec((any::<bool>(), inner.clone()), 0..8);
        prop_oneof![
            boxed().prop_map(Spec::Option),
            boxed().prop_map(Spec::Array),
            list(4).prop_map(Spec::Tuple),
            boxed().prop_map(Spec::Map),
            boxed().prop_map(Spec::Pairs),
            fields.prop_map(Spec::Record),
            (0u8..3, list(4)).prop_map(|(tagging, variants)| Spec::Sum(tagging, variants)),
            Just(Spec::Union(vec![
                Spec::Null,
                Spec::Bool,
                Spec::Int(Int::signed(64)),
                Spec::F64,
                Spec::Str,
                Spec::Bytes,
                Spec::Array(Box::new(Spec::F32)),
            ])),
        ]
    })
}

fn record(fields: Vec<Field>) -> Node {
    Node::Record(Record { name: "Record".into(), doc: "".into(), fields, rest: None })
}

fn tagging(number: u8) -> Tagging {
    match number {
        0 => Tagging::External,
        1 => Tagging::Internal { tag: "$tag".into() },
        _ => Tagging::Adjacent { tag: "$tag".into(), content: "$content".into() },
    }
}

pub(super) fn node(spec: &Spec, b: &mut ShapeBuilder) -> NodeId {
    let node = match spec {
        Spec::Null => Node::Null,
        Spec::Bool => Node::Bool,
        Spec::Int(int) => Node::Int(*int),
        Spec::F32 => Node::F32,
        Spec::F64 => Node::F64,
        Spec::Str => Node::Str,
        Spec::Bytes => Node::Bytes,
        Spec::Timestamp => Node::Timestamp,
        Spec::Any => Node::Any,
        Spec::Option(inner) => Node::Option(node(inner, b)),
        Spec::Array(item) => Node::Array(Array::new(node(item, b))),
        Spec::Tuple(items) => Node::Tuple(items.iter().map(|item| node(item, b)).collect()),
        Spec::Map(value) => Node::Map { key: b.add(Node::Str), value: node(value, b) },
        Spec::Pairs(value) => {
            Node::Map { key: b.add(Node::Int(Int::signed(32))), value: node(value, b) }
        }
        Spec::Record(fields) => record(self::fields(fields, b)),
        Spec::Names(count) => sum(
            Tagging::External,
            NAMES[..*count].iter().map(|name| variant(name, VariantKind::Unit)).collect(),
        ),
        Spec::Sum(number, specs) => {
            let variants = specs.iter().zip(NAMES).map(|(spec, name)| {
                let kind = match (number, spec) {
                    (_, Spec::Null) => VariantKind::Unit,
                    (_, Spec::Record(_)) => VariantKind::Struct(node(spec, b)),
                    (1, _) => {
                        let inner = Field::new("inner", node(spec, b));
                        VariantKind::Struct(b.add(record(vec![inner])))
                    }
                    (_, Spec::Tuple(items)) => {
                        VariantKind::Tuple(items.iter().map(|item| node(item, b)).collect())
                    }
                    _ => VariantKind::Newtype(node(spec, b)),
                };
                variant(name, kind)
            });
            let variants = variants.collect();
            sum(tagging(*number), variants)
        }
        Spec::Union(branches) => Node::Union(branches.iter().map(|spec| node(spec, b)).collect()),
    };
    b.add(node)
}

pub(super) fn fields(fields: &[(bool, Spec)], b: &mut ShapeBuilder) -> Vec<Field> {
    let fields = fields.iter().zip(NAMES).map(|((optional, spec), name)| Field {
        presence: if *optional { Presence::Optional } else { Presence::Required },
        ..Field::new(*name, node(spec, b))
    });
    fields.collect()
}

fn variant(name: &'static str, kind: VariantKind) -> Variant {
    Variant { name: name.into(), aliases: vec![], doc: "".into(), kind, number: None }
}

fn sum(tagging: Tagging, variants: Vec<Variant>) -> Node {
    Node::Enum(Enum { name: "Sum".into(), doc: "".into(), tagging, variants })
}
