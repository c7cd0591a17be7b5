//! Typed values in BSON: the encoding of each serde type, and the values that are rejected.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::marker::PhantomData;

use manywire_codec::{Category, Codec, Limits, Result, bson, erased};
use manywire_format::Format;
use manywire_shape::{Ext, Shape, Shaped, Space, Timestamp, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::first_entry::FirstEntry;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct One<T> {
    a: T,
}

/// Returns the type and bytes of a value as the one field of a struct, after reading it back.
fn element<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) -> (u8, Vec<u8>) {
    let one = One { a: value };
    let bytes = bson::to_vec(&one).expect("a value BSON holds");
    assert_eq!(bson::from_slice::<One<T>>(&bytes).expect("what was written"), one);
    assert_eq!((bytes[5], bytes[6], bytes.last()), (b'a', 0, Some(&0)));
    (bytes[4], bytes[7..bytes.len() - 1].to_vec())
}

#[test]
fn typed_integers_keep_their_width() {
    let int32 = |number: i32| (0x10, number.to_le_bytes().to_vec());
    let int64 = |number: i64| (0x12, number.to_le_bytes().to_vec());
    assert_eq!(element(i8::MIN), int32(-128));
    assert_eq!(element(i16::MIN), int32(-32_768));
    assert_eq!(element(i32::MIN), int32(i32::MIN));
    assert_eq!(element(u8::MAX), int32(255));
    assert_eq!(element(u16::MAX), int32(65_535));
    assert_eq!(element(1_u32), int64(1));
    assert_eq!(element(1_i64), int64(1));
    assert_eq!(element(1_u64), int64(1));
    assert_eq!(element(1_i128), int64(1));
    assert_eq!(element(1_u128), int64(1));
    assert_eq!(element(u32::MAX), int64(4_294_967_295));
    assert_eq!(element(i64::MAX as u64), int64(i64::MAX));
    assert_eq!(element(i64::MIN), int64(i64::MIN));
}

#[test]
fn dynamic_integers_have_the_narrowest_width() {
    for (number, kind) in [
        (0, 0x10),
        (i64::from(i32::MAX), 0x10),
        (i64::from(i32::MIN), 0x10),
        (i64::from(i32::MAX) + 1, 0x12),
        (i64::from(i32::MIN) - 1, 0x12),
    ] {
        assert_eq!(bson::to_vec(&One { a: Value::I64(number) }).expect("a value")[4], kind);
    }
}

#[test]
fn scalars_have_one_type_each() {
    assert_eq!(element(true), (0x08, vec![1]));
    assert_eq!(element(1.5_f64), (0x01, 1.5_f64.to_le_bytes().to_vec()));
    assert_eq!(element(0.1_f32), (0x01, f64::from(0.1_f32).to_le_bytes().to_vec()));
    assert_eq!(element('é'), (0x02, b"\x03\0\0\0\xC3\xA9\0".to_vec()));
    assert_eq!(element("ab".to_owned()), (0x02, b"\x03\0\0\0ab\0".to_vec()));
    assert_eq!(element(serde_bytes::ByteBuf::from("ab")), (0x05, b"\x02\0\0\0\0ab".to_vec()));
    assert_eq!(element(()), (0x0A, vec![]));
    assert_eq!(element(None::<u8>), (0x0A, vec![]));
    assert_eq!(element(Some(1_u8)), (0x10, vec![1, 0, 0, 0]));
    let time = Timestamp::new(-1, 999_000_000).expect("a time");
    assert_eq!(element(time), (0x09, vec![0xFF; 8]));
    assert_eq!(element(BTreeMap::<String, u8>::new()), (0x03, vec![5, 0, 0, 0, 0]));
    assert_eq!(element((1_u8, ())), (0x04, b"\x0F\0\0\0\x100\0\x01\0\0\0\x0A1\0\0".to_vec()));
}

#[test]
fn only_the_canonical_text_of_a_number_is_a_key() {
    let document = |keys: &[&str]| {
        let entries: BTreeMap<_, _> = keys.iter().map(|key| (*key, 1_u8)).collect();
        bson::to_vec(&One { a: entries }).expect("a document")
    };
    let read = |bytes: &[u8]| bson::from_slice::<One<BTreeMap<i16, u8>>>(bytes);
    let keys = ["0", "-7", "10", "32767"];
    let numbers = read(&document(&keys)).expect("numbers").a;
    assert_eq!(numbers.into_keys().collect::<Vec<_>>(), [-7, 0, 10, 32_767]);
    for key in ["007", "+7", "-0", "00", "-07", " 7", "", "7.0", "32768"] {
        let error = read(&document(&["7", key])).expect_err(key);
        assert_eq!(error.category(), Category::Data, "{key:?}: {error}");
        let expected = format!("invalid value: string {key:?}, expected an i16 in decimal");
        assert_eq!(error.message(), expected);
    }
    let flags = bson::from_slice::<One<BTreeMap<bool, u8>>>(&document(&["true", "false"]));
    assert_eq!(flags.expect("booleans").a.len(), 2);
}

