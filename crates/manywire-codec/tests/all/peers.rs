//! Round trips between our codecs and the crates that others use, on generated values: rmp-serde,
//! ciborium, cbor2, and MongoDB's bson.

use std::collections::BTreeMap;
use std::fmt::Debug;

use ciborium::Value as Ciborium;
use manywire_codec::cbor::{Options, Serializer};
use manywire_codec::msgpack::Layout;
use manywire_codec::{Category, Limits, Result, bson, cbor, msgpack};
use manywire_shape::{Arena, OwnedValue, Space, Timestamp, Value, ValueSeed};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use proptest::{num, option};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::any_value::{
    above_i64, any_of, bytes, common, ext, int, keep_first_of_each_key, single, text, timestamp,
    tree,
};
use crate::support::bson_reference::extended_json;

/// A record that every format holds, with a part that is the format's own.
#[derive(Debug, Serialize, Deserialize)]
struct Record<Own> {
    signed: (i8, i16, i32, i64),
    unsigned: (u8, u16, u32),
    floats: (f32, f64),
    flag: bool,
    letter: char,
    text: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    numbers: Vec<u8>,
    maybe: Option<i64>,
    by_text: BTreeMap<String, Vec<i32>>,
    variants: Vec<Variant>,
    own: Own,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Variant {
    Unit,
    Newtype(i64),
    Tuple(String, u8),
    Struct { x: f32, y: Option<u16> },
}

/// The part of formats with keys of any type.
#[derive(Debug, Serialize, Deserialize)]
struct Keyed {
    large: u64,
    unit: (),
    by_number: BTreeMap<i64, Option<String>>,
    by_pair: BTreeMap<(u8, String), bool>,
    wrapped: Wrapped,
}

#[derive(Debug, Serialize, Deserialize)]
struct Wrapped(u32);

/// The part of CBOR.
#[derive(Debug, Serialize, Deserialize)]
struct Wide {
    signed: i128,
    unsigned: u128,
    keyed: Keyed,
    #[serde(flatten)]
    rest: BTreeMap<String, i32>,
}

/// The part of BSON.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    below: u64,
    maybe: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Variant>,
    #[serde(flatten)]
    rest: BTreeMap<String, Option<bool>>,
}

/// Generates integers of every magnitude, not only large ones.
fn integer() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0..64_u32).prop_map(|(number, shift)| number >> shift)
}

fn wide() -> impl Strategy<Value = (i128, u128)> {
    (any::<i128>(), any::<u128>(), 0..128_u32)
        .prop_map(|(signed, unsigned, shift)| (signed >> shift, unsigned >> shift))
}

fn single_float() -> impl Strategy<Value = f32> {
    num::f32::ANY.prop_filter("no NaN", |float| !float.is_nan())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), ".{0,300}"]
}

fn variant() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Unit),
        integer().prop_map(Variant::Newtype),
        (".{0,40}", any::<u8>()).prop_map(|(text, number)| Variant::Tuple(text, number)),
        (single_float(), any::<Option<u16>>()).prop_map(|(x, y)| Variant::Struct { x, y }),
    ]
}

fn key() -> impl Strategy<Value = String> {
    "[^\0]{0,12}"
}

fn record<Own: Debug>(own: impl Strategy<Value = Own>) -> impl Strategy<Value = Record<Own>> {
    let double = num::f64::ANY.prop_filter("no NaN", |float| !float.is_nan());
    let scalars = (integer(), integer(), (single_float(), double), any::<bool>(), any::<char>());
    let lists = (
        any_text(),
        vec(any::<u8>(), 0..300),
        vec(any::<u8>(), 0..40),
        btree_map(key(), vec(any::<i32>(), 0..4), 0..20),
        vec(variant(), 0..5),
    );
    (scalars, lists, option::of(integer()), own).prop_map(|(scalars, lists, maybe, own)| {
        let (signed, unsigned, floats, flag, letter) = scalars;
        let (text, bytes, numbers, by_text, variants) = lists;
        Record {
            signed: (signed as i8, signed as i16, signed as i32, signed),
            unsigned: (unsigned as u8, unsigned as u16, unsigned as u32),
            floats,
            flag,
            letter,
            text,
            bytes,
            numbers,
            maybe,
            by_text,
            variants,
            own,
        }
    })
}

