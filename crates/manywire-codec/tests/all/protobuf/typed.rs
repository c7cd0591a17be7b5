//! Derived types through Protocol Buffers, in every representation of serde's derive.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use manywire_codec::protobuf::Plan;
use manywire_shape::proto::Schema;
use manywire_shape::{Node, Shape, ShapeBuilder, Shaped, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::proto_compiler::compiled;

/// Writes a value and reads it back, as a typed and as a dynamic value.
fn round_trip<T>(value: &T) -> Vec<u8>
where
    T: Shaped + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let schema = Schema::from_shape(&Shape::of::<T>()).expect("a schema");
    let plan = Plan::new(&schema).expect("a plan");
    let mut bytes = Vec::new();
    plan.encode(value, &mut bytes).expect("encodes");
    let back: T = plan.decode(&bytes).expect("decodes");
    assert_eq!(back, *value);
    let seed = std::marker::PhantomData::<T>;
    let back = plan.decode_seed(seed, &bytes, Default::default()).expect("decodes with a seed");
    assert_eq!(back, *value);
    compiled(&schema.to_proto("test"));
    bytes
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Shaped)]
struct Scalars {
    truth: bool,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    i128: i128,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    u128: u128,
    f32: f32,
    f64: f64,
    text: String,
    unit: (),
}

