//! Records: fields in order, out of order, and by type.

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::Limits;
use manywire_codec::avro::Plan;
use manywire_shape::{Arena, Array, Field, Int, Node, Presence, Record, Value, ValueSeed};
use serde::{Deserialize, Serialize};

use super::{array, check, hex, plan, record};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    id: u64,
    #[serde(with = "serde_bytes_of")]
    raw: Vec<u8>,
    maybe: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<bool>,
    pair: (i32, String),
    fixed: [u8; 3],
    map: BTreeMap<String, f64>,
    numbers: BTreeMap<i32, bool>,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

/// Serializes bytes as bytes, without a dependency.
mod serde_bytes_of {
    use serde::de::{Deserializer, Visitor};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        from.deserialize_bytes(Bytes)
    }
}

fn everything() -> Plan {
    plan(|b| {
        let u64_ = b.add(Node::Int(Int::unsigned(64)));
        let i64_ = b.add(Node::Int(Int::signed(64)));
        let i32_ = b.add(Node::Int(Int::signed(32)));
        let u8_ = b.add(Node::Int(Int::unsigned(8)));
        let (bytes, text, bool_, f64_) =
            (b.add(Node::Bytes), b.add(Node::Str), b.add(Node::Bool), b.add(Node::F64));
        let maybe = b.add(Node::Option(i32_));
        let text_or_none = b.add(Node::Option(text));
        let list = b.add(array(bool_));
        let pair = b.add(Node::Tuple(vec![i32_, text]));
        let fixed = b.add(Node::Array(Array { len: Some(3), non_empty: true, ..Array::new(u8_) }));
        let map = b.add(Node::Map { key: text, value: f64_ });
        let numbers = b.add(Node::Map { key: i32_, value: bool_ });
        let optional =
            |name, node| Field { presence: Presence::Optional, ..Field::new(name, node) };
        b.add(Node::Record(Record {
            name: "Everything".into(),
            doc: "".into(),
            fields: vec![
                Field::new("id", u64_),
                Field::new("raw", bytes),
                Field::new("maybe", maybe),
                optional("left_out", text_or_none),
                optional("list", list),
                Field::new("pair", pair),
                Field::new("fixed", fixed),
                Field::new("map", map),
                Field::new("numbers", numbers),
            ],
            rest: Some(i64_),
        }))
    })
}

#[test]
fn round_trips_records() {
    let plan = everything();
    let empty = Everything {
        id: 1,
        raw: vec![],
        maybe: None,
        left_out: None,
        list: vec![],
        pair: (2, String::new()),
        fixed: [0, 1, 2],
        map: BTreeMap::new(),
        numbers: BTreeMap::new(),
        rest: BTreeMap::new(),
    };
    check(&plan, &empty, "020000000004000600020400000000");
    let full = Everything {
        id: 1,
        raw: vec![0xff],
        maybe: Some(-1),
        left_out: Some("a".to_owned()),
        list: vec![true, false],
        pair: (0, "b".to_owned()),
        fixed: [0, 1, 2],
        map: BTreeMap::from([("m".to_owned(), 1.0)]),
        numbers: BTreeMap::from([(1, true), (2, false)]),
        rest: BTreeMap::from([("x".to_owned(), 1), ("y".to_owned(), 2)]),
    };
    let expected = [
        "02",
        "02ff",
        "0201",
        "020261",
        "0204010000",
        "000262",
        "0600020400",
        "02026d000000000000f03f00",
        "040201040000",
        "04027802027904",
        "00",
    ];
    check(&plan, &full, &expected.concat());
}

#[test]
fn accepts_fields_in_any_order() {
    let plan = everything();
    let mut ordered = Vec::new();
    let text = |text| Value::Str(text);
    let entries = [
        (text("id"), Value::I64(7)),
        (text("raw"), Value::Bytes(&[1, 2])),
        (text("maybe"), Value::I64(3)),
        (text("left_out"), text("here")),
        (text("pair"), Value::Array(&[Value::I64(1), Value::Str("p")])),
        (text("fixed"), Value::Array(&[Value::I64(1), Value::I64(2), Value::I64(3)])),
        (text("map"), Value::Map(&[])),
        (text("numbers"), Value::Map(&[(Value::I64(5), Value::Bool(true))])),
        (text("extra"), Value::I64(11)),
    ];
    plan.encode(&Value::Map(&entries), &mut ordered).expect("it fits");
    // Every rotation, forwards and backwards, and a repeated key, which would be lost.
    for turn in 0..entries.len() {
        for backwards in [false, true] {
            let mut turned = entries;
            turned.rotate_left(turn);
            if backwards {
                turned.reverse();
            }
            let mut bytes = b"kept".to_vec();
            plan.encode(&Value::Map(&turned), &mut bytes).expect("it fits");
            assert_eq!(hex(&bytes[4..]), hex(&ordered), "{turned:?}");

            let twice = [&[(text("pair"), Value::Array(&[Value::I64(9), text("q")]))], &turned[..]];
            let mut bytes = Vec::new();
            let error = plan.encode(&Value::Map(&twice.concat()), &mut bytes).expect_err("twice");
            assert_eq!(error.to_string(), "duplicate field, at $.pair");
        }
    }
}