fn keyed() -> impl Strategy<Value = Keyed> {
    let by_number = btree_map(integer(), option::of(".{0,70}"), 0..5);
    let by_pair = btree_map((any::<u8>(), ".{0,5}"), any::<bool>(), 0..3);
    (integer(), by_number, by_pair, any::<u32>()).prop_map(
        |(large, by_number, by_pair, wrapped)| {
            let (large, wrapped) = (large.cast_unsigned(), Wrapped(wrapped));
            Keyed { large, unit: (), by_number, by_pair, wrapped }
        },
    )
}

fn of_cbor() -> impl Strategy<Value = Wide> {
    let rest = btree_map("rest[a-z]{0,5}", any::<i32>(), 0..30);
    (wide(), keyed(), rest).prop_map(|((signed, unsigned), keyed, rest)| Wide {
        signed,
        unsigned,
        keyed,
        rest,
    })
}

fn of_bson() -> impl Strategy<Value = Document> {
    let rest = btree_map("rest[^\0]{0,9}", any::<Option<bool>>(), 0..3);
    let below = 0..i64::MAX as u64;
    (below, any::<Option<String>>(), vec(variant(), 0..2), rest)
        .prop_map(|(below, maybe, skipped, rest)| Document { below, maybe, skipped, rest })
}

/// A way of writing a type, and another crate that writes and reads it.
struct Peer<T> {
    name: &'static str,
    write: fn(&T) -> Vec<u8>,
    read: fn(&[u8]) -> Result<T>,
    theirs: fn(&T) -> Vec<u8>,
    read_theirs: fn(&[u8]) -> T,
    /// True if both crates write the same bytes.
    same_bytes: bool,
}

fn msgpack_peers<T: Serialize + DeserializeOwned>() -> [Peer<T>; 2] {
    let by_name = Peer::<T> {
        name: "rmp-serde, fields by name",
        write: |value| msgpack::to_vec(value).unwrap(),
        read: |bytes| msgpack::from_slice(bytes),
        theirs: |value| rmp_serde::to_vec_named(value).unwrap(),
        read_theirs: |bytes| rmp_serde::from_slice(bytes).unwrap(),
        // Both choose the shortest forms.
        same_bytes: true,
    };
    let by_position = Peer {
        name: "rmp-serde, fields by position",
        write: |value| {
            let mut out = Vec::new();
            msgpack::encode(value, Layout::Array, &mut out).unwrap();
            out
        },
        theirs: |value| rmp_serde::to_vec(value).unwrap(),
        ..by_name
    };
    [by_name, by_position]
}

fn shortest<T: Serialize>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    let options = Options::default().with_shortest_floats(true);
    Serializer::new(&mut out).with_options(options).write(value).unwrap();
    out
}

fn ciborium_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    ciborium::into_writer(value, &mut out).unwrap();
    out
}

fn cbor_peers<T: Serialize + DeserializeOwned>() -> [Peer<T>; 4] {
    let ciborium = Peer::<T> {
        name: "ciborium",
        write: |value| cbor::to_vec(value).unwrap(),
        read: |bytes| cbor::from_slice(bytes),
        theirs: ciborium_bytes,
        read_theirs: |bytes| ciborium::from_reader(bytes).unwrap(),
        same_bytes: false,
    };
    let cbor2 = Peer {
        name: "cbor2",
        theirs: |value| cbor2::to_vec(value).unwrap(),
        read_theirs: |bytes| cbor2::from_slice(bytes).unwrap(),
        ..ciborium
    };
    [
        Peer { name: "ciborium, shortest floats", write: shortest, ..ciborium },
        Peer { name: "cbor2, shortest floats", write: shortest, same_bytes: true, ..cbor2 },
        ciborium,
        cbor2,
    ]
}

