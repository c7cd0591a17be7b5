//! Round trips between our MessagePack codec and rmp-serde, on generated values.

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::msgpack::{self, Layout};
use manywire_codec::{Category, Limits};
use manywire_shape::{Arena, Ext, Space, Timestamp, Value, ValueSeed};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    small: (i8, i16, i32, i64),
    large: (u8, u16, u32, u64),
    single: f32,
    double: f64,
    flag: bool,
    letter: char,
    text: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    numbers: Vec<u8>,
    maybe: Option<i64>,
    unit: (),
    by_text: BTreeMap<String, i32>,
    by_number: BTreeMap<i64, Option<String>>,
    by_pair: BTreeMap<(u8, String), bool>,
    variants: Vec<Variant>,
    wrapped: Wrapped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Variant {
    Unit,
    Newtype(i32),
    Tuple(String, u8),
    Struct { x: u16, y: Option<bool> },
}

fn variant() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Unit),
        any::<i32>().prop_map(Variant::Newtype),
        (".{0,40}", any::<u8>()).prop_map(|(text, number)| Variant::Tuple(text, number)),
        (any::<u16>(), any::<Option<bool>>()).prop_map(|(x, y)| Variant::Struct { x, y }),
    ]
}

/// Generates integers of every magnitude, not only large ones.
fn integer() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0..64u32).prop_map(|(number, shift)| number >> shift)
}

fn record() -> impl Strategy<Value = Record> {
    let numbers = (integer(), integer().prop_map(i64::cast_unsigned));
    let floats = (any::<f32>(), any::<f64>(), any::<bool>(), any::<char>());
    let texts = (".{0,300}", vec(any::<u8>(), 0..300), vec(any::<u8>(), 0..40));
    let maps = (
        btree_map(".{0,5}", any::<i32>(), 0..20),
        btree_map(integer(), option::of(".{0,70}"), 0..5),
        btree_map((any::<u8>(), ".{0,5}"), any::<bool>(), 0..3),
    );
    let rest = (option::of(integer()), vec(variant(), 0..5), any::<u32>());
    (numbers, floats, texts, maps, rest).prop_map(|(numbers, floats, texts, maps, rest)| Record {
        small: (numbers.0 as i8, numbers.0 as i16, numbers.0 as i32, numbers.0),
        large: (numbers.1 as u8, numbers.1 as u16, numbers.1 as u32, numbers.1),
        single: floats.0,
        double: floats.1,
        flag: floats.2,
        letter: floats.3,
        text: texts.0,
        bytes: texts.1,
        numbers: texts.2,
        maybe: rest.0,
        unit: (),
        by_text: maps.0,
        by_number: maps.1,
        by_pair: maps.2,
        variants: rest.1,
        wrapped: Wrapped(rest.2),
    })
}

fn array<T: Serialize>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::encode(value, Layout::Array, &mut out).unwrap();
    out
}

/// Compares records by their text, because NaN differs from itself.
fn round_trips<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    let expected = format!("{value:?}");
    let pairs = [
        (msgpack::to_vec(value).unwrap(), rmp_serde::to_vec_named(value).unwrap()),
        (array(value), rmp_serde::to_vec(value).unwrap()),
    ];
    for (ours, theirs) in pairs {
        // Both choose the shortest forms, so the bytes are equal, too.
        assert_eq!(ours, theirs);
        assert_eq!(format!("{:?}", rmp_serde::from_slice::<T>(&ours).unwrap()), expected);
        assert_eq!(format!("{:?}", msgpack::from_slice::<T>(&theirs).unwrap()), expected);
        let mut longer = ours.clone();
        longer.push(0xc0);
        let error = msgpack::from_slice::<T>(&longer).unwrap_err();
        assert_eq!((error.category(), error.offset()), (Category::Syntax, Some(ours.len())));
    }
}

/// Builds any value that the format represents, except for numbers beyond 64 bits, which are read
/// back as bytes.
fn value<'a>(arena: &'a Arena, tree: &Tree) -> Value<'a> {
    match tree {
        Tree::Null => Value::Null,
        Tree::Bool(value) => Value::Bool(*value),
        Tree::Int(value) => Value::I64(*value),
        Tree::Uint(value) => Value::from(*value),
        Tree::Single(value) => Value::F32(*value),
        Tree::Double(value) => Value::F64(*value),
        Tree::Text(value) => Value::Str(arena.alloc_str(value)),
        Tree::Bytes(value) => Value::Bytes(arena.alloc_slice_copy(value)),
        Tree::Time(seconds, nanoseconds) => {
            Value::Timestamp(Timestamp::new(*seconds, *nanoseconds).unwrap())
        }
        Tree::Ext(code, content) => Value::Ext(arena.alloc(Ext {
            space: Space::MessagePack,
            code: i64::from(*code).cast_unsigned(),
            content: Value::Bytes(arena.alloc_slice_copy(content)),
        })),
        Tree::Array(items) => {
            Value::Array(arena.alloc_slice_fill_iter(items.iter().map(|item| value(arena, item))))
        }
        Tree::Map(entries) => Value::Map(arena.alloc_slice_fill_iter(
            entries.iter().map(|(key, item)| (value(arena, key), value(arena, item))),
        )),
    }
}

