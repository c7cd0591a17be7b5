//! Generated shapes and values of them: what we write, Apache's own crate reads by the schema
//! text we emit, and what it writes of that, we read. Values come back as they were, whatever the
//! order of their fields.

mod avsc;

use apache_avro::types::Value as Peer;
use manywire_codec::Limits;
use manywire_codec::avro::Plan;
use manywire_shape::avro::Schema;
use manywire_shape::{
    Arena, Array, Enum, Ext, Field, Int, Node, NodeId, Presence, Record, Shape, ShapeBuilder,
    Space, Tagging, Timestamp, Value, ValueSeed, Variant, VariantKind,
};
use proptest::prelude::*;

/// What a shape is made from.
#[derive(Clone, Debug)]
enum Spec {
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
    /// A map with integers for keys.
    Pairs(Box<Spec>),
    /// Fields, and whether each may be left out.
    Record(Vec<(bool, Spec)>),
    /// Names alone, so many.
    Names(usize),
    /// 0: external tags, 1: internal, 2: adjacent; what the variants carry.
    Sum(u8, Vec<Spec>),
    /// Scalars of different kinds, and perhaps a list of them.
    Union(Vec<Spec>),
}

/// Names, some of which are none to Avro.
const NAMES: &[&str] = &["a", "b c", "größe", "d", "e-mail", "1st", "type", "h"];