fn bson_peers<T: Serialize + DeserializeOwned>() -> [Peer<T>; 1] {
    [Peer {
        name: "bson",
        write: |value| bson::to_vec(value).unwrap(),
        read: |bytes| bson::from_slice(bytes),
        theirs: |value| ::bson::serialize_to_vec(value).unwrap(),
        read_theirs: |bytes| ::bson::deserialize_from_slice(bytes).unwrap(),
        same_bytes: true,
    }]
}

/// Checks that each crate reads what either wrote, and that ours reads no byte more. Values are
/// compared by their text, because 0 equals -0.
fn agree<T: Debug>(peer: &Peer<T>, value: &T) {
    let (name, expected) = (peer.name, format!("{value:?}"));
    let (ours, theirs) = ((peer.write)(value), (peer.theirs)(value));
    if peer.same_bytes {
        assert_eq!(ours, theirs, "{name}");
    }
    assert_eq!(format!("{:?}", (peer.read_theirs)(&ours)), expected, "{name}");
    for bytes in [&ours, &theirs] {
        assert_eq!(format!("{:?}", (peer.read)(bytes).expect(name)), expected, "{name}");
    }
    let longer = [&ours[..], &[0]].concat();
    let error = (peer.read)(&longer).expect_err(name);
    assert_eq!((error.category(), error.offset()), (Category::Syntax, Some(ours.len())), "{name}");
}

/// Checks that the error for changed bytes, if there is one, has an offset in them.
fn reads_changed_bytes<T: Debug>(peer: &Peer<T>, value: &T, at: Index, byte: u8) {
    let mut bytes = (peer.write)(value);
    let at = at.index(bytes.len());
    bytes[at] = byte;
    if let Err(error) = (peer.read)(&bytes) {
        let is_inside = error.offset().is_some_and(|offset| offset <= bytes.len());
        assert!(is_inside, "{}: {error}", peer.name);
    }
}

/// Failures are shrunk and printed. Persisting them in a file would depend on the location of this
/// one.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() }
}

fn agree_on_records<Own: Debug>(own: impl Strategy<Value = Own>, peers: &[Peer<Record<Own>>]) {
    let check = |(record, at, byte)| {
        for peer in peers {
            agree(peer, &record);
            reads_changed_bytes(peer, &record, at, byte);
        }
        Ok(())
    };
    TestRunner::new(config())
        .run(&(record(own), any::<Index>(), any::<u8>()), check)
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn other_crates_read_and_write_the_same_records() {
    agree_on_records(keyed(), &msgpack_peers());
    agree_on_records(of_cbor(), &cbor_peers());
    agree_on_records(of_bson(), &bson_peers());
}

/// Converts a value to ciborium's: floats are all `f64`, and types that ciborium lacks are tags.
fn to_ciborium(value: &Value<'_>) -> Ciborium {
    let tag = |code, content| Ciborium::Tag(code, Box::new(content));
    match *value {
        Value::Null => Ciborium::Null,
        Value::Bool(value) => value.into(),
        Value::I64(value) | Value::Long(value) => value.into(),
        Value::U64(value) => value.into(),
        Value::F32(value) => f64::from(value).into(),
        Value::F64(value) => value.into(),
        Value::Str(text) => text.into(),
        Value::Bytes(bytes) => bytes.into(),
        Value::Array(items) => Ciborium::Array(items.iter().map(to_ciborium).collect()),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (to_ciborium(key), to_ciborium(value)));
            Ciborium::Map(entries.collect())
        }
        Value::Timestamp(Timestamp { seconds, nanoseconds: 0 }) => tag(1, seconds.into()),
        Value::Timestamp(time) => tag(
            1001,
            Ciborium::Map(vec![
                (1.into(), time.seconds.into()),
                ((-9).into(), time.nanoseconds.into()),
            ]),
        ),
        Value::Number(text) => text.parse::<i128>().expect("an integer of 128 bits").into(),
        Value::Ext(ext) => tag(ext.code, to_ciborium(&ext.content)),
    }
}

