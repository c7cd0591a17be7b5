//! Round trips of generated values of a shape that has every node type.

use manywire_codec::{Category, msgpack};
use manywire_shape::{
    Arena, Int, Node, NodeId, Presence, Record, Shape, ShapeBuilder, Tagging, Timestamp, Value,
    VariantKind,
};
use proptest::prelude::*;

use super::{array_of, field, read, record, sum, variant, write};

/// Returns a shape with every node type, including a record within itself.
fn everything() -> Shape {
    let mut builder = ShapeBuilder::default();
    let root = builder.named("everything", |builder| {
        let leaves: Vec<NodeId> = [
            Node::Null,
            Node::Bool,
            Node::Int(Int::signed(8)),
            Node::Int(Int::unsigned(64)),
            Node::F32,
            Node::F64,
            Node::Str,
            Node::Bytes,
            Node::Timestamp,
            Node::Any,
        ]
        .into_iter()
        .map(|node| builder.add(node))
        .collect();
        let [_, flag, small, large, _, double, text, bytes, time, any] = leaves[..] else {
            unreachable!("ten leaves")
        };
        let nullable = builder.add(Node::Option(small));
        let numbers = builder.add(array_of(large));
        let tuple = builder.add(Node::Tuple(leaves.clone()));
        let by_number = builder.add(Node::Map { key: small, value: tuple });
        let inner = builder.add(record(vec![
            field("a", text, Presence::Optional),
            field("b", nullable, Presence::Required),
        ]));
        let nest = builder.named("everything", |_| Node::Null);
        let nested = builder.add(array_of(nest));
        let open = builder.add(Node::Record(Record {
            name: "Open".into(),
            doc: "".into(),
            fields: vec![field("a", inner, Presence::Optional)],
            rest: Some(nullable),
        }));
        let union = builder.add(Node::Union(vec![small, text, inner, numbers]));
        let parted = builder.add(Node::Union(vec![flag, double, bytes, inner]));
        let variants = |internal: bool| {
            let mut variants = vec![
                variant("U", VariantKind::Unit),
                variant("N", VariantKind::Newtype(inner)),
                variant("S", VariantKind::Struct(inner)),
            ];
            if !internal {
                variants.push(variant("T", VariantKind::Tuple(vec![small, inner])));
            }
            variants
        };
        let external = builder.add(sum(Tagging::External, variants(false)));
        let internal = builder.add(sum(Tagging::Internal { tag: "t".into() }, variants(true)));
        let adjacent = builder
            .add(sum(Tagging::Adjacent { tag: "t".into(), content: "c".into() }, variants(false)));
        let sums = builder.add(Node::Tuple(vec![external, internal, adjacent]));
        let maybe_sums = builder.add(Node::Option(sums));
        record(vec![
            field("leaves", tuple, Presence::Required),
            field("time", time, Presence::Optional),
            field("map", by_number, Presence::Optional),
            field("inner", inner, Presence::Required),
            field("open", open, Presence::Optional),
            field("union", union, Presence::Required),
            field("parted", parted, Presence::Optional),
            field("sums", maybe_sums, Presence::Required),
            field("any", any, Presence::Required),
            field("nested", nested, Presence::Optional),
        ])
    });
    builder.finish(root)
}

/// Generates a value of a shape from a sequence of numbers.
struct ValueGenerator<'a> {
    shape: &'a Shape,
    arena: &'a Arena,
    state: u64,
}