fn spec() -> impl Strategy<Value = Spec> {
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

fn node(spec: &Spec, b: &mut ShapeBuilder) -> NodeId {
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
        Spec::Array(item) => {
            Node::Array(Array { item: node(item, b), len: None, non_empty: false })
        }
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

fn fields(fields: &[(bool, Spec)], b: &mut ShapeBuilder) -> Vec<Field> {
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

/// Chooses what a value holds: splitmix64, so that a failure is told by its seed.
struct Choice(u64);

impl Choice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Bits of every magnitude.
    fn magnitude(&mut self) -> u64 {
        let shift = self.below(64);
        self.bits() >> shift
    }

    fn text<'a>(&mut self, arena: &'a Arena) -> &'a str {
        let len = self.below(12);
        let letters = ['a', 'Z', 'é', '日', '\0', '"', '\u{10ffff}'];
        arena.alloc_str(&(0..len).map(|_| letters[self.below(letters.len())]).collect::<String>())
    }

    fn number<'a>(&mut self, int: Int, arena: &'a Arena) -> Value<'a> {
        let wide = (u128::from(self.bits()) << 64 | u128::from(self.bits())) >> self.below(128);
        let unused = 128 - u32::from(int.bits);
        if int.signed {
            let value = (wide << unused).cast_signed() >> unused;
            match i64::try_from(value) {
                Ok(value) => Value::I64(value),
                Err(_) => match u64::try_from(value) {
                    Ok(value) => Value::from(value),
                    Err(_) => Value::Number(arena.alloc_str(&value.to_string())),
                },
            }
        } else {
            // A long ends where an i64 does.
            let unused = if int.bits == 64 { 65 } else { unused };
            let value = (wide << unused) >> unused;
            match u64::try_from(value) {
                Ok(value) => Value::from(value),
                Err(_) => Value::Number(arena.alloc_str(&value.to_string())),
            }
        }
    }

    fn anything<'a>(&mut self, depth: usize, arena: &'a Arena) -> Value<'a> {
        match self.below(if depth == 0 { 11 } else { 14 }) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 | 3 => self.value(&Spec::Int(Int::signed(64)), arena),
            4 => Value::U64(u64::MAX - self.magnitude() / 2),
            5 => self.number(Int::signed(128), arena),
            6 => Value::Number("-1.5e400"),
            7 => self.value(&Spec::F32, arena),
            8 => self.value(&Spec::F64, arena),
            9 => self.value(&Spec::Str, arena),
            10 => self.value(&Spec::Timestamp, arena),
            11 => {
                let items: Vec<_> =
                    (0..self.below(4)).map(|_| self.anything(depth - 1, arena)).collect();
                Value::Array(arena.alloc_slice_copy(&items))
            }
            12 => {
                let mixed = self.below(3) == 0;
                let entries: Vec<_> = (0..self.below(4))
                    .map(|index| {
                        // The peer keeps maps in a hash map, which has each key once.
                        let key = if mixed {
                            self.anything(depth - 1, arena)
                        } else {
                            let text = self.text(arena);
                            Value::Str(arena.alloc_str(&format!("{index}{text}")))
                        };
                        (key, self.anything(depth - 1, arena))
                    })
                    .collect();
                Value::Map(arena.alloc_slice_copy(&entries))
            }
            _ => Value::Ext(arena.alloc(Ext {
                space: Space::CborTag,
                code: self.magnitude(),
                content: self.anything(depth - 1, arena),
            })),
        }
    }

    fn value<'a>(&mut self, spec: &Spec, arena: &'a Arena) -> Value<'a> {
        match spec {
            Spec::Null => Value::Null,
            Spec::Bool => Value::Bool(self.below(2) == 1),
            Spec::Int(int) => self.number(*int, arena),
            Spec::F32 => Value::F32(f32::from_bits(self.bits() as u32)),
            Spec::F64 => Value::F64(f64::from_bits(self.bits())),
            Spec::Str => Value::Str(self.text(arena)),
            Spec::Bytes => Value::Bytes(self.text(arena).as_bytes()),
            Spec::Timestamp => {
                let seconds = self.magnitude().cast_signed();
                let nanoseconds = self.below(1_000_000_000) as u32;
                Value::Timestamp(Timestamp { seconds, nanoseconds })
            }
            Spec::Any => self.anything(3, arena),
            Spec::Option(inner) if self.below(2) == 0 => self.value(inner, arena),
            Spec::Option(_) => Value::Null,
            Spec::Array(item) => {
                let len = self.below(5);
                let items: Vec<_> = (0..len).map(|_| self.value(item, arena)).collect();
                Value::Array(arena.alloc_slice_copy(&items))
            }
            Spec::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(item, arena)).collect();
                Value::Array(arena.alloc_slice_copy(&items))
            }
            Spec::Map(value) => {
                let keys = NAMES.iter().filter(|_| self.below(3) == 0).collect::<Vec<_>>();
                let entries = keys.iter().map(|key| (Value::Str(key), self.value(value, arena)));
                Value::Map(arena.alloc_slice_copy(&entries.collect::<Vec<_>>()))
            }
            Spec::Pairs(value) => {
                let entries = (0..self.below(4))
                    .map(|key| (Value::I64(key as i64), self.value(value, arena)));
                let entries: Vec<_> = entries.collect();
                Value::Map(arena.alloc_slice_copy(&entries))
            }
            Spec::Record(fields) => Value::Map(self.entries(None, fields, arena)),
            Spec::Names(count) => Value::Str(NAMES[self.below(*count)]),
            Spec::Union(branches) => {
                let branch = &branches[self.below(branches.len())];
                self.value(branch, arena)
            }
            Spec::Sum(number, variants) => {
                let index = self.below(variants.len());
                let (name, spec) = (Value::Str(NAMES[index]), &variants[index]);
                let tag = (Value::Str("$tag"), name);
                let entries = match (number, spec) {
                    (0, Spec::Null) => return name,
                    (0, spec) => vec![(name, self.value(spec, arena))],
                    (_, Spec::Null) => vec![tag],
                    (1, Spec::Record(fields)) => {
                        return Value::Map(self.entries(Some(tag), fields, arena));
                    }
                    (1, spec) => vec![tag, (Value::Str("inner"), self.value(spec, arena))],
                    (_, spec) => vec![tag, (Value::Str("$content"), self.value(spec, arena))],
                };
                Value::Map(arena.alloc_slice_copy(&entries))
            }
        }
    }

    fn entries<'a>(
        &mut self,
        tag: Option<(Value<'a>, Value<'a>)>,
        fields: &[(bool, Spec)],
        arena: &'a Arena,
    ) -> &'a [(Value<'a>, Value<'a>)] {
        let mut entries: Vec<_> = tag.into_iter().collect();
        for ((optional, spec), name) in fields.iter().zip(NAMES) {
            let value = self.value(spec, arena);
            // A null that may be left out is: Avro has one null for both.
            let left_out = *optional && (value == Value::Null || self.below(2) == 0);
            if !left_out {
                entries.push((Value::Str(name), value));
            }
        }
        arena.alloc_slice_copy(&entries)
    }
}