#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Single(f32),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Time(i64, u32),
    Ext(i8, Vec<u8>),
    Array(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        integer().prop_map(Tree::Int),
        any::<u64>().prop_map(Tree::Uint),
        any::<u32>().prop_map(|bits| Tree::Single(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Tree::Double(f64::from_bits(bits))),
        ".{0,80}".prop_map(Tree::Text),
        vec(any::<u8>(), 0..80).prop_map(Tree::Bytes),
        (integer(), 0..1_000_000_000u32).prop_map(|(s, n)| Tree::Time(s, n)),
        (integer(), Just(0)).prop_map(|(s, n)| Tree::Time(s, n)),
        // Type -1 is the timestamp, which has its own value type.
        (any::<i8>().prop_filter("not a timestamp", |code| *code != -1), vec(any::<u8>(), 0..20))
            .prop_map(|(code, content)| Tree::Ext(code, content)),
    ];
    leaf.prop_recursive(5, 60, 20, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..20).prop_map(Tree::Array),
            vec((inner.clone(), inner), 0..20).prop_map(Tree::Map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn records_have_the_same_bytes_and_values(record in record()) {
        round_trips(&record);
    }

    #[test]
    fn both_crates_read_wide_integers(signed: i128, unsigned: u128, shift in 0..128u32) {
        let (signed, unsigned) = (signed >> shift, unsigned >> shift);
        let bytes = msgpack::to_vec(&(signed, unsigned)).unwrap();
        prop_assert_eq!(msgpack::from_slice::<(i128, u128)>(&bytes).unwrap(), (signed, unsigned));
        let theirs = rmp_serde::to_vec(&(signed, unsigned)).unwrap();
        prop_assert_eq!(msgpack::from_slice::<(i128, u128)>(&theirs).unwrap(), (signed, unsigned));
        prop_assert_eq!(rmp_serde::from_slice::<(i128, u128)>(&bytes).unwrap(), (signed, unsigned));
        // The shortest form, as an integer if one represents the number.
        if let Ok(small) = i64::try_from(signed) {
            prop_assert_eq!(msgpack::to_vec(&signed).unwrap(), msgpack::to_vec(&small).unwrap());
        }
    }

    #[test]
    fn round_trips_dynamic_values(tree in tree()) {
        let arena = Arena::new();
        let value = value(&arena, &tree);
        let bytes = msgpack::to_vec(&value).unwrap();
        let mut seed = ValueSeed::new(&arena);
        let read = msgpack::from_slice_seed(&mut seed, &bytes, msgpack::ExtraItems::Skipped, Limits::DEFAULT).unwrap();
        prop_assert_eq!(read, value);
        for end in 0..bytes.len() {
            let mut seed = ValueSeed::new(&arena);
            let read = msgpack::from_slice_seed(&mut seed, &bytes[..end], msgpack::ExtraItems::Skipped, Limits::DEFAULT);
            prop_assert_eq!(read.unwrap_err().category(), Category::Eof);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        let arena = Arena::new();
        if let Ok(value) = msgpack::from_slice_seed(&mut ValueSeed::new(&arena), &bytes, msgpack::ExtraItems::Skipped, Limits::DEFAULT) {
            // A value that was read can be written, and is at most as long.
            prop_assert!(msgpack::to_vec(&value).unwrap().len() <= bytes.len());
        }
        let _ = msgpack::from_slice::<Record>(&bytes);
    }

    #[test]
    fn damaged_records_never_panic(record in record(), at: prop::sample::Index, byte: u8) {
        for mut bytes in [msgpack::to_vec(&record).unwrap(), array(&record)] {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Err(error) = msgpack::from_slice::<Record>(&bytes) {
                prop_assert!(error.offset().is_some_and(|offset| offset <= bytes.len()));
            }
        }
    }
}

#[test]
fn reads_numbers_across_widths_and_signs() {
    for number in [-40_000i64, -200, -33, -32, -1, 0, 1, 127, 128, 255, 256, 65_535, 65_536] {
        let bytes = msgpack::to_vec(&number).unwrap();
        let narrow = msgpack::from_slice::<i16>(&bytes).ok();
        assert_eq!(narrow, i16::try_from(number).ok(), "{number}");
        assert_eq!(msgpack::from_slice::<u8>(&bytes).ok(), u8::try_from(number).ok(), "{number}");
        assert_eq!(msgpack::from_slice::<f64>(&bytes).unwrap(), number as f64);
    }
    // A float is not read as an integer, even if it is whole.
    assert!(msgpack::from_slice::<i32>(&msgpack::to_vec(&1.0f64).unwrap()).is_err());
}

#[test]
fn distinguishes_text_and_bytes() {
    let bytes = msgpack::to_vec(serde_bytes::Bytes::new(b"abc")).unwrap();
    assert_eq!(bytes, b"\xc4\x03abc");
    let error = msgpack::from_slice::<String>(&bytes).unwrap_err();
    assert_eq!(error.message(), "expected a string, found bytes");
    assert!(msgpack::from_slice::<&str>(&bytes).is_err());
    assert!(msgpack::from_slice::<char>(b"\xc4\x01a").is_err());
    // The bytes of a `Vec<u8>` without `serde_bytes`.
    assert_eq!(msgpack::from_slice::<Vec<u8>>(&bytes).unwrap(), b"abc");
    assert!(msgpack::from_slice::<Vec<u8>>(b"\xa3abc").is_err());
    // Text is read as bytes: writers from before 2013 send it, with or without UTF-8.
    assert_eq!(msgpack::from_slice::<&serde_bytes::Bytes>(b"\xa3\xff\xfe\x00").unwrap().len(), 3);
}

#[test]
fn borrows_text_and_bytes() {
    #[derive(Deserialize)]
    struct ZeroCopy<'a> {
        text: &'a str,
        #[serde(borrow)]
        bytes: &'a serde_bytes::Bytes,
    }
    let bytes = b"\x82\xa4text\xa2hi\xa5bytes\xc4\x01z".to_vec();
    let lent: ZeroCopy<'_> = msgpack::from_slice(&bytes).unwrap();
    assert!(bytes.as_ptr_range().contains(&lent.text.as_ptr()));
    assert!(bytes.as_ptr_range().contains(&lent.bytes.as_ptr()));
}

#[test]
fn round_trips_timestamps() {
    let cases: [(Timestamp, &[u8]); 3] = [
        (Timestamp { seconds: 1, nanoseconds: 0 }, b"\xd6\xff\0\0\0\x01"),
        (Timestamp { seconds: 1, nanoseconds: 1 }, b"\xd7\xff\0\0\0\x04\0\0\0\x01"),
        (
            Timestamp { seconds: -1, nanoseconds: 5 },
            b"\xc7\x0c\xff\0\0\0\x05\xff\xff\xff\xff\xff\xff\xff\xff",
        ),
    ];
    for (timestamp, bytes) in cases {
        assert_eq!(msgpack::to_vec(&timestamp).unwrap(), bytes);
        assert_eq!(msgpack::from_slice::<Timestamp>(bytes).unwrap(), timestamp);
        assert_eq!(msgpack::from_slice::<Option<Timestamp>>(bytes).unwrap(), Some(timestamp));
    }
    // Also through serde's own buffers.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Event {
        At { when: Timestamp },
    }
    let event = Event::At { when: cases[2].0 };
    for layout in [Layout::Map, Layout::Array] {
        let mut bytes = Vec::new();
        msgpack::encode(&event, layout, &mut bytes).unwrap();
        assert_eq!(msgpack::from_slice::<Event>(&bytes).unwrap(), event);
    }
    assert!(msgpack::from_slice::<Timestamp>(&[0x05]).is_err());
    assert!(msgpack::from_slice::<Timestamp>(b"\xd4\x05\x00").is_err());
    assert!(msgpack::from_slice::<u32>(cases[0].1).is_err());
}

