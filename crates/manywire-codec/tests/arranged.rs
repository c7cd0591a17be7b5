//! Dynamic values in the array layout: arranged by their shape, and back.

use manywire_codec::msgpack::{self, Layout};
use manywire_codec::{Category, Limits, Result};
use manywire_shape::{
    Arena, Array, Enum, Field, Int, Node, NodeId, Presence, Record, Shape, ShapeBuilder, Tagging,
    Timestamp, Value, Variant, VariantKind,
};
use proptest::prelude::*;
use serde::Serialize;

fn write(shape: &Shape, value: &Value<'_>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    msgpack::encode_arranged(value, shape, &mut out)?;
    Ok(out)
}

fn read<'a>(shape: &'a Shape, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
    msgpack::read_arranged(shape, bytes, arena, Limits::DEFAULT)
}

/// The value that JSON text stands for.
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
    Node::Array(Array { item, len: None, non_empty: false })
}

/// A record with every presence, nullable and not.
fn guest() -> Shape {
    let mut builder = ShapeBuilder::default();
    let text = builder.add(Node::Str);
    let number = builder.add(Node::Int(Int::signed(16)));
    let nullable = builder.add(Node::Option(number));
    let tags = builder.add(array_of(text));
    let root = builder.add(record(vec![
        field("name", text, Presence::Required),
        field("age", nullable, Presence::Required),
        field("nick", text, Presence::Optional),
        field("room", nullable, Presence::Optional),
        field("tags", tags, Presence::Defaulted),
    ]));
    builder.finish(root)
}