/// The value with the entries of every map in another order.
fn shuffled<'a>(value: Value<'a>, choice: &mut Choice, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| shuffled(*item, choice, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (*key, shuffled(*value, choice, arena)))
                .collect();
            for at in 1..entries.len() {
                entries.swap(at, choice.below(at + 1));
            }
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        value => value,
    }
}

/// The value with the entries of every map sorted, since the peer keeps maps in hash order.
fn sorted<'a>(value: Value<'a>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| sorted(*item, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (sorted(*key, arena), sorted(*value, arena)))
                .collect();
            entries.sort_by_key(|(key, value)| format!("{key:?}{value:?}"));
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        Value::Ext(ext) => {
            Value::Ext(arena.alloc(Ext { content: sorted(ext.content, arena), ..*ext }))
        }
        value => value,
    }
}

/// Whether the peer understood scalars and their order as we meant them.
fn leaves(peer: &Peer, out: &mut Vec<String>) {
    match peer {
        Peer::Null => {}
        Peer::Boolean(value) => out.push(value.to_string()),
        Peer::Int(value) => out.push(value.to_string()),
        Peer::Long(value) => out.push(value.to_string()),
        Peer::Float(value) => out.push(format!("f32 {:08x}", value.to_bits())),
        Peer::Double(value) => out.push(format!("f64 {:016x}", value.to_bits())),
        Peer::Bytes(bytes) => out.push(format!("{bytes:?}")),
        Peer::String(text) => out.push(text.clone()),
        Peer::Union(_, inner) => leaves(inner, out),
        Peer::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Peer::Map(entries) => {
            for (key, value) in entries {
                out.push(key.clone());
                leaves(value, out);
            }
        }
        Peer::Record(fields) => fields.iter().for_each(|(_, value)| leaves(value, out)),
        // What is left are symbols and decimals, which the second half of the test covers.
        other => out.push(format!("{other:?}")),
    }
}

/// The same for a value of ours, where the shape adds nothing to its leaves.
fn our_leaves(value: Value<'_>, out: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Bool(value) => out.push(value.to_string()),
        Value::I64(value) => out.push(value.to_string()),
        Value::F32(value) => out.push(format!("f32 {:08x}", value.to_bits())),
        Value::F64(value) => out.push(format!("f64 {:016x}", value.to_bits())),
        Value::Bytes(bytes) => out.push(format!("{bytes:?}")),
        Value::Str(text) => out.push(text.to_owned()),
        Value::Array(items) => items.iter().for_each(|item| our_leaves(*item, out)),
        Value::Timestamp(time) => {
            out.extend([time.seconds.to_string(), time.nanoseconds.to_string()]);
        }
        Value::Map(entries) => entries.iter().for_each(|entry| our_leaves(entry.1, out)),
        other => out.push(format!("{other:?}")),
    }
}

/// Whether every leaf of a value of this shape stands in the bytes as itself.
fn is_plain(spec: &Spec) -> bool {
    match spec {
        Spec::Int(int) => int.bits <= 64,
        Spec::Any | Spec::Names(_) | Spec::Sum(..) | Spec::Map(_) | Spec::Pairs(_) => false,
        Spec::Option(inner) | Spec::Array(inner) => is_plain(inner),
        Spec::Tuple(items) | Spec::Union(items) => items.iter().all(is_plain),
        Spec::Record(fields) => fields.iter().all(|(_, spec)| is_plain(spec)),
        _ => true,
    }
}

