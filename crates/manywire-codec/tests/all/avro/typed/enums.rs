//! Enums in each tagging, and unions.

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::avro::Plan;
use manywire_shape::{Field, Int, Node, Shape, Shaped, Tagging, Value, VariantKind};
use serde::{Deserialize, Serialize};

use super::{array, check, hex, plan, record, sum, variant};

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
fn round_trips_external_tags() {
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
fn round_trips_internal_tags() {
    let plan = sum_plan(Tagging::Internal { tag: "kind".into() });
    check(&plan, &Internal::Unit, "00");
    check(&plan, &Internal::New(Inner { x: 1 }), "0202");
    check(&plan, &Internal::Fields { name: "a".to_owned(), age: None }, "04026100");
    // Entries of a value may come in any order, including the tag.
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
fn round_trips_adjacent_tags() {
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
fn unit_variants_are_an_enum() {
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
fn round_trips_options_of_enums() {
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
fn chooses_union_branches_by_kind() {
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

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Flattened {
    a: u8,
    #[serde(flatten)]
    e: Units,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
enum Units {
    U,
    V,
}

#[test]
fn flattened_unit_variants_differ() {
    let plan = Plan::from_shape(&Shape::of::<Flattened>()).expect("a plan");
    check(&plan, &Flattened { a: 1, e: Units::U }, "020200");
    check(&plan, &Flattened { a: 1, e: Units::V }, "020002");
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct NullableVariant {
    #[serde(flatten)]
    e: Nullable,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
enum Nullable {
    N(Option<u8>),
    M(u8),
}

#[test]
fn refuses_flattened_variants_that_may_be_null() {
    let error = Plan::from_shape(&Shape::of::<NullableVariant>()).unwrap_err();
    assert!(
        error.message().starts_with("field `N` of NullableVariant is in one of several variants")
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hash {
    #[shaped(encoding = "fixed")]
    hash: u64,
}

#[test]
fn unsigned_integers_of_full_width_are_decimals() {
    let plan = Plan::from_shape(&Shape::of::<Hash>()).expect("a plan");
    check(&plan, &Hash { hash: 1 }, "0201");
    check(&plan, &Hash { hash: u64::MAX }, "1200ffffffffffffffff");
}
