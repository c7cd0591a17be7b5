//! Types that derive serde's traits, written and read by hand-made shapes: what each node of a
//! shape becomes on the wire, and that it comes back.

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::Limits;
use manywire_codec::avro::Plan;
use manywire_shape::{
    Arena, Array, Enum, Field, Int, Node, NodeId, Presence, Record, Shape, ShapeBuilder, Tagging,
    Timestamp, Value, ValueSeed, Variant, VariantKind,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

fn plan(build: impl FnOnce(&mut ShapeBuilder) -> NodeId) -> Plan {
    Plan::from_shape(&shape(build)).expect("the shape has a plan")
}

fn shape(build: impl FnOnce(&mut ShapeBuilder) -> NodeId) -> Shape {
    let mut builder = ShapeBuilder::default();
    let root = build(&mut builder);
    builder.finish(root)
}

fn array(item: NodeId) -> Node {
    Node::Array(Array { item, len: None, non_empty: false })
}

fn record(name: &'static str, fields: Vec<Field>) -> Node {
    Node::Record(Record { name: name.into(), doc: "".into(), fields, rest: None })
}

fn variant(name: &'static str, kind: VariantKind) -> Variant {
    Variant { name: name.into(), aliases: vec![], doc: "".into(), kind, number: None }
}

fn sum(tagging: Tagging, variants: Vec<Variant>) -> Node {
    Node::Enum(Enum { name: "Sum".into(), doc: "".into(), tagging, variants })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a value, compares the bytes, reads it back, and passes it through [`Value`] both ways.
#[track_caller]
fn check<T>(plan: &Plan, value: &T, expected: &str)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let mut bytes = Vec::new();
    plan.encode(value, &mut bytes).expect("the schema holds the value");
    assert_eq!(hex(&bytes), expected, "{value:?}");
    assert_eq!(plan.decode::<T>(&bytes).as_ref().expect("it can be read"), value);

    let arena = Arena::new();
    let dynamic = plan
        .decode_seed(&mut ValueSeed::new(&arena), &bytes, Limits::DEFAULT)
        .expect("it can be read without a type");
    let mut again = Vec::new();
    plan.encode(&dynamic, &mut again).unwrap_or_else(|error| panic!("{dynamic:?}: {error}"));
    assert_eq!(hex(&again), expected, "{dynamic:?}");

    plan.decode::<serde::de::IgnoredAny>(&bytes).expect("it can be passed over");
}

#[test]
fn scalars() {
    check(&plan(|b| b.add(Node::Null)), &(), "");
    check(&plan(|b| b.add(Node::Bool)), &true, "01");
    check(&plan(|b| b.add(Node::Int(Int::signed(8)))), &-64i8, "7f");
    check(&plan(|b| b.add(Node::Int(Int::signed(32)))), &i32::MIN, "ffffffff0f");
    check(&plan(|b| b.add(Node::Int(Int::unsigned(32)))), &u32::MAX, "feffffff1f");
    check(&plan(|b| b.add(Node::Int(Int::signed(64)))), &i64::MAX, "feffffffffffffffff01");
    check(&plan(|b| b.add(Node::Int(Int::unsigned(64)))), &8192u64, "808001");
    check(&plan(|b| b.add(Node::F32)), &1.5f32, "0000c03f");
    check(&plan(|b| b.add(Node::F64)), &-2.5f64, "00000000000004c0");
    check(&plan(|b| b.add(Node::Char)), &'é', "04c3a9");
    check(&plan(|b| b.add(Node::Str)), &"foo".to_owned(), "06666f6f");
    let time = Timestamp::new(-62_135_596_800, 999_999_999).expect("less than a second");
    check(&plan(|b| b.add(Node::Timestamp)), &time, "ffdb8ff9ce03fea7d6b907");
}

#[test]
fn wide_integers() {
    let signed = plan(|b| b.add(Node::Int(Int::signed(128))));
    for (value, bytes) in [
        (0i128, "0200"),
        (127, "027f"),
        (128, "040080"),
        (-1, "02ff"),
        (-128, "0280"),
        (-129, "04ff7f"),
        (i128::MAX, "207fffffffffffffffffffffffffffffff"),
        (i128::MIN, "2080000000000000000000000000000000"),
    ] {
        check(&signed, &value, bytes);
    }
    let unsigned = plan(|b| b.add(Node::Int(Int::unsigned(128))));
    check(&unsigned, &u128::MAX, "2200ffffffffffffffffffffffffffffffff");
    check(&unsigned, &u128::from(u64::MAX), "1200ffffffffffffffff");
}

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

/// Bytes as bytes, without a dependency for it.
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
        let fixed = b.add(Node::Array(Array { item: u8_, len: Some(3), non_empty: true }));
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
fn records() {
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
fn fields_in_any_order() {
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
    // Every rotation, forwards and backwards, and a key that came before: it would be lost.
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
            assert_eq!(error.to_string(), "the field is there twice, at $.pair");
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    New(i64),
    Pair(i64, bool),
    Fields { name: String, age: Option<i32> },
    Nested(Box<External>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    Unit,
    New(Inner),
    Fields { name: String, age: Option<i32> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    x: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    New(i64),
    Pair(i64, bool),
    Fields { name: String, age: Option<i32> },
}

fn sum_plan(tagging: Tagging) -> Plan {
    plan(|b| {
        b.named("Sum", |b| {
            let int = b.add(Node::Int(Int::signed(64)));
            let age = b.add(Node::Int(Int::signed(32)));
            let age = b.add(Node::Option(age));
            let (bool_, text) = (b.add(Node::Bool), b.add(Node::Str));
            let fields = b.add(record("", vec![Field::new("name", text), Field::new("age", age)]));
            let inner = b.add(record("Inner", vec![Field::new("x", int)]));
            let mut variants = vec![variant("Unit", VariantKind::Unit)];
            let internal = matches!(tagging, Tagging::Internal { .. });
            let new = if internal { inner } else { int };
            variants.push(variant("New", VariantKind::Newtype(new)));
            if !internal {
                variants.push(variant("Pair", VariantKind::Tuple(vec![int, bool_])));
            }
            variants.push(variant("Fields", VariantKind::Struct(fields)));
            if tagging == Tagging::External {
                let this = b.named("Sum", |_| unreachable!("it is being built"));
                variants.push(variant("Nested", VariantKind::Newtype(this)));
            }
            sum(tagging, variants)
        })
    })
}

#[test]
fn external_tags() {
    let plan = sum_plan(Tagging::External);
    let fields = || External::Fields { name: "a".to_owned(), age: Some(1) };
    check(&plan, &External::Unit, "00");
    check(&plan, &External::New(1), "0202");
    check(&plan, &External::Pair(1, true), "040201");
    check(&plan, &fields(), "0602610202");
    check(
        &plan,
        &External::Nested(Box::new(External::Nested(Box::new(fields())))),
        "08080602610202",
    );
}

#[test]
fn internal_tags() {
    let plan = sum_plan(Tagging::Internal { tag: "kind".into() });
    check(&plan, &Internal::Unit, "00");
    check(&plan, &Internal::New(Inner { x: 1 }), "0202");
    check(&plan, &Internal::Fields { name: "a".to_owned(), age: None }, "04026100");
    // Entries of a value may come in any order, the tag among them.
    let mut bytes = Vec::new();
    let late = [
        (Value::Str("age"), Value::I64(1)),
        (Value::Str("kind"), Value::Str("Fields")),
        (Value::Str("name"), Value::Str("a")),
    ];
    plan.encode(&Value::Map(&late), &mut bytes).expect("it fits");
    assert_eq!(hex(&bytes), "0402610202");
}

#[test]
fn adjacent_tags() {
    let plan = sum_plan(Tagging::Adjacent { tag: "t".into(), content: "c".into() });
    check(&plan, &Adjacent::Unit, "00");
    check(&plan, &Adjacent::New(1), "0202");
    check(&plan, &Adjacent::Pair(1, true), "040201");
    check(&plan, &Adjacent::Fields { name: "a".to_owned(), age: Some(1) }, "0602610202");
    let mut bytes = Vec::new();
    let late = [(Value::Str("c"), Value::I64(1)), (Value::Str("t"), Value::Str("New"))];
    plan.encode(&Value::Map(&late), &mut bytes).expect("it fits");
    assert_eq!(hex(&bytes), "0202");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Level {
    Low,
    #[serde(rename = "very high")]
    High,
}

#[test]
fn names_alone_are_an_enum() {
    let level = || {
        let variants = ["Low", "very high"].map(|name| variant(name, VariantKind::Unit));
        sum(Tagging::External, variants.to_vec())
    };
    let plan_ = plan(|b| b.add(level()));
    check(&plan_, &Level::Low, "00");
    check(&plan_, &Level::High, "02");
    let maybe = plan(|b| {
        let level = b.add(level());
        b.add(Node::Option(level))
    });
    check(&maybe, &Some(Level::High), "0202");
    check(&maybe, &None::<Level>, "00");
    let keys = plan(|b| {
        let (level, int) = (b.add(level()), b.add(Node::Int(Int::signed(32))));
        b.add(Node::Map { key: level, value: int })
    });
    let mut bytes = Vec::new();
    keys.encode(&BTreeMap::from([("very high", 1)]), &mut bytes).expect("it fits");
    assert_eq!(hex(&bytes), "02127665727920686967680200");
}

#[test]
fn options_of_sums() {
    let plan = plan(|b| {
        let int = b.add(Node::Int(Int::signed(64)));
        let inner = sum(
            Tagging::External,
            vec![variant("Unit", VariantKind::Unit), variant("New", VariantKind::Newtype(int))],
        );
        let inner = b.add(inner);
        b.add(Node::Option(inner))
    });
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Small {
        Unit,
        New(i64),
    }
    check(&plan, &None::<Small>, "00");
    check(&plan, &Some(Small::Unit), "02");
    check(&plan, &Some(Small::New(1)), "0402");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Untagged>),
    Map(BTreeMap<String, Untagged>),
}

#[test]
fn unions_by_kind() {
    let plan = plan(|b| {
        b.named("Untagged", |b| {
            let this = b.named("Untagged", |_| unreachable!("it is being built"));
            let text = b.add(Node::Str);
            Node::Union(vec![
                b.add(Node::Null),
                b.add(Node::Bool),
                b.add(Node::Int(Int::signed(64))),
                b.add(Node::F64),
                text,
                b.add(array(this)),
                b.add(Node::Map { key: text, value: this }),
            ])
        })
    });
    check(&plan, &Untagged::Null, "00");
    check(&plan, &Untagged::Bool(true), "0201");
    check(&plan, &Untagged::Int(1), "0402");
    check(&plan, &Untagged::Float(1.0), "06000000000000f03f");
    check(&plan, &Untagged::Text("a".to_owned()), "080261");
    check(&plan, &Untagged::List(vec![Untagged::Int(1), Untagged::Null]), "0a0404020000");
    let map = BTreeMap::from([("k".to_owned(), Untagged::List(vec![]))]);
    check(&plan, &Untagged::Map(map), "0c02026b0a0000");
}

/// Types that do not have just the fields of the schema in its order are read by name.
#[test]
fn fields_by_position_and_by_name() {
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
    // Twice, since what was found of a type is kept.
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
