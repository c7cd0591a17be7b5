//! Generates values of a shape.

use manywire_shape::{
    Arena, Int, Node, NodeId, Presence, Record, Shape, Tagging, Timestamp, Value, VariantKind,
};

use super::choices::Choices;

pub(super) fn value<'a>(
    shape: &Shape,
    node: NodeId,
    arena: &'a Arena,
    choices: &mut Choices<'_>,
) -> Value<'a> {
    match shape.node(node) {
        Node::Null => Value::Null,
        Node::Bool => Value::Bool(choices.one_in(2)),
        Node::Int(int) => integer(int, arena, choices),
        // The peer takes a negative zero for an absent field, and does not write it again.
        Node::F32 => match f32::from_bits(choices.wide() as u32) {
            0.0 => Value::F32(0.0),
            float => Value::F32(float),
        },
        Node::F64 => match f64::from_bits(choices.wide()) {
            0.0 => Value::F64(0.0),
            float => Value::F64(float),
        },
        Node::Char => Value::Str(["a", "é", "日", "\0"][choices.below(4)]),
        Node::Str => {
            Value::Str(arena.alloc_str(&"é1".repeat(choices.below(3) * choices.below(50))))
        }
        Node::Bytes => Value::Bytes(arena.alloc_slice_fill_copy(choices.below(200), 0xfe)),
        Node::Timestamp => Value::Timestamp(
            Timestamp::new(choices.wide().cast_signed(), choices.wide() as u32 % 1_000_000_000)
                .expect("less than a second"),
        ),
        Node::Any => any_value(arena, choices, 0),
        Node::Option(_) if choices.one_in(2) => Value::Null,
        Node::Option(inner) => value(shape, *inner, arena, choices),
        Node::Array(array) => {
            let count = choices.below(4) + usize::from(array.non_empty || array.never_seen_empty);
            let items: Vec<_> =
                (0..count).map(|_| value(shape, array.item, arena, choices)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Node::Tuple(items) => {
            let items: Vec<_> =
                items.iter().map(|item| value(shape, *item, arena, choices)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Node::Map { key, value: inner } => {
            let mut entries: Vec<(Value<'a>, Value<'a>)> = Vec::new();
            for _ in 0..choices.below(4) {
                let key = value(shape, *key, arena, choices);
                if entries.iter().all(|entry| entry.0 != key) {
                    entries.push((key, value(shape, *inner, arena, choices)));
                }
            }
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        Node::Record(record) => {
            Value::Map(arena.alloc_slice_copy(&entries(shape, record, arena, choices)))
        }
        Node::Enum(each) => {
            let variant = &each.variants[choices.below(each.variants.len())];
            let name = Value::Str(arena.alloc_str(&variant.name));
            let content = match &variant.kind {
                VariantKind::Unit => None,
                VariantKind::Newtype(node) | VariantKind::Struct(node) => {
                    Some(value(shape, *node, arena, choices))
                }
                VariantKind::Tuple(items) => {
                    let items: Vec<_> =
                        items.iter().map(|item| value(shape, *item, arena, choices)).collect();
                    Some(Value::Array(arena.alloc_slice_copy(&items)))
                }
            };
            let entries = match (&each.tagging, content) {
                (Tagging::External, None) => return name,
                (Tagging::External, Some(content)) => vec![(name, content)],
                (Tagging::Adjacent { .. }, None) => vec![(Value::Str("t"), name)],
                (Tagging::Adjacent { .. }, Some(content)) => {
                    vec![(Value::Str("t"), name), (Value::Str("c"), content)]
                }
                (Tagging::Internal { .. }, content) => {
                    let mut entries = vec![(Value::Str("$type"), name)];
                    if let Some(Value::Map(fields)) = content {
                        entries.extend_from_slice(fields);
                    }
                    entries
                }
            };
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        Node::Union(branches) => {
            let branch = branches[choices.below(branches.len())];
            value(shape, branch, arena, choices)
        }
    }
}

pub(super) fn entries<'a>(
    shape: &Shape,
    record: &Record,
    arena: &'a Arena,
    choices: &mut Choices<'_>,
) -> Vec<(Value<'a>, Value<'a>)> {
    let mut entries = Vec::new();
    for field in &record.fields {
        let value = value(shape, field.node, arena, choices);
        // An optional field that is null is the same as an absent one.
        let may_go = field.presence == Presence::Optional;
        let absent =
            may_go && (choices.one_in(2) || value == Value::Null && is_option(shape, field.node));
        if !absent {
            entries.push((Value::Str(arena.alloc_str(&field.name)), value));
        }
    }
    if let Some(rest) = record.rest {
        for at in 0..choices.below(3) {
            let name = arena.alloc_str(&format!("extra {at}"));
            entries.push((Value::Str(name), value(shape, rest, arena, choices)));
        }
    }
    entries
}

fn is_option(shape: &Shape, node: NodeId) -> bool {
    matches!(shape.node(node), Node::Option(_))
}

fn integer<'a>(int: &Int, arena: &'a Arena, choices: &mut Choices<'_>) -> Value<'a> {
    let wide = choices.wide();
    let negative = int.signed && choices.one_in(2);
    if int.bits == 128 {
        let text = match negative {
            true => (-i128::from(wide) * 5).to_string(),
            false => (u128::from(wide) * 5).to_string(),
        };
        return match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(small), _) => Value::I64(small),
            (_, Ok(small)) => Value::U64(small),
            _ => Value::Number(arena.alloc_str(&text)),
        };
    }
    let magnitude = wide >> (64 - int.bits + u8::from(int.signed));
    match negative {
        true => Value::I64(!magnitude.cast_signed()),
        false => Value::from(magnitude),
    }
}

fn any_value<'a>(arena: &'a Arena, choices: &mut Choices<'_>, depth: usize) -> Value<'a> {
    match choices.below(if depth > 3 { 10 } else { 12 }) {
        0 => Value::Null,
        1 => Value::Bool(choices.one_in(2)),
        2 => Value::from(choices.wide()),
        3 => Value::I64(choices.wide().cast_signed()),
        4 => Value::F32(f32::from_bits(choices.next().into())),
        5 => Value::F64(f64::from_bits(choices.wide())),
        6 => Value::Str("any"),
        7 => Value::Bytes(b"\xff"),
        8 => Value::Number("0.1234567890123456789012345"),
        9 => Value::Timestamp(Timestamp { seconds: 0, nanoseconds: 0 }),
        10 => {
            let items: Vec<_> =
                (0..choices.below(3)).map(|_| any_value(arena, choices, depth + 1)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        _ => {
            let entries: Vec<_> = ["", "k", "long key"]
                .iter()
                .take(choices.below(4))
                .map(|key| (Value::Str(key), any_value(arena, choices, depth + 1)))
                .collect();
            Value::Map(arena.alloc_slice_copy(&entries))
        }
    }
}