/// Generates values that ciborium holds.
fn cbor_value() -> BoxedStrategy<OwnedValue> {
    let finite =
        |value: &OwnedValue| !matches!(value, OwnedValue::F32(float) if !float.is_finite());
    let leaf = any_of(vec![
        common(),
        above_i64(),
        single().prop_filter("a number", finite).boxed(),
        bytes(),
        timestamp(-9_000_000_000..99_000_000_000, 1),
        timestamp(-9_000_000_000..99_000_000_000, 1_000_000_000),
        ext(Space::CborTag, 5..1_000_u64, common()),
    ]);
    tree(leaf.clone(), leaf)
}

/// Generates documents that MongoDB's crate reads as we do: it keeps the last of two equal keys, so
/// there are none here.
fn bson_document() -> impl Strategy<Value = OwnedValue> {
    let exactly = |count| vec(any::<u8>(), count).prop_map(OwnedValue::Bytes).boxed();
    let own = |code: u64, content: BoxedStrategy<OwnedValue>| ext(Space::Bson, Just(code), content);
    let uuid = (Just(int(4)), exactly(16))
        .prop_map(|(subtype, bytes)| OwnedValue::Array(vec![subtype, bytes]));
    let leaf = any_of(vec![
        common(),
        bytes(),
        timestamp(-60_000_000_000..250_000_000_000, 1_000_000),
        own(0x05, uuid.boxed()),
        own(0x07, exactly(12)),
        own(0x0D, text()),
        own(0x0E, text()),
        own(0x11, any::<u64>().prop_map(OwnedValue::U64).boxed()),
        own(0x13, exactly(16)),
        own(0x7F, Just(OwnedValue::Null).boxed()),
        own(0xFF, Just(OwnedValue::Null).boxed()),
    ]);
    tree(leaf, key().prop_map(OwnedValue::Str).boxed()).prop_map(|mut value| {
        keep_first_of_each_key(&mut value);
        match value {
            OwnedValue::Map(_) => value,
            other => OwnedValue::from([("a", other)]),
        }
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn other_crates_read_wide_integers(value in wide()) {
        for peer in msgpack_peers() {
            // Only ours has the shortest form, an integer if one represents the number.
            agree(&Peer { same_bytes: false, ..peer }, &value);
        }
        for peer in cbor_peers() {
            agree(&peer, &value);
        }
        if let Ok(small) = i64::try_from(value.0) {
            prop_assert_eq!(msgpack::to_vec(&value.0).unwrap(), msgpack::to_vec(&small).unwrap());
        }
    }

    #[test]
    fn ciborium_reads_and_writes_the_same_values(owned in cbor_value()) {
        let arena = Arena::new();
        let value = owned.borrowed(&arena);
        let expected = to_ciborium(&value);
        for ours in [cbor::to_vec(&value).unwrap(), shortest(&value)] {
            prop_assert_eq!(&ciborium::from_reader::<Ciborium, _>(&*ours).unwrap(), &expected);
        }
        let theirs = ciborium_bytes(&expected);
        let read = cbor::from_slice_seed(&mut ValueSeed::new(&arena), &theirs, Limits::DEFAULT);
        prop_assert_eq!(&to_ciborium(&read.unwrap()), &expected);
        prop_assert_eq!(shortest(&value), theirs);
    }

    #[test]
    fn the_crate_of_mongodb_reads_and_writes_the_same_documents(owned in bson_document()) {
        let arena = Arena::new();
        let value = owned.borrowed(&arena);
        let written = bson::to_vec(&value).expect("a document");
        let document = ::bson::Document::from_reader(written.as_slice()).expect("our bytes");
        let theirs = document.to_vec().expect("a document");
        prop_assert_eq!(&written, &theirs);
        let mut seed = ValueSeed::new(&arena);
        let read =
            bson::from_slice_seed(&mut seed, &theirs, bson::TopLevel::Document, Limits::DEFAULT)
                .expect("their bytes");
        prop_assert_eq!(read, value);
        let json = ::bson::Bson::Document(document).into_canonical_extjson();
        prop_assert_eq!(extended_json(&value), json);
    }
}
