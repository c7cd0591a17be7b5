//! Types that derive serde's traits, written and read by hand-made shapes: the encoding of each
//! node of a shape, and its round trip.

mod enums;
mod record;

use std::fmt::Debug;

use manywire_codec::Limits;
use manywire_codec::avro::Plan;
use manywire_shape::{
    Arena, Array, Enum, Field, Int, Node, NodeId, Record, Shape, ShapeBuilder, Tagging, Timestamp,
    ValueSeed, Variant, VariantKind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn plan(build: impl FnOnce(&mut ShapeBuilder) -> NodeId) -> Plan {
    Plan::from_shape(&shape(build)).expect("the shape has a plan")
}

fn shape(build: impl FnOnce(&mut ShapeBuilder) -> NodeId) -> Shape {
    let mut builder = ShapeBuilder::default();
    let root = build(&mut builder);
    builder.finish(root)
}

fn array(item: NodeId) -> Node {
    Node::Array(Array::new(item))
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

/// Writes a value, compares the bytes, reads it back, and converts it to a [`Value`] both ways.
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
fn round_trips_scalars() {
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
fn round_trips_wide_integers() {
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