/// Types that do not have exactly the schema's fields in order are read by name.
#[test]
fn reads_fields_by_position_and_by_name() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Written {
        a: i64,
        b: String,
        c: bool,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Turned {
        c: bool,
        a: i64,
        b: String,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Aliased {
        #[serde(alias = "z")]
        a: i64,
        b: String,
        #[serde(skip_deserializing)]
        c: bool,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Fewer {
        b: String,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Skipping {
        a: i64,
        #[serde(skip_deserializing)]
        own: Option<i64>,
        b: String,
        c: bool,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        a: i64,
        b: String,
    }
    let plan = plan(|b| {
        let nodes = [Node::Int(Int::signed(64)), Node::Str, Node::Bool].map(|node| b.add(node));
        let fields = ["a", "b", "c"].into_iter().zip(nodes);
        b.add(record("R", fields.map(|(name, node)| Field::new(name, node)).collect()))
    });
    let text = || "x".to_owned();
    let mut bytes = Vec::new();
    plan.encode(&Written { a: 1, b: text(), c: true }, &mut bytes).expect("it fits");
    // Twice, because the result for a type is cached.
    for _ in 0..2 {
        assert_eq!(plan.decode::<Written>(&bytes).unwrap(), Written { a: 1, b: text(), c: true });
        assert_eq!(plan.decode::<Turned>(&bytes).unwrap(), Turned { c: true, a: 1, b: text() });
        assert_eq!(plan.decode::<Aliased>(&bytes).unwrap(), Aliased { a: 1, b: text(), c: false });
        assert_eq!(plan.decode::<Fewer>(&bytes).unwrap(), Fewer { b: text() });
        let skipping = Skipping { a: 1, own: None, b: text(), c: true };
        assert_eq!(plan.decode::<Skipping>(&bytes).unwrap(), skipping);
        assert!(plan.decode::<Strict>(&bytes).is_err());
    }
    bytes[1] = 0x01;
    let error = plan.decode::<Written>(&bytes).expect_err("a negative length");
    assert_eq!((error.path_text().as_str(), error.offset()), ("$.b", Some(1)));
}

/// An optional field whose value may be of any type keeps an explicit null apart from an absent
/// field, and every float at its width.
#[test]
fn an_explicit_null_is_not_an_absent_field() {
    let plan_of = |build: fn(&mut manywire_shape::ShapeBuilder) -> manywire_shape::NodeId| {
        plan(move |b| {
            let node = build(b);
            let field = Field { presence: Presence::Optional, ..Field::new("x", node) };
            b.add(record("Holder", vec![field]))
        })
    };
    let plans = [
        plan_of(|b| b.add(Node::Any)),
        plan_of(|b| {
            let any = b.add(Node::Any);
            b.add(Node::Option(any))
        }),
        plan_of(|b| {
            let branches = vec![b.add(Node::Str), b.add(Node::Any)];
            b.add(Node::Union(branches))
        }),
    ];
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::F32(0.5),
        Value::F64(0.1),
        Value::I64(i64::MAX),
        Value::Number("1e400"),
        Value::Str("a"),
        Value::Bytes(b"b"),
        Value::Array(&[Value::Null]),
        Value::Map(&[(Value::Str("k"), Value::Null)]),
        Value::Map(&[(Value::Null, Value::Null)]),
    ];
    let arena = Arena::new();
    for (index, plan) in plans.iter().enumerate() {
        for value in values {
            let entries = [(Value::Str("x"), value)];
            let value = Value::Map(&entries);
            let mut bytes = Vec::new();
            plan.encode(&value, &mut bytes).unwrap_or_else(|error| panic!("{index}: {error}"));
            let back = plan
                .decode_seed(
                    &mut ValueSeed::new(&arena),
                    arena.alloc_slice_copy(&bytes),
                    Limits::DEFAULT,
                )
                .unwrap_or_else(|error| panic!("{index}: {error}"));
            assert_eq!(back, value, "{index}: {}", hex(&bytes));
        }
        let mut absent = Vec::new();
        plan.encode(&Value::Map(&[]), &mut absent).expect("the field is optional");
        assert_eq!(hex(&absent), "00");

        #[derive(Serialize)]
        struct Holder {
            x: Option<()>,
        }
        for (x, expected) in [(None, "00"), (Some(()), if index == 2 { "0400" } else { "0200" })] {
            let mut bytes = Vec::new();
            plan.encode(&Holder { x }, &mut bytes).expect("null or nothing");
            assert_eq!(hex(&bytes), expected);
        }
    }
}