#[test]
fn a_record_is_an_array_of_its_fields() {
    let shape = guest();
    let cases: [(&str, &[u8], &str); 5] = [
        (
            r#"{"name":"a","age":1,"nick":"b","room":2,"tags":["c"]}"#,
            b"\x95\xa1a\x01\xa1b\x02\x91\xa1c",
            r#"{"name":"a","age":1,"nick":"b","room":2,"tags":["c"]}"#,
        ),
        // What is absent keeps its place.
        (r#"{"name":"a","age":null}"#, b"\x95\xa1a\xc0\xc0\xc0\xc0", r#"{"name":"a","age":null}"#),
        // In any order; the last of two wins.
        (
            r#"{"tags":[],"age":1,"name":"x","name":"a"}"#,
            b"\x95\xa1a\x01\xc0\xc0\x90",
            r#"{"name":"a","age":1,"tags":[]}"#,
        ),
        // In order, but one comes up twice.
        (
            r#"{"name":"x","name":"a","age":1}"#,
            b"\x95\xa1a\x01\xc0\xc0\xc0",
            r#"{"name":"a","age":1}"#,
        ),
        // Null where a field may be absent is absence.
        (
            r#"{"name":"a","age":1,"nick":null,"room":null}"#,
            b"\x95\xa1a\x01\xc0\xc0\xc0",
            r#"{"name":"a","age":1}"#,
        ),
    ];
    for (given, bytes, expected) in cases {
        let arena = Arena::new();
        assert_eq!(write(&shape, &json(given, &arena)).unwrap(), bytes, "{given}");
        assert_eq!(read(&shape, bytes, &arena).unwrap(), json(expected, &arena), "{given}");
    }
}

#[test]
fn records_wider_than_a_word_are_arranged_too() {
    let mut builder = ShapeBuilder::default();
    let number = builder.add(Node::Int(Int::signed(32)));
    let fields = (0..300)
        .map(|index| Field {
            presence: Presence::Optional,
            ..Field::new(format!("f{index}"), number)
        })
        .collect();
    let root = builder.add(record(fields));
    let shape = builder.finish(root);
    let arena = Arena::new();
    for step in [1, 2, 127, 299] {
        let texts = (0..300).step_by(step).map(|index| format!("\"f{index}\":{index}"));
        let text = format!("{{{}}}", texts.collect::<Vec<_>>().join(","));
        let value = json(&text, &arena);
        let bytes = write(&shape, &value).unwrap();
        assert_eq!(bytes[..3], [0xdc, 1, 44]);
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
        // In another order: the same bytes.
        let Value::Map(entries) = value else { unreachable!() };
        let mut turned = entries.to_vec();
        turned.reverse();
        assert_eq!(write(&shape, &Value::Map(&turned)).unwrap(), bytes);
    }
}

#[test]
fn shorter_and_longer_arrays_are_read() {
    let shape = guest();
    let arena = Arena::new();
    let expected = json(r#"{"name":"a","age":1}"#, &arena);
    assert_eq!(read(&shape, b"\x92\xa1a\x01", &arena).unwrap(), expected);
    assert_eq!(read(&shape, b"\x93\xa1a\x01\xc0", &arena).unwrap(), expected);
    let longer = b"\x97\xa1a\x01\xc0\xc0\xc0\x92\x01\x02\x81\x01\x02";
    assert_eq!(read(&shape, longer, &arena).unwrap(), expected);
    // A nullable field that is required is null when it is missing.
    let expected = json(r#"{"name":"a","age":null}"#, &arena);
    assert_eq!(read(&shape, b"\x91\xa1a", &arena).unwrap(), expected);
    let error = read(&shape, b"\x90", &arena).unwrap_err();
    assert_eq!(error.message(), "expected 5 items, found 0");
    // A record that kept its names is read as well.
    let expected = json(r#"{"age":1,"name":"a"}"#, &arena);
    assert_eq!(read(&shape, b"\x82\xa3age\x01\xa4name\xa1a", &arena).unwrap(), expected);
}

#[test]
fn what_does_not_fit_is_refused_with_the_path_of_the_value() {
    let mut builder = ShapeBuilder::default();
    let text = builder.add(Node::Str);
    let small = builder.add(Node::Int(Int::unsigned(8)));
    let pair = builder.add(Node::Tuple(vec![small, text]));
    let room = builder.add(record(vec![
        field("beds", small, Presence::Required),
        field("pair", pair, Presence::Optional),
    ]));
    let rooms = builder.add(array_of(room));
    let by_name = builder.add(Node::Map { key: text, value: rooms });
    let root = builder.add(record(vec![field("hotels", by_name, Presence::Required)]));
    let shape = builder.finish(root);
    let cases = [
        (
            r#"{"hotels":{"a":[{"beds":300}]}}"#,
            "$.hotels.a[0].beds",
            "expected an unsigned integer of 8 bits, found 300",
        ),
        (
            r#"{"hotels":{"a":[{"beds":"2"}]}}"#,
            "$.hotels.a[0].beds",
            "expected an unsigned integer of 8 bits, found a string",
        ),
        (
            r#"{"hotels":{"a":[{"beds":1},{"beds":1,"x":2}]}}"#,
            "$.hotels.a[1]",
            "the shape has no field `x`",
        ),
        (r#"{"hotels":{"a":[{}]}}"#, "$.hotels.a[0]", "the field `beds` is missing"),
        (
            r#"{"hotels":{"a":[{"beds":1,"pair":[1]}]}}"#,
            "$.hotels.a[0].pair",
            "expected 2 items, found 1",
        ),
        (
            r#"{"hotels":{"a":[{"beds":1,"pair":[1,2]}]}}"#,
            "$.hotels.a[0].pair[1]",
            "expected a string, found an integer",
        ),
        (r#"{"hotels":[]}"#, "$.hotels", "expected a map, found an array"),
        (r#"[]"#, "$", "expected a record, found an array"),
    ];
    for (text, path, message) in cases {
        let arena = Arena::new();
        let error = write(&shape, &json(text, &arena)).unwrap_err();
        assert_eq!((error.path_text().as_str(), error.message()), (path, message), "{text}");
        assert_eq!(error.category(), Category::Unsupported, "{text}");
        assert_eq!(error.format(), Some(manywire_format::Format::MsgPackArray));
    }
    // On reading too: the first room has text for its beds.
    let arena = Arena::new();
    let error = read(&shape, b"\x91\x81\xa1a\x91\x92\xa12\xc0", &arena).unwrap_err();
    assert_eq!(error.path_text(), "$.hotels.a[0].beds");
    assert_eq!((error.category(), error.offset()), (Category::Data, Some(6)));
}

#[test]
fn null_that_fits_nowhere_is_refused() {
    let shape = guest();
    let arena = Arena::new();
    let error = write(&shape, &json(r#"{"name":null,"age":1}"#, &arena)).unwrap_err();
    assert_eq!(
        (error.path_text().as_str(), error.message()),
        ("$.name", "expected a string, found null")
    );
    let error = read(&shape, b"\x92\xc0\x01", &arena).unwrap_err();
    assert_eq!(
        (error.path_text().as_str(), error.message()),
        ("$.name", "expected a string, found null")
    );
}

/// The layout of each kind of enum is that of serde's derive, which reads it.
#[test]
fn enums_are_laid_out_as_derived_types_are() {
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Point {
        x: u8,
        y: Option<u8>,
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    enum External {
        Unit,
        New(Point),
        Pair(u8, u8),
        Named { x: u8, y: Option<u8> },
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(tag = "t")]
    enum Internal {
        Unit,
        New(Point),
        Named { x: u8, y: Option<u8> },
    }
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        New(Point),
        Pair(u8, u8),
        Named { x: u8, y: Option<u8> },
    }
    fn check<T>(tagging: Tagging, typed: T)
    where
        T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let shape = sums(tagging);
        let arena = Arena::new();
        let text = serde_json::to_string(&typed).unwrap();
        let value = json(&text, &arena);
        let bytes = write(&shape, &value).unwrap();
        assert_eq!(msgpack::from_slice::<T>(&bytes).unwrap(), typed, "{text}: {bytes:02x?}");
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), value, "{text}");
        let mut layout = Vec::new();
        msgpack::encode(&typed, Layout::Array, &mut layout).unwrap();
        // The content of an adjacently tagged variant keeps its names: see the next test.
        if !text.contains(r#""c":{"x""#) || !text.contains("Named") {
            assert_eq!(bytes, layout, "{text}");
        }
        assert_eq!(read(&shape, &layout, &arena).unwrap(), value, "{text}");
    }
    let point = || Point { x: 1, y: Some(2) };
    check(Tagging::External, External::Unit);
    check(Tagging::External, External::New(point()));
    check(Tagging::External, External::Pair(1, 2));
    check(Tagging::External, External::Named { x: 1, y: None });
    let internal = || Tagging::Internal { tag: "t".into() };
    check(internal(), Internal::Unit);
    check(internal(), Internal::New(point()));
    check(internal(), Internal::Named { x: 1, y: Some(3) });
    let adjacent = || Tagging::Adjacent { tag: "t".into(), content: "c".into() };
    check(adjacent(), Adjacent::Unit);
    check(adjacent(), Adjacent::New(point()));
    check(adjacent(), Adjacent::Pair(1, 2));
    check(adjacent(), Adjacent::Named { x: 1, y: Some(3) });
}

fn sums(tagging: Tagging) -> Shape {
    let mut builder = ShapeBuilder::default();
    let number = builder.add(Node::Int(Int::unsigned(8)));
    let nullable = builder.add(Node::Option(number));
    let point = builder.add(record(vec![
        field("x", number, Presence::Required),
        field("y", nullable, Presence::Required),
    ]));
    let mut variants = vec![
        variant("Unit", VariantKind::Unit),
        variant("New", VariantKind::Newtype(point)),
        variant("Named", VariantKind::Struct(point)),
    ];
    if !matches!(tagging, Tagging::Internal { .. }) {
        variants.push(variant("Pair", VariantKind::Tuple(vec![number, number])));
    }
    let root = builder.add(sum(tagging, variants));
    builder.finish(root)
}

#[test]
fn variants_that_do_not_fit_are_refused() {
    let adjacent = Tagging::Adjacent { tag: "t".into(), content: "c".into() };
    let internal = Tagging::Internal { tag: "t".into() };
    let cases = [
        (Tagging::External, r#""New""#),
        (Tagging::External, r#""Other""#),
        (Tagging::External, r#"{"Unit":1}"#),
        (Tagging::External, r#"{"Pair":[1]}"#),
        (Tagging::External, r#"{"New":{"x":1,"y":2},"Unit":null}"#),
        (Tagging::External, "1"),
        (internal.clone(), r#"{"x":1}"#),
        (internal.clone(), r#"{"t":"Unit","x":1}"#),
        (internal.clone(), r#"{"t":"New","x":1,"y":2,"z":3}"#),
        (internal, r#"{"t":5}"#),
        (adjacent.clone(), r#"{"t":"New"}"#),
        (adjacent.clone(), r#"{"t":"Unit","c":null}"#),
        (adjacent, r#"{"t":"New","c":{"x":1,"y":2},"d":1}"#),
    ];
    for (tagging, text) in cases {
        let arena = Arena::new();
        let result = write(&sums(tagging.clone()), &json(text, &arena));
        assert!(result.is_err(), "{tagging:?} {text}: {result:02x?}");
    }
}

#[test]
fn records_keep_their_names_beside_arrays_of_a_union() {
    let mut builder = ShapeBuilder::default();
    let number = builder.add(Node::Int(Int::signed(64)));
    let text = builder.add(Node::Str);
    let point = builder.add(record(vec![field("x", number, Presence::Required)]));
    let numbers = builder.add(array_of(number));
    let apart = builder.add(Node::Union(vec![text, point]));
    let beside = builder.add(Node::Union(vec![point, numbers]));
    let root = builder.add(Node::Tuple(vec![apart, apart, beside, beside]));
    let shape = builder.finish(root);
    let arena = Arena::new();
    let value = json(r#"["a",{"x":1},{"x":2},[3]]"#, &arena);
    let bytes = write(&shape, &value).unwrap();
    assert_eq!(bytes, b"\x94\xa1a\x91\x01\x81\xa1x\x02\x91\x03");
    assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
    assert!(write(&shape, &json(r#"[true,{"x":1},{"x":2},[3]]"#, &arena)).is_err());
}

#[test]
fn wide_integers_come_back_as_numbers() {
    let mut builder = ShapeBuilder::default();
    let root = builder.add(Node::Int(Int::signed(128)));
    let shape = builder.finish(root);
    for text in ["18446744073709551616", "-170141183460469231731687303715884105728", "7"] {
        let arena = Arena::new();
        let value = json(text, &arena);
        let bytes = write(&shape, &value).unwrap();
        assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
    }
}

/// A shape with a bit of everything, and a record within itself.
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

/// A value of a shape, decided by a sequence of numbers.
struct Maker<'a> {
    shape: &'a Shape,
    arena: &'a Arena,
    state: u64,
}

impl<'a> Maker<'a> {
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
            // Null in a field that may be absent comes back as absence.
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
    fn values_come_back_as_they_were(state: u64, at: prop::sample::Index, byte: u8) {
        let shape = everything();
        let arena = Arena::new();
        let mut maker = Maker { shape: &shape, arena: &arena, state };
        let value = maker.value(shape.root(), 0);
        let mut bytes = write(&shape, &value).unwrap();
        prop_assert_eq!(read(&shape, &bytes, &arena).unwrap(), value);
        for end in 0..bytes.len() {
            prop_assert_eq!(read(&shape, &bytes[..end], &arena).unwrap_err().category(), Category::Eof);
        }
        // Never longer than by name.
        prop_assert!(bytes.len() <= msgpack::to_vec(&value).unwrap().len() + absent(&value));
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read(&shape, &bytes, &arena);
    }
}

/// At most one byte for each field of the shape that a record may lack.
fn absent(value: &Value<'_>) -> usize {
    match value {
        Value::Array(items) => items.iter().map(absent).sum(),
        Value::Map(entries) => 6 + entries.iter().map(|(_, item)| absent(item)).sum::<usize>(),
        _ => 0,
    }
}

#[test]
fn deep_input_is_refused() {
    let mut builder = ShapeBuilder::default();
    let root = builder.named("nest", |builder| {
        let inner = builder.named("nest", |_| Node::Null);
        record(vec![field("a", inner, Presence::Optional)])
    });
    let shape = builder.finish(root);
    let arena = Arena::new();
    let bytes = vec![0x91; 100_000];
    assert_eq!(read(&shape, &bytes, &arena).unwrap_err().category(), Category::Limit);
    // A type that is an option of itself has no end; a value does.
    let mut builder = ShapeBuilder::default();
    let root =
        builder.named("endless", |builder| Node::Option(builder.named("endless", |_| Node::Null)));
    let shape = builder.finish(root);
    assert!(read(&shape, &[0x05], &arena).is_err());
    assert!(write(&shape, &Value::I64(5)).is_err());
    assert_eq!(read(&shape, &[0xc0], &arena).unwrap(), Value::Null);
}
