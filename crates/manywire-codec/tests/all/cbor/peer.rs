//! Round trips between our CBOR codec, ciborium and cbor2, on generated values.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::support::any_value::{
    Tree, above_i64, any_of, bytes, common, ext, single, timestamp, tree,
};
use ciborium::Value as Peer;
use manywire_codec::cbor::{self, Options, Serializer};
use manywire_codec::{Category, Limits};
use manywire_shape::{Arena, Space, Timestamp, Value, ValueSeed};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    signed: (i8, i16, i32, i64, i128),
    unsigned: (u8, u16, u32, u64, u128),
    floats: (f32, f64),
    flag: bool,
    letter: char,
    text: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    numbers: Vec<u8>,
    maybe: Option<i64>,
    unit: (),
    by_number: BTreeMap<i64, Option<String>>,
    by_pair: BTreeMap<(u8, bool), String>,
    variants: Vec<Variant>,
    #[serde(flatten)]
    rest: BTreeMap<String, i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Variant {
    Unit,
    Newtype(f64),
    Tuple(String, u8),
    Struct { x: u16, y: Option<bool> },
}

fn variant() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Unit),
        any::<f64>().prop_map(Variant::Newtype),
        (".{0,40}", any::<u8>()).prop_map(|(text, number)| Variant::Tuple(text, number)),
        (any::<u16>(), any::<Option<bool>>()).prop_map(|(x, y)| Variant::Struct { x, y }),
    ]
}

/// Generates integers of every magnitude, not only large ones.
fn wide() -> impl Strategy<Value = i128> {
    (any::<i128>(), 0..128u32).prop_map(|(number, shift)| number >> shift)
}

fn record() -> impl Strategy<Value = Record> {
    let scalars = (wide(), any::<f32>(), any::<f64>(), any::<bool>(), any::<char>());
    let texts = (".{0,300}", vec(any::<u8>(), 0..300), vec(any::<u8>(), 0..40));
    let maps = (
        btree_map(any::<i64>(), option::of(".{0,70}"), 0..5),
        btree_map((any::<u8>(), any::<bool>()), ".{0,5}", 0..3),
        btree_map("rest[a-z]{0,5}", any::<i32>(), 0..30),
    );
    let lists = (option::of(any::<i64>()), vec(variant(), 0..5));
    (scalars, texts, maps, lists).prop_map(|(scalars, texts, maps, lists)| {
        let wide = scalars.0;
        Record {
            signed: (wide as i8, wide as i16, wide as i32, wide as i64, wide),
            unsigned: (wide as u8, wide as u16, wide as u32, wide as u64, wide.cast_unsigned()),
            floats: (scalars.1, scalars.2),
            flag: scalars.3,
            letter: scalars.4,
            text: texts.0,
            bytes: texts.1,
            numbers: texts.2,
            maybe: lists.0,
            unit: (),
            by_number: maps.0,
            by_pair: maps.1,
            variants: lists.1,
            rest: maps.2,
        }
    })
}

fn shortest<T: Serialize>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    let options = Options::default().with_shortest_floats(true);
    Serializer::new(&mut out).with_options(options).write(value).unwrap();
    out
}

/// Compares records by their text, because NaN differs from itself.
fn round_trips<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    let expected = format!("{value:?}");
    let mut theirs = Vec::new();
    ciborium::into_writer(value, &mut theirs).unwrap();
    for theirs in [theirs, cbor2::to_vec(value).unwrap()] {
        assert_eq!(format!("{:?}", cbor::from_slice::<T>(&theirs).unwrap()), expected);
    }
    // With shortest floats the bytes are equal, too.
    assert_eq!(shortest(value), cbor2::to_vec(value).unwrap());
    for ours in [cbor::to_vec(value).unwrap(), shortest(value)] {
        assert_eq!(format!("{:?}", ciborium::from_reader::<T, _>(&*ours).unwrap()), expected);
        assert_eq!(format!("{:?}", cbor2::from_slice::<T>(&ours).unwrap()), expected);
        assert_eq!(format!("{:?}", cbor::from_slice::<T>(&ours).unwrap()), expected);
        let mut longer = ours.clone();
        longer.push(0xf6);
        let error = cbor::from_slice::<T>(&longer).unwrap_err();
        assert_eq!((error.category(), error.offset()), (Category::Syntax, Some(ours.len())));
    }
}

/// Converts a value to ciborium's: floats are all `f64`, and types that ciborium lacks are tags.
fn peer(value: &Value<'_>) -> Peer {
    let tag = |code, content| Peer::Tag(code, Box::new(content));
    match *value {
        Value::Null => Peer::Null,
        Value::Bool(value) => value.into(),
        Value::I64(value) | Value::Long(value) => value.into(),
        Value::U64(value) => value.into(),
        Value::F32(value) => f64::from(value).into(),
        Value::F64(value) => value.into(),
        Value::Str(text) => text.into(),
        Value::Bytes(bytes) => bytes.into(),
        Value::Array(items) => Peer::Array(items.iter().map(peer).collect()),
        Value::Map(entries) => {
            Peer::Map(entries.iter().map(|(key, value)| (peer(key), peer(value))).collect())
        }
        Value::Timestamp(Timestamp { seconds, nanoseconds: 0 }) => tag(1, seconds.into()),
        Value::Timestamp(time) => tag(
            1001,
            Peer::Map(vec![
                (1.into(), time.seconds.into()),
                ((-9).into(), time.nanoseconds.into()),
            ]),
        ),
        Value::Number(text) => text.parse::<i128>().expect("an integer of 128 bits").into(),
        Value::Ext(ext) => tag(ext.code, peer(&ext.content)),
    }
}

fn finite() -> BoxedStrategy<Tree> {
    let finite = |tree: &Tree| !matches!(tree, Tree::F32(value) if !value.is_finite());
    any_of(vec![
        common(),
        above_i64(),
        single().prop_filter("a number", finite).boxed(),
        bytes(),
        timestamp(-9_000_000_000..99_000_000_000, 1),
        timestamp(-9_000_000_000..99_000_000_000, 1_000_000_000),
        ext(Space::CborTag, 5..1_000_u64, common()),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn three_crates_read_records(record in record()) {
        round_trips(&record);
    }

    #[test]
    fn three_crates_read_wide_integers(signed in wide()) {
        round_trips(&(signed, signed.cast_unsigned()));
    }

    #[test]
    fn both_crates_read_dynamic_values(tree in tree(finite(), finite())) {
        let arena = Arena::new();
        let value = tree.value(&arena);
        let expected = peer(&value);
        for ours in [cbor::to_vec(&value).unwrap(), shortest(&value)] {
            prop_assert_eq!(&ciborium::from_reader::<Peer, _>(&*ours).unwrap(), &expected);
        }
        let mut theirs = Vec::new();
        ciborium::into_writer(&expected, &mut theirs).unwrap();
        let read = cbor::from_slice_seed(&mut ValueSeed::new(&arena), &theirs, Limits::DEFAULT);
        prop_assert_eq!(&peer(&read.unwrap()), &expected);
        prop_assert_eq!(shortest(&value), theirs);
    }
}