#[test]
fn round_trips_scalar_bounds() {
    // A null is written, as field 15 without content; other defaults are not.
    assert_eq!(round_trip(&Scalars::default()), [15 << 3 | 2, 0]);
    round_trip(&Scalars {
        truth: true,
        i8: i8::MIN,
        i16: i16::MIN,
        i32: i32::MIN,
        i64: i64::MIN,
        i128: i128::MIN,
        u8: u8::MAX,
        u16: u16::MAX,
        u32: u32::MAX,
        u64: u64::MAX,
        u128: u128::MAX,
        f32: f32::MIN_POSITIVE,
        f64: -0.0,
        text: "é".repeat(200),
        unit: (),
    });
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
enum Plain {
    One,
    Two,
    #[serde(rename = "the third")]
    Three,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
enum External {
    Unit,
    Newtype(i64),
    Text(String),
    List(Vec<u32>),
    Maybe(Option<bool>),
    Nothing(()),
    Pair(i32, String),
    Named { a: Option<u8>, b: Vec<String> },
    Boxed(Box<External>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(tag = "type")]
enum Internal {
    Empty,
    Named { id: u64, name: String },
    Wrapped(Inner),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Empty,
    Number(i32),
    Pair(i32, i32),
    Named { x: f64 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(untagged)]
enum Untagged {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<i64>),
    Record { name: String },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Shaped)]
struct Inner {
    n: i32,
    s: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Sums {
    plain: Plain,
    plains: Vec<Plain>,
    external: Vec<External>,
    internal: Vec<Internal>,
    adjacent: Vec<Adjacent>,
    untagged: Vec<Untagged>,
    maybe: Option<External>,
}

#[test]
fn round_trips_enums_of_every_tagging() {
    round_trip(&Sums {
        plain: Plain::One,
        plains: vec![Plain::Three, Plain::Two],
        external: vec![
            External::Unit,
            External::Newtype(0),
            External::Newtype(-1),
            External::Text(String::new()),
            External::List(vec![]),
            External::List(vec![1, 2, 3]),
            External::Maybe(None),
            External::Maybe(Some(false)),
            External::Nothing(()),
            External::Pair(0, "x".into()),
            External::Named { a: None, b: vec![] },
            External::Named { a: Some(0), b: vec!["".into(), "y".into()] },
            External::Boxed(Box::new(External::Boxed(Box::new(External::Unit)))),
        ],
        internal: vec![
            Internal::Empty,
            Internal::Named { id: 0, name: "n".into() },
            Internal::Wrapped(Inner { n: 1, s: String::new() }),
        ],
        adjacent: vec![
            Adjacent::Empty,
            Adjacent::Number(0),
            Adjacent::Pair(0, 1),
            Adjacent::Named { x: 0.5 },
        ],
        untagged: vec![
            Untagged::Flag(false),
            Untagged::Number(-3),
            Untagged::Text("t".into()),
            Untagged::List(vec![0, 1]),
            Untagged::Record { name: "r".into() },
        ],
        maybe: None,
    });
    for value in [Plain::One, Plain::Two, Plain::Three] {
        round_trip(&value);
    }
    round_trip(&External::Pair(1, "root".into()));
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Places {
    list: Vec<i64>,
    lists: Vec<Vec<i64>>,
    deep: Vec<Vec<Vec<String>>>,
    options: Vec<Option<i32>>,
    maybe_list: Option<Vec<i32>>,
    maybe_lists: Vec<Option<Vec<i32>>>,
    map: BTreeMap<String, i64>,
    int_map: BTreeMap<i32, Inner>,
    bool_map: BTreeMap<bool, Vec<u8>>,
    list_map: BTreeMap<u64, Vec<f64>>,
    odd_map: BTreeMap<(i32, i32), Option<String>>,
    maybe_map: Option<BTreeMap<String, i32>>,
    maps: Vec<BTreeMap<String, BTreeMap<String, bool>>>,
    pair: (i32, Option<String>, Vec<bool>),
    array: [f32; 3],
    maybe: Option<i32>,
    maybe_zero: Option<i32>,
    inner: Inner,
    maybe_inner: Option<Inner>,
    letter: char,
    time: Timestamp,
    times: Vec<Option<Timestamp>>,
}

fn places() -> Places {
    Places {
        list: vec![0, 1, -1, i64::MAX],
        lists: vec![vec![], vec![1], vec![2, 3]],
        deep: vec![vec![vec![]], vec![], vec![vec!["a".into(), String::new()]]],
        options: vec![None, Some(0), Some(1)],
        maybe_list: Some(vec![]),
        maybe_lists: vec![None, Some(vec![]), Some(vec![1])],
        map: [("".into(), 0), ("k".into(), 1)].into(),
        int_map: [(-1, Inner::default()), (0, Inner { n: 1, s: "s".into() })].into(),
        bool_map: [(false, vec![]), (true, vec![1, 2])].into(),
        list_map: [(0, vec![]), (u64::MAX, vec![0.0, 1.5])].into(),
        odd_map: [((0, 0), None), ((1, -1), Some(String::new()))].into(),
        maybe_map: Some(BTreeMap::new()),
        maps: vec![BTreeMap::new(), [("x".into(), [("y".into(), false)].into())].into()],
        pair: (0, None, vec![true, false]),
        array: [0.0, 1.0, -0.0],
        maybe: None,
        maybe_zero: Some(0),
        inner: Inner::default(),
        maybe_inner: Some(Inner::default()),
        letter: '\0',
        time: Timestamp { seconds: -1, nanoseconds: 999_999_999 },
        times: vec![None, Some(Timestamp { seconds: 0, nanoseconds: 0 })],
    }
}

#[test]
fn round_trips_nested_arrays_maps_and_options() {
    round_trip(&places());
    round_trip(&Places { maybe_list: None, maybe_map: None, maybe_inner: None, ..places() });
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Flat {
    id: u32,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: HashMap<String, Vec<i32>>,
}

#[test]
fn round_trips_flattened_fields() {
    round_trip(&Flat { id: 1, inner: Inner { n: 2, s: "s".into() }, rest: HashMap::new() });
    let rest = [("x".to_owned(), vec![]), ("y".to_owned(), vec![1])].into();
    round_trip(&Flat { id: 0, inner: Inner::default(), rest });
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Tree {
    name: String,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[test]
fn round_trips_recursive_types() {
    let leaf = |name: &str| Tree { name: name.into(), children: vec![], next: None };
    let mut tree = leaf("root");
    tree.children = vec![leaf("a"), leaf("b")];
    tree.next = Some(Box::new(leaf(&"long".repeat(100))));
    round_trip(&tree);
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Defaults {
    #[serde(default = "port")]
    port: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maybe: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<i32>,
    #[serde(default)]
    plain: Vec<i32>,
}

fn port() -> u16 {
    8080
}

#[test]
fn missing_fields_have_defaults() {
    round_trip(&Defaults { port: 0, maybe: None, list: vec![], plain: vec![] });
    round_trip(&Defaults { port: 1, maybe: Some(0), list: vec![1], plain: vec![2] });
    let plan = Plan::from_shape(&Shape::of::<Defaults>()).unwrap();
    let empty: Defaults = plan.decode(b"").unwrap();
    assert_eq!(empty, Defaults { port: 8080, maybe: None, list: vec![], plain: vec![] });
}

#[test]
fn round_trips_roots_other_than_records() {
    round_trip(&vec![Inner::default(), Inner { n: 1, s: String::new() }]);
    round_trip(&Vec::<i64>::new());
    round_trip(&vec![1_i64, -1]);
    round_trip(&vec![vec![1_u8], vec![]]);
    round_trip(&0_i32);
    round_trip(&7_u64);
    round_trip(&"text".to_owned());
    round_trip(&Some(0_i32));
    round_trip(&None::<i32>);
    round_trip(&Some(Vec::<i32>::new()));
    round_trip(&(1_i32, "x".to_owned()));
    round_trip(&BTreeMap::from([("k".to_owned(), vec![1_i32])]));
    round_trip(&());
    round_trip(&u128::MAX);
    round_trip(&'é');
    round_trip(&[1_i16, -2]);
}

/// An optional field whose value may be of any type keeps an explicit null apart from an absent
/// field.
#[test]
fn an_explicit_null_is_not_an_absent_field() {
    use manywire_codec::Limits;
    use manywire_shape::{Arena, Field, Presence, Record, Value, ValueSeed};

    let mut builder = ShapeBuilder::default();
    let node = builder.add(Node::Any);
    let field = Field { presence: Presence::Optional, ..Field::new("x", node) };
    let fields = vec![field];
    let root = Node::Record(Record { name: "Holder".into(), doc: "".into(), fields, rest: None });
    let root = builder.add(root);
    let plan = Plan::from_shape(&builder.finish(root)).expect("a plan");
    let arena = Arena::new();
    for entries in [
        &[][..],
        &[(Value::Str("x"), Value::Null)],
        &[(Value::Str("x"), Value::F64(0.1))],
        &[(Value::Str("x"), Value::Array(&[Value::Null]))],
    ] {
        let value = Value::Map(entries);
        let mut bytes = Vec::new();
        plan.encode(&value, &mut bytes).expect("encodes");
        let bytes = arena.alloc_slice_copy(&bytes);
        let back = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT);
        assert_eq!(back.expect("decodes"), value, "{bytes:02x?}");
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Nulls {
    unit: (),
    option: Option<()>,
    number: Option<u8>,
}

#[test]
fn a_unit_in_an_option_differs_from_none() {
    assert_eq!(round_trip(&Nulls { unit: (), option: Some(()), number: None }), b"\x0a\0\x12\0");
    assert_eq!(round_trip(&Nulls { unit: (), option: None, number: Some(0) }), b"\x0a\0\x18\0");
}

/// Readers of JSON accept the name of a field in the `.proto` beside its JSON name, so compilers refuse a
/// name that is the JSON name of another field.
#[test]
fn no_name_of_a_field_is_the_json_name_of_another() {
    #[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
    struct Keys {
        #[serde(rename = "a-b")]
        dashed: u8,
        #[serde(rename = "a_b")]
        snake: u8,
        #[serde(rename = "userId")]
        camel: u8,
        #[serde(rename = "user_id")]
        id: u8,
        #[serde(rename = "user_id_2")]
        second: u8,
    }
    round_trip(&Keys { dashed: 1, snake: 2, camel: 3, id: 4, second: 5 });
    let schema = Schema::from_shape(&Shape::of::<Keys>()).expect("a schema");
    let fields = &schema.messages[schema.root].fields;
    let names: Vec<&str> = fields.iter().map(|field| field.proto_name.as_str()).collect();
    assert_eq!(names, ["a_b_2", "a_b", "user_id_3", "user_id", "user_id_2"]);
    #[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
    enum Variants {
        #[serde(rename = "a-b")]
        Dashed(u8),
        #[serde(rename = "a_b")]
        Snake(u8),
    }
    round_trip(&[Variants::Dashed(1), Variants::Snake(2)]);
    let schema = Schema::from_shape(&Shape::of::<Variants>()).expect("a schema");
    let message = schema.messages.iter().find(|message| message.name == "Variants");
    let fields = &message.expect("a message").fields;
    let names: Vec<&str> = fields.iter().map(|field| field.proto_name.as_str()).collect();
    assert_eq!(names, ["a_b_2", "a_b"]);
}

/// The numbers from 19,000 to 19,999 are reserved for implementations of Protocol Buffers.
#[test]
fn no_item_of_a_tuple_has_a_reserved_number() {
    let schema = |count| {
        let mut builder = ShapeBuilder::default();
        let item = builder.add(Node::Bool);
        let root = builder.add(Node::Tuple(vec![item; count]));
        Schema::from_shape(&builder.finish(root))
    };
    let schema_of_most = schema(18_999).expect("a schema");
    let numbers = schema_of_most.messages.iter().flat_map(|message| &message.fields);
    assert_eq!(numbers.map(|field| field.number).max(), Some(18_999));
    let error = schema(19_000).expect_err("too many items").to_string();
    assert_eq!(error, "Root: a tuple of more than 18,999 items");
}