#[test]
fn rejects_unsupported_values_with_their_path() {
    let ext = |space, code, content| Ext { space, code, content };
    let bytes = Value::Bytes(&[0]);
    let cases = [
        Value::Number("170141183460469231731687303715884105728"),
        Value::Number("1e400"),
        Value::Ext(&ext(Space::CborTag, 1, Value::Null)),
        Value::Ext(&ext(Space::CborSimple, 99, Value::Null)),
        Value::Ext(&ext(Space::Bson, 7, bytes)),
        // Types are signed bytes, and type -1 must be a timestamp.
        Value::Ext(&ext(Space::MessagePack, 128, bytes)),
        Value::Ext(&ext(Space::MessagePack, u64::MAX, bytes)),
        Value::Ext(&ext(Space::MessagePack, 1, Value::Str("text"))),
    ];
    for case in cases {
        let key = (Value::Str("a"), Value::Array(&[Value::Null, case]));
        let error = msgpack::to_vec(&Value::Map(&[key])).unwrap_err();
        assert_eq!(error.category(), Category::Unsupported, "{case:?}");
        assert_eq!(error.path_text(), "$.a[1]", "{case:?}");
    }
    // A number within 128 bits is written like `i128`.
    let number = Value::Number("-9223372036854775809");
    let bytes = msgpack::to_vec(&number).unwrap();
    assert_eq!(bytes, msgpack::to_vec(&-9_223_372_036_854_775_809_i128).unwrap());
    assert_eq!(bytes[..2], [0xc4, 16]);
}

#[test]
fn writes_formatted_text() {
    struct Shown(String);
    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_str(&format_args!("{}", self.0))
        }
    }
    for length in [1, 31, 32, 255, 256, 65_535, 65_536] {
        let text = "x".repeat(length);
        assert_eq!(msgpack::to_vec(&text).unwrap(), msgpack::to_vec(&Shown(text)).unwrap());
    }
}