impl<'a> ValueGenerator<'a> {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn text(&mut self) -> &'a str {
        let length = self.below(40);
        self.arena.alloc_str(
            &"añ漢🍺".chars().cycle().skip(self.below(4)).take(length).collect::<String>(),
        )
    }

    fn items(&mut self, nodes: &[NodeId], depth: usize) -> Value<'a> {
        let items: Vec<_> = nodes.iter().map(|node| self.value(*node, depth + 1)).collect();
        Value::Array(self.arena.alloc_slice_copy(&items))
    }

    fn map(&self, entries: Vec<(Value<'a>, Value<'a>)>) -> Value<'a> {
        Value::Map(self.arena.alloc_slice_copy(&entries))
    }

    fn fields(&mut self, record: &'a Record, depth: usize) -> Vec<(Value<'a>, Value<'a>)> {
        let mut entries = Vec::new();
        for field in &record.fields {
            if field.presence == Presence::Optional && (depth > 4 || self.below(2) == 0) {
                continue;
            }
            let value = self.value(field.node, depth + 1);
            // Null in an optional field is read back as absent.
            if field.presence == Presence::Required || value != Value::Null {
                entries.push((Value::Str(&field.name), value));
            }
        }
        entries
    }

    fn value(&mut self, node: NodeId, depth: usize) -> Value<'a> {
        match self.shape.node(node) {
            Node::Null => Value::Null,
            Node::Bool => Value::Bool(self.below(2) == 0),
            Node::Int(int) if int.signed => Value::I64((self.next() as i64) >> (64 - int.bits)),
            Node::Int(int) => Value::from(self.next() >> (64 - int.bits)),
            Node::F32 => Value::F32(f32::from_bits(self.next() as u32)),
            Node::F64 => Value::F64(f64::from_bits(self.next())),
            Node::Char | Node::Str => Value::Str(self.text()),
            Node::Bytes => Value::Bytes(self.text().as_bytes()),
            Node::Timestamp => {
                let seconds = self.next() as i64;
                Value::Timestamp(Timestamp::new(seconds, self.below(1_000_000_000) as u32).unwrap())
            }
            Node::Any => {
                let text = Value::Str(self.text());
                let pair = (text, Value::I64(-1));
                [
                    Value::Null,
                    text,
                    Value::Array(self.arena.alloc([text, Value::Bool(true)])),
                    Value::Map(self.arena.alloc([pair, pair])),
                ][self.below(4)]
            }
            Node::Option(_) if self.below(3) == 0 => Value::Null,
            Node::Option(inner) => self.value(*inner, depth),
            Node::Array(array) => {
                let nodes = vec![array.item; if depth > 4 { 0 } else { self.below(3) }];
                self.items(&nodes, depth)
            }
            Node::Tuple(nodes) => self.items(nodes, depth),
            Node::Map { key, value } => {
                let count = self.below(3);
                let entries = (0..count)
                    .map(|_| (self.value(*key, depth + 1), self.value(*value, depth + 1)))
                    .collect();
                self.map(entries)
            }
            Node::Record(record) => {
                let mut entries = self.fields(record, depth);
                if let Some(rest) = record.rest {
                    let value = self.value(rest, depth + 1);
                    entries.push((Value::Str("further"), value));
                }
                self.map(entries)
            }
            Node::Union(branches) => {
                let branch = branches[self.below(branches.len())];
                self.value(branch, depth)
            }
            Node::Enum(sum) => {
                let variant = &sum.variants[self.below(sum.variants.len())];
                let name = Value::Str(&variant.name);
                let content = match &variant.kind {
                    VariantKind::Unit => None,
                    VariantKind::Newtype(node) | VariantKind::Struct(node) => {
                        Some(self.value(*node, depth + 1))
                    }
                    VariantKind::Tuple(nodes) => Some(self.items(nodes, depth)),
                };
                match (&sum.tagging, content) {
                    (Tagging::External, None) => name,
                    (Tagging::External, Some(content)) => self.map(vec![(name, content)]),
                    (Tagging::Internal { tag }, content) => {
                        let mut entries = vec![(Value::Str(tag), name)];
                        if let Some(Value::Map(fields)) = content {
                            entries.extend(fields);
                        }
                        self.map(entries)
                    }
                    (Tagging::Adjacent { tag, content: key }, content) => {
                        let mut entries = vec![(Value::Str(tag), name)];
                        entries.extend(content.map(|content| (Value::Str(key), content)));
                        self.map(entries)
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn round_trips_generated_values(state: u64, at: prop::sample::Index, byte: u8) {
        let shape = everything();
        let arena = Arena::new();
        let mut maker = ValueGenerator { shape: &shape, arena: &arena, state };
        let value = maker.value(shape.root(), 0);
        let mut bytes = write(&shape, &value).unwrap();
        prop_assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
        for end in 0..bytes.len() {
            prop_assert_eq!(read(&shape, &bytes[..end], &arena).unwrap_err().category(), Category::Eof);
        }
        // The array layout is never longer than the map layout, except for absent fields.
        prop_assert!(bytes.len() <= msgpack::to_vec(&value).unwrap().len() + absent(&value));
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read(&shape, &bytes, &arena);
    }
}

/// Returns an upper bound of the bytes for absent fields: one for each field of the shape that a
/// record lacks.
fn absent(value: &Value<'_>) -> usize {
    match value {
        Value::Array(items) => items.iter().map(absent).sum(),
        Value::Map(entries) => 6 + entries.iter().map(|(_, item)| absent(item)).sum::<usize>(),
        _ => 0,
    }
}
