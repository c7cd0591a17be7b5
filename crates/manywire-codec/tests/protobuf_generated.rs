//! Generated shapes and values of them, through our codec and through prost-reflect over the
//! `.proto` we write: what we write it reads, and what it writes we read.

mod protobuf_peer;

use manywire_codec::Limits;
use manywire_codec::protobuf::Plan;
use manywire_shape::proto::Schema;
use manywire_shape::{
    Arena, Array, Enum, Field, Int, IntEncoding, Node, NodeId, Presence, Record, Shape,
    ShapeBuilder, Tagging, Timestamp, Value, ValueSeed, Variant, VariantKind,
};
use proptest::collection::vec;
use proptest::prelude::*;
use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message as _;
use protobuf_peer::{compile, has_unknown_fields};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1_500)
    })]

    #[test]
    fn values_of_generated_shapes(choices in vec(any::<u16>(), 50..1_500).prop_map(Drawn)) {
        check(&mut Choices { choices: &choices.0, at: 0 });
    }
}

fn check(choices: &mut Choices<'_>) {
    let mut builder = ShapeBuilder::default();
    let root = match choices.one_in(4) {
        true => shape(&mut builder, choices, 0),
        false => {
            let record = record(&mut builder, choices, 0);
            builder.add(record)
        }
    };
    let shape = builder.finish(root);
    let schema = Schema::from_shape(&shape).expect("a schema");
    let text = schema.to_proto("test");
    let pool = compile(&text);
    let name = format!("test.{}", schema.messages[schema.root].name);
    let descriptor = pool.get_message_by_name(&name).expect("the root message");
    let plan = Plan::new(&schema).expect("a plan");
    let arena = Arena::new();
    for _ in 0..3 {
        let value = value(&shape, root, &arena, choices);
        let mut bytes = Vec::new();
        if let Err(error) = plan.encode(&value, &mut bytes) {
            panic!("{error}\n{value:?}\n{text}");
        }
        let read = |bytes: &[u8]| {
            let bytes = arena.alloc_slice_copy(bytes);
            plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT)
                .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"))
        };
        assert_eq!(read(&bytes), value, "\n{text}");

        let peer = DynamicMessage::decode(descriptor.clone(), &*bytes).expect("the peer reads it");
        assert!(!has_unknown_fields(&peer), "{peer:?}\n{text}");
        // The peer keeps maps in no order.
        let theirs = read(&peer.encode_to_vec());
        assert_eq!(sorted(theirs, &arena), sorted(value, &arena), "\n{text}");

        // Whatever the order of the fields.
        let mut shuffled = shuffle(&bytes, choices);
        shuffled.extend_from_slice(b"\xf8\xff\xff\xff\x0f\x01");
        assert_eq!(sorted(read(&shuffled), &arena), sorted(value, &arena), "\n{text}");
    }
}

/// Entries of all maps in one order.
fn sorted<'a>(value: Value<'a>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            Value::Array(arena.alloc_slice_fill_iter(items.iter().map(|item| sorted(*item, arena))))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (sorted(*key, arena), sorted(*value, arena)))
                .collect();
            entries.sort_by_cached_key(|entry| format!("{:?}", entry.0));
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        other => other,
    }
}

/// The fields of a message with those of other numbers moved before them; fields of one number
/// stay in order, which is all the encoding asks for. Oneofs have one member at this level.
fn shuffle(bytes: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut fields: Vec<(u64, u16, &[u8])> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = rest;
        let tag = varint(&mut rest);
        let size = match tag & 7 {
            0 => {
                varint(&mut rest);
                0
            }
            1 => 8,
            5 => 4,
            _ => varint(&mut rest) as usize,
        };
        rest = &rest[size..];
        fields.push((tag >> 3, 0, &start[..start.len() - rest.len()]));
    }
    // A random place for each number.
    let salt = choices.next();
    fields.sort_by_key(|field| (field.0.wrapping_mul(u64::from(salt) | 1)) % 31);
    fields.into_iter().flat_map(|field| field.2.to_vec()).collect()
}

fn varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = rest[0];
        *rest = &rest[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// What proptest generated; failures show shape and value, not the numbers they were made from.
struct Drawn(Vec<u16>);

impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} choices", self.0.len())
    }
}

/// Choices drawn from what proptest generated, zero once they run out: so that it can shrink.
struct Choices<'a> {
    choices: &'a [u16],
    at: usize,
}

impl Choices<'_> {
    fn next(&mut self) -> u16 {
        self.at += 1;
        self.choices.get(self.at - 1).copied().unwrap_or(0)
    }

    fn below(&mut self, count: usize) -> usize {
        usize::from(self.next()) % count
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    fn wide(&mut self) -> u64 {
        let bits = [0, 1, 7, 8, 14, 31, 32, 63, 64][self.below(9)];
        let all = (0..4).fold(0, |sum, _| sum << 16 | u64::from(self.next()));
        if bits == 0 { 0 } else { all >> (64 - bits) }
    }
}

const NAMES: [&str; 10] =
    ["id", "hotelCode", "a b", "日本", "_x", "9", "snake_case", "message", "Id", "string"];

fn shape(builder: &mut ShapeBuilder, choices: &mut Choices<'_>, depth: usize) -> NodeId {
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
                branches.push(builder.add(Node::Array(Array {
                    item,
                    len: None,
                    non_empty: false,
                })));
                let record = record(builder, choices, depth);
                branches.push(builder.add(record));
            }
            Node::Union(branches)
        }
        _ => record(builder, choices, depth),
    };
    builder.add(node)
}

fn record(builder: &mut ShapeBuilder, choices: &mut Choices<'_>, depth: usize) -> Node {
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
            // Far apart, and not in the order of declaration.
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

fn value<'a>(
    shape: &Shape,
    node: NodeId,
    arena: &'a Arena,
    choices: &mut Choices<'_>,
) -> Value<'a> {
    match shape.node(node) {
        Node::Null => Value::Null,
        Node::Bool => Value::Bool(choices.one_in(2)),
        Node::Int(int) => integer(int, arena, choices),
        Node::F32 => Value::F32(f32::from_bits(choices.wide() as u32)),
        Node::F64 => Value::F64(f64::from_bits(choices.wide())),
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
            let count = choices.below(4) + usize::from(array.non_empty);
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

fn entries<'a>(
    shape: &Shape,
    record: &Record,
    arena: &'a Arena,
    choices: &mut Choices<'_>,
) -> Vec<(Value<'a>, Value<'a>)> {
    let mut entries = Vec::new();
    for field in &record.fields {
        let value = value(shape, field.node, arena, choices);
        // An optional field that is null is one that is absent.
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