#[test]
fn binary_is_read_by_an_array_of_its_length() {
    let bytes = bson::to_vec(&One { a: serde_bytes::ByteBuf::from("abc") }).expect("binary");
    let read = bson::from_slice::<One<Vec<u8>>>(&bytes).expect("bytes");
    assert_eq!(read.a, b"abc");
    assert_eq!(bson::from_slice::<One<[u8; 3]>>(&bytes).expect("three bytes").a, *b"abc");
    let error = bson::from_slice::<One<[u8; 2]>>(&bytes).expect_err("a byte more");
    assert_eq!(error.message(), "expected 2 items, found 3");
    assert_eq!(error.path_text(), "$.a");
    bson::from_slice::<One<[u8; 4]>>(&bytes).expect_err("a byte less");
    bson::from_slice::<One<(u8, u8)>>(&bytes).expect_err("a byte more");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    Newtype(i32),
    Tuple(i32, String),
    Struct { x: i32, inner: Box<External> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Unit,
    Newtype(One<i64>),
    Struct { x: f32, time: Timestamp },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { x: Option<u8> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Float(f64),
    Time(Timestamp),
    Text(String),
    Items(Vec<Untagged>),
    Struct { x: i32 },
}

#[test]
fn round_trips_enums_of_every_tagging() {
    assert_eq!(element(External::Unit), (0x02, b"\x05\0\0\0Unit\0".to_vec()));
    assert_eq!(element(External::Newtype(7)).0, 0x03);
    element(External::Tuple(7, "x".into()));
    element(External::Struct { x: 1, inner: Box::new(External::Tuple(2, "é".into())) });
    element(External::Struct { x: 1, inner: Box::new(External::Unit) });
    element(Internal::Unit);
    element(Internal::Newtype(One { a: i64::MAX }));
    element(Internal::Struct { x: 0.1, time: Timestamp::new(5, 0).expect("a time") });
    element(Adjacent::Unit);
    element(Adjacent::Newtype(7));
    element(Adjacent::Tuple(1, 2));
    element(Adjacent::Struct { x: None });
    element(Untagged::Number(-1));
    element(Untagged::Float(1.0));
    element(Untagged::Time(Timestamp::new(5, 1_000_000).expect("a time")));
    element(Untagged::Items(vec![Untagged::Text("x".into()), Untagged::Struct { x: 1 }]));
    for variant in [External::Newtype(1), External::Tuple(1, "x".into())] {
        let bytes = bson::to_vec(&variant).expect("a document");
        assert_eq!(bson::from_slice::<External>(&bytes).expect("a variant"), variant);
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    before: u8,
    #[serde(flatten)]
    inner: One<Vec<u16>>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Newtype(BTreeMap<char, Unit>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Tuple(u8, Option<Box<Tuple>>);

#[test]
fn round_trips_every_form_of_struct() {
    let rest = [("q".to_owned(), serde_json::json!({"é": [1, "x", null, 0.5]}))];
    element(Outer { before: 1, inner: One { a: vec![1, 2] }, rest: rest.into() });
    element(Newtype([('x', Unit), ('é', Unit)].into()));
    element(Tuple(1, Some(Box::new(Tuple(2, None)))));
    element(Ok::<u8, String>(1));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Borrowed<'a> {
    text: &'a str,
    #[serde(borrow, with = "serde_bytes")]
    bytes: &'a [u8],
    #[serde(borrow)]
    map: BTreeMap<&'a str, &'a str>,
}

#[test]
fn borrows_text_and_bytes_from_the_input() {
    let value = Borrowed { text: "é", bytes: b"\xFF\0", map: [("k", "v")].into() };
    let bytes = bson::to_vec(&value).expect("a document");
    let read: Borrowed<'_> = bson::from_slice(&bytes).expect("what was written");
    assert_eq!(read, value);
    assert!(bytes.as_ptr_range().contains(&read.text.as_ptr()));
    assert!(bytes.as_ptr_range().contains(&read.bytes.as_ptr()));
}

#[test]
fn top_level_arrays_are_documents_with_numbered_keys() {
    let items: Vec<u8> = (0..1_101).map(|n| n as u8).collect();
    let bytes = bson::to_vec(&items).expect("a document");
    assert_eq!(bson::from_slice::<Vec<u8>>(&bytes).expect("a sequence"), items);
    let map: HashMap<u16, u8> = bson::from_slice(&bytes).expect("a map");
    assert_eq!((map.len(), map[&1_100]), (1_101, items[1_100]));
    assert_eq!(
        bson::to_vec(&(1_u8, "x")).expect("a document"),
        b"\x15\0\0\0\x100\0\x01\0\0\0\x021\0\x02\0\0\0x\0\0"
    );
    let error = bson::from_slice::<Vec<u8>>(b"\x0C\0\0\0\x101\0\x01\0\0\0\0").unwrap_err();
    assert_eq!((error.category(), error.offset()), (Category::Data, Some(5)), "{error}");
}

#[test]
fn reads_bson_types_as_plain_bytes_or_text() {
    let own = |code, content| {
        let ext = Ext { space: Space::Bson, code, content };
        bson::to_vec(&One { a: Value::Ext(&ext) }).expect("an extension")
    };
    let read: One<Vec<u8>> =
        bson::from_slice(b"\x0F\0\0\0\x05a\0\x02\0\0\0\x80ab\0").expect("bytes");
    assert_eq!(read.a, b"ab");
    let code = own(0x0D, Value::Str("f()"));
    assert_eq!(bson::from_slice::<One<String>>(&code).expect("text").a, "f()");
    let undefined = b"\x08\0\0\0\x06a\0\0";
    assert_eq!(bson::from_slice::<One<Option<u8>>>(undefined).expect("nothing").a, None);
}

#[test]
fn reads_integers_as_floats() {
    let bytes = bson::to_vec(&One { a: 5_i32 }).expect("a document");
    assert_eq!(bson::from_slice::<One<f64>>(&bytes).expect("a float").a, 5.0);
    assert_eq!(bson::from_slice::<One<f32>>(&bytes).expect("a float").a, 5.0);
}

fn refused(value: impl Serialize) -> (String, String) {
    let mut out = b"before".to_vec();
    let error = bson::encode(&value, bson::TopLevel::Document, &mut out)
        .expect_err("BSON cannot represent it");
    assert_eq!(out, b"before", "what was written is taken back");
    assert_eq!(error.category(), Category::Unsupported, "{error}");
    assert_eq!(error.format(), Some(Format::Bson));
    (error.path_text(), error.message().to_owned())
}

#[test]
fn rejects_unsupported_values_with_their_path() {
    let under_a = |value: Value<'_>| refused(One { a: [Value::Null, value] });
    let extension = |space, content| under_a(Value::Ext(&Ext { space, code: 5, content }));
    for (path, message) in [
        under_a(Value::U64(u64::MAX)),
        under_a(Value::Number("18446744073709551616")),
        under_a(Value::Timestamp(Timestamp::new(0, 1).expect("a time"))),
        under_a(Value::Timestamp(Timestamp::new(i64::MAX, 0).expect("a time"))),
        under_a(Value::Map(&[(Value::I64(1), Value::Null)])),
        under_a(Value::Map(&[(Value::Null, Value::Null)])),
        under_a(Value::Map(&[(Value::Str("a\0b"), Value::Null)])),
        extension(Space::MessagePack, Value::Bytes(b"")),
        extension(Space::CborTag, Value::Null),
        extension(Space::CborSimple, Value::Null),
        extension(Space::Bson, Value::Null),
        extension(Space::Bson, Value::Array(&[Value::I64(0), Value::Bytes(b"")])),
        extension(Space::Bson, Value::Array(&[Value::I64(256), Value::Bytes(b"")])),
    ] {
        assert_eq!(path, "$.a[1]", "{message}");
    }
    let (path, _) = refused(One { a: BTreeMap::from([("k", (1_u8, u64::MAX))]) });
    assert_eq!(path, "$.a.k[1]");
    let (path, _) = refused(Deep::Struct { big: u64::MAX });
    assert_eq!(path, "$.Struct.big");
    let (path, _) = refused(One { a: i128::MAX });
    assert_eq!(path, "$.a");
    let (path, _) = refused(One { a: u128::MAX });
    assert_eq!(path, "$.a");
}

#[derive(Serialize)]
enum Deep {
    Struct { big: u64 },
}

#[test]
fn rejects_top_level_scalars() {
    for (path, message) in [
        refused(1),
        refused(1.5),
        refused("x"),
        refused(true),
        refused(()),
        refused(None::<One<u8>>),
        refused(External::Unit),
        refused(Value::Bytes(b"")),
        refused(Timestamp::new(0, 0).expect("a time")),
        refused(Value::Ext(&Ext { space: Space::Bson, code: 0x7F, content: Value::Null })),
        refused(Value::Ext(&Ext {
            space: Space::Bson,
            code: 0x0F,
            content: Value::Array(&[Value::Str("x"), Value::Map(&[])]),
        })),
    ] {
        assert_eq!(path, "$");
        assert!(message.contains("the top level of BSON is a document, found "), "{message}");
    }
}

fn misread<T: DeserializeOwned + Debug>(value: impl Serialize) -> (String, Option<usize>, String) {
    let bytes = bson::to_vec(&value).expect("a document");
    let error = bson::from_slice::<T>(&bytes).expect_err("another type");
    assert_eq!(error.category(), Category::Data, "{error}");
    assert_eq!(error.format(), Some(Format::Bson), "{error}");
    (error.path_text(), error.offset(), error.message().to_owned())
}

#[test]
fn rejects_values_of_other_types_with_path_and_offset() {
    let check = |(path, offset, message): (String, Option<usize>, String),
                 expected: (&str, usize, &str)| {
        assert_eq!(
            (path.as_str(), offset, message.as_str()),
            (expected.0, Some(expected.1), expected.2)
        );
    };
    check(
        misread::<One<u8>>(One { a: 256 }),
        ("$.a", 7, "invalid value: integer `256`, expected u8"),
    );
    check(
        misread::<One<u64>>(One { a: -1 }),
        ("$.a", 7, "invalid value: integer `-1`, expected u64"),
    );
    check(
        misread::<One<Vec<String>>>(One { a: ("x", 1) }),
        ("$.a[1]", 23, "invalid type: integer `1`, expected a string"),
    );
    check(
        misread::<One<i32>>(One { a: Timestamp::new(0, 0).expect("a time") }),
        ("$.a", 7, "invalid type: UTC datetime, expected i32"),
    );
    check(
        misread::<One<String>>(One { a: [1] }),
        ("$.a", 7, "invalid type: sequence, expected a string"),
    );
    check(
        misread::<One<(u8, u8)>>(One { a: [1, 2, 3] }),
        ("$.a", 25, "expected 2 items, found more"),
    );
    check(
        misread::<One<FirstEntry>>(One { a: BTreeMap::from([("a", 1), ("b", 2)]) }),
        ("$.a", 18, "the map has more entries than expected"),
    );
    check(
        misread::<One<One<u8>>>(One { a: HashMap::<String, u8>::new() }),
        ("$.a", 7, "missing field `a`"),
    );
    check(
        misread::<One<External>>(One { a: "Other" }),
        ("$.a", 7, "unknown variant `Other`, expected one of `Unit`, `Newtype`, `Tuple`, `Struct`"),
    );
    check(
        misread::<One<Timestamp>>(One { a: 5 }),
        ("$.a", 7, "invalid type: integer `5`, expected a timestamp"),
    );
    check(
        misread::<One<u8>>(One { a: 1.5 }),
        ("$.a", 7, "invalid type: floating point `1.5`, expected u8"),
    );
    check(
        misread::<HashMap<u8, u8>>(HashMap::from([("300", 1)])),
        ("$.300", 5, "invalid value: string \"300\", expected a u8 in decimal"),
    );
    check(misread::<u8>(One { a: 1 }), ("$", 0, "invalid type: map, expected u8"));
}

/// At the top, only the keys distinguish an array from a map.
#[test]
fn a_value_that_its_keys_would_change_is_refused_at_the_top() -> Result<()> {
    #[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Either {
        List(Vec<u8>),
        Map(BTreeMap<String, u8>),
    }
    let codec = Codec::new(Format::Bson, &Shape::of::<Either>())?;
    let write = |value: &Either| {
        let mut out = vec![7];
        codec.encode_typed(value, &mut out).map(|()| out)
    };
    let map = |key: &str| Either::Map(BTreeMap::from([(key.to_owned(), 1)]));
    for value in [Either::List(vec![1, 2]), Either::Map(BTreeMap::new()), map("a"), map("1")] {
        let bytes = write(&value)?;
        assert_eq!(bytes[0], 7);
        let back = erased::read(PhantomData::<Either>, |seed| {
            codec.decode_typed(seed, &bytes[1..], Limits::DEFAULT)
        });
        assert_eq!(back?, value);
    }
    for (value, message) in [
        (Either::List(vec![]), "an empty array at the top would be read as an empty map"),
        (map("0"), "a map at the top with the keys 0, 1, … would be read as an array"),
    ] {
        let error = write(&value).expect_err(message);
        assert_eq!((error.category(), error.message()), (Category::Unsupported, message));
    }
    Ok(())
}
