//! Generates shapes.

use manywire_shape::{
    Array, Enum, Field, Int, IntEncoding, Node, NodeId, Presence, Record, ShapeBuilder, Tagging,
    Variant, VariantKind,
};

use super::choices::Choices;

const NAMES: [&str; 10] =
    ["id", "hotelCode", "a b", "日本", "_x", "9", "snake_case", "message", "Id", "string"];

pub(super) fn shape(builder: &mut ShapeBuilder, choices: &mut Choices<'_>, depth: usize) -> NodeId {
    let kinds = if depth > 4 { 9 } else { 19 };
    let node = match choices.below(kinds) {
        0 => Node::Str,
        1 | 2 => Node::Int(Int {
            signed: choices.one_in(2),
            bits: [8, 16, 32, 64, 128][choices.below(5)],
            encoding: [IntEncoding::Varint, IntEncoding::Zigzag, IntEncoding::Fixed]
                [choices.below(3)],
        }),
        3 => Node::Bool,
        4 => Node::F64,
        5 => Node::F32,
        6 => Node::Bytes,
        7 => Node::Timestamp,
        8 => [Node::Null, Node::Any, Node::Char][choices.below(3)].clone(),
        9 | 10 => Node::Option(shape(builder, choices, depth + 1)),
        11 | 12 => Node::Array(Array {
            item: shape(builder, choices, depth + 1),
            len: None,
            non_empty: choices.one_in(4),
            never_seen_empty: choices.one_in(8),
        }),
        13 => {
            let key = match choices.below(5) {
                0 => builder.add(Node::Str),
                1 => builder.add(Node::Int(Int::signed(64))),
                2 => builder.add(Node::Bool),
                3 => builder.add(Node::F64),
                _ => builder.add(Node::Bytes),
            };
            Node::Map { key, value: shape(builder, choices, depth + 1) }
        }
        14 => {
            Node::Tuple((0..choices.below(4)).map(|_| shape(builder, choices, depth + 1)).collect())
        }
        15 => enumeration(builder, choices, depth),
        16 => {
            let mut branches =
                vec![builder.add(Node::Str), builder.add(Node::Int(Int::signed(64)))];
            if choices.one_in(2) {
                branches.push(builder.add(Node::Bool));
                branches.push(builder.add(Node::Null));
            }
            if choices.one_in(2) {
                let item = shape(builder, choices, depth + 1);
                branches.push(builder.add(Node::Array(Array::new(item))));
                let record = record(builder, choices, depth);
                branches.push(builder.add(record));
            }
            Node::Union(branches)
        }
        _ => record(builder, choices, depth),
    };
    builder.add(node)
}

pub(super) fn record(builder: &mut ShapeBuilder, choices: &mut Choices<'_>, depth: usize) -> Node {
    let count = choices.below(6);
    let fields = (0..count)
        .map(|at| {
            let name = NAMES[(at * 3 + depth) % NAMES.len()];
            let mut field = Field::new(name, shape(builder, choices, depth + 1));
            field.presence = match choices.below(4) {
                0 => Presence::Optional,
                1 => Presence::Defaulted,
                _ => Presence::Required,
            };
            // Distant numbers, not in the order of declaration.
            field.number = choices.one_in(4).then(|| 5000 - at as u32 * 700);
            field.doc = if choices.one_in(8) { "Says\n\nwhat */ it is.".into() } else { "".into() };
            field
        })
        .collect();
    let rest = choices.one_in(5).then(|| shape(builder, choices, depth + 1));
    let name = ["Root", "Hotel", "hotel room", "Kind"][choices.below(4)].into();
    Node::Record(Record { name, doc: "".into(), fields, rest })
}

fn enumeration(builder: &mut ShapeBuilder, choices: &mut Choices<'_>, depth: usize) -> Node {
    let tagging = match choices.below(4) {
        0 => Tagging::Adjacent { tag: "t".into(), content: "c".into() },
        1 => Tagging::Internal { tag: "$type".into() },
        _ => Tagging::External,
    };
    let plain = choices.one_in(3);
    let count = 1 + choices.below(4);
    let variants = (0..count)
        .map(|at| Variant {
            name: NAMES[(at * 3 + 1) % NAMES.len()].into(),
            aliases: Vec::new(),
            doc: "".into(),
            kind: match (choices.below(4), &tagging) {
                (0, _) => VariantKind::Unit,
                _ if plain => VariantKind::Unit,
                (1, Tagging::External | Tagging::Adjacent { .. }) => {
                    VariantKind::Newtype(shape(builder, choices, depth + 1))
                }
                (2, Tagging::External | Tagging::Adjacent { .. }) => VariantKind::Tuple(vec![
                    shape(builder, choices, depth + 1),
                    shape(builder, choices, depth + 1),
                ]),
                _ => {
                    let record = record(builder, choices, depth + 1);
                    VariantKind::Struct(builder.add(record))
                }
            },
            number: None,
        })
        .collect();
    Node::Enum(Enum { name: "Sum".into(), doc: "".into(), tagging, variants })
}