fn check(spec: &Spec, seed: u64) {
    let mut builder = ShapeBuilder::default();
    let root = node(spec, &mut builder);
    let shape: Shape = builder.finish(root);
    let schema = Schema::from_shape(&shape).expect("the shape has a schema");
    let text = schema.to_string();
    let plan = Plan::new(&schema).expect("the schema has a plan");
    let arena = Arena::new();
    let value = Choice(seed).value(spec, &arena);

    let mut bytes = Vec::new();
    plan.encode(&value, &mut bytes).unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    let read = |bytes: &[u8], plan: &Plan| {
        let bytes = arena.alloc_slice_copy(bytes);
        // Names are lent by the plan, so what is read is copied before the plan is gone.
        let mut seed = ValueSeed::new(&arena);
        let value = plan.decode_seed(&mut seed, bytes, Limits::DEFAULT);
        let value = value.unwrap_or_else(|error| panic!("{error}\n{text}"));
        copied(value, &arena)
    };
    assert_eq!(read(&bytes, &plan), value, "{text}");
    plan.decode::<serde::de::IgnoredAny>(&bytes).expect("it can be passed over");

    // The text says all that the model does: a plan made from it reads and writes the same.
    let again = avsc::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_string(), text);
    let from_text = Plan::new(&again).expect("the schema has a plan");
    assert_eq!(read(&bytes, &from_text), value, "{text}");

    let mut other = Vec::new();
    plan.encode(&shuffled(value, &mut Choice(!seed), &arena), &mut other)
        .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    assert_eq!(sorted(read(&other, &plan), &arena), sorted(value, &arena), "{text}");

    let theirs =
        apache_avro::Schema::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let peer = apache_avro::from_avro_datum(&theirs, &mut &bytes[..], None)
        .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    if is_plain(spec) {
        let (mut read, mut meant) = (Vec::new(), Vec::new());
        leaves(&peer, &mut read);
        our_leaves(value, &mut meant);
        assert_eq!(read, meant, "{text}");
    }
    let written = apache_avro::to_avro_datum(&theirs, peer)
        .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    assert_eq!(sorted(read(&written, &plan), &arena), sorted(value, &arena), "{text}");
}

/// A value whose text is all in the arena.
fn copied<'a>(value: Value<'_>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Str(text) => Value::Str(arena.alloc_str(text)),
        Value::Number(text) => Value::Number(arena.alloc_str(text)),
        Value::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| copied(*item, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (copied(*key, arena), copied(*value, arena)))
                .collect();
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        Value::Ext(ext) => Value::Ext(arena.alloc(Ext {
            space: ext.space,
            code: ext.code,
            content: copied(ext.content, arena),
        })),
        Value::Null => Value::Null,
        Value::Bool(value) => Value::Bool(value),
        Value::I64(value) => Value::I64(value),
        Value::U64(value) => Value::U64(value),
        Value::F32(value) => Value::F32(value),
        Value::F64(value) => Value::F64(value),
        Value::Timestamp(time) => Value::Timestamp(time),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ways(spec in spec(), seed: u64) {
        check(&spec, seed);
    }

    /// Bytes at random, read by schemas at random: an error or a value, and never a panic.
    #[test]
    fn noise(spec in spec(), noise in prop::collection::vec(prop_oneof![any::<u8>(), 0u8..8], 0..64)) {
        let mut builder = ShapeBuilder::default();
        let root = node(&spec, &mut builder);
        let plan = Plan::from_shape(&builder.finish(root)).expect("the shape has a plan");
        let arena = Arena::new();
        let read = plan.decode_seed(&mut ValueSeed::new(&arena), &noise, Limits::DEFAULT);
        let skipped = plan.decode::<serde::de::IgnoredAny>(&noise);
        if read.is_ok() {
            prop_assert!(skipped.is_ok());
        }
    }
}
