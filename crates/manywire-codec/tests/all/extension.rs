//! Values beyond serde's model: foreign serializers and deserializers see their natural form or an
//! error, and no input is mistaken for one.

use std::collections::BTreeMap;

use manywire_codec::{bson, cbor, json, msgpack};
use manywire_shape::{Arena, Ext, Space, Timestamp, Value, ValueSeed};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

const TIME: Timestamp = Timestamp { seconds: 1_700_000_000, nanoseconds: 5_000_000 };
const TEXT: &str = "2023-11-14T22:13:20.005Z";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Places {
    plain: Timestamp,
    maybe: Option<Timestamp>,
    none: Option<Timestamp>,
    list: Vec<Timestamp>,
    untagged: Untagged,
    internal: Internal,
    nested: Nested,
    #[serde(flatten)]
    flattened: Flattened,
    #[serde(flatten)]
    rest: BTreeMap<String, Timestamp>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Time(Timestamp),
    Numbers(Vec<u64>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    At { when: Timestamp },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Nested {
    Inner(Variant),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Variant {
    At { when: Timestamp },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened {
    flat: Timestamp,
}

fn places() -> Places {
    Places {
        plain: TIME,
        maybe: Some(TIME),
        none: None,
        list: vec![TIME, TIME],
        untagged: Untagged::Time(TIME),
        internal: Internal::At { when: TIME },
        nested: Nested::Inner(Variant::At { when: TIME }),
        flattened: Flattened { flat: TIME },
        rest: BTreeMap::from([("x".to_owned(), TIME)]),
    }
}

#[test]
fn times_are_text_in_json_both_ways() {
    let text = String::from_utf8(json::to_vec(&places()).expect("JSON")).expect("UTF-8");
    let expected = format!(
        r#"{{"plain":"{TEXT}","maybe":"{TEXT}","none":null,"list":["{TEXT}","{TEXT}"],"untagged":"{TEXT}","#
    ) + &format!(
        r#""internal":{{"kind":"At","when":"{TEXT}"}},"nested":{{"kind":"Inner","At":{{"when":"{TEXT}"}}}},"#
    ) + &format!(r#""flat":"{TEXT}","x":"{TEXT}"}}"#);
    assert_eq!(text, expected);
    assert_eq!(json::from_slice::<Places>(text.as_bytes()).expect("it is read"), places());

    let keys = BTreeMap::from([(TIME, 1)]);
    let text = json::to_vec(&keys).expect("JSON");
    assert_eq!(text, format!(r#"{{"{TEXT}":1}}"#).into_bytes());
    assert_eq!(json::from_slice::<BTreeMap<Timestamp, i32>>(&text).expect("it is read"), keys);

    let error = json::from_slice::<Flattened>(br#"{"flat":"2023-11-14"}"#).expect_err("no time");
    assert_eq!(
        error.to_string(),
        "invalid time: expected T at byte 10; write times as in RFC 3339, such as \
         2023-11-14T22:13:20Z, at $.flat (byte 19)"
    );
}

/// The timestamp type of each binary format survives every way in which serde buffers values.
#[test]
fn times_keep_their_type_in_binary_formats() {
    let element = b"\xd7\xff\x01\x31\x2d\x00\x65\x53\xf1\x00";
    let bytes = msgpack::to_vec(&places()).expect("MessagePack");
    assert_eq!(bytes.windows(10).filter(|window| window == element).count(), 9, "{bytes:02x?}");
    assert_eq!(msgpack::from_slice::<Places>(&bytes).expect("it is read"), places());

    let bytes = cbor::to_vec(&places()).expect("CBOR");
    assert!(!bytes.windows(10).any(|window| window == &TEXT.as_bytes()[..10]));
    assert_eq!(cbor::from_slice::<Places>(&bytes).expect("it is read"), places());

    let bytes = bson::to_vec(&places()).expect("BSON");
    assert!(!bytes.windows(10).any(|window| window == &TEXT.as_bytes()[..10]));
    assert_eq!(bson::from_slice::<Places>(&bytes).expect("it is read"), places());
}

#[test]
fn no_input_is_mistaken_for_a_time() {
    fn refused<T: DeserializeOwned + std::fmt::Debug>() {
        let msgpack = b"\x93\x04\x05\xce\x65\x53\xf1\x00";
        let cbor = b"\x83\x04\x05\x1a\x65\x53\xf1\x00";
        msgpack::from_slice::<T>(msgpack).expect_err("an array");
        rmp_serde::from_slice::<T>(msgpack).expect_err("an array");
        cbor::from_slice::<T>(cbor).expect_err("an array");
        json::from_slice::<T>(b"[4,5,1700000000]").expect_err("an array");
        serde_json::from_str::<T>("[4,5,1700000000]").expect_err("an array");
    }
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Only {
        #[expect(dead_code)]
        Time(Timestamp),
    }
    refused::<Timestamp>();
    refused::<Option<Timestamp>>();
    refused::<Only>();
    let numbers = Untagged::Numbers(vec![4, 5, 1_700_000_000]);
    let read = msgpack::from_slice::<Untagged>(b"\x93\x04\x05\xce\x65\x53\xf1\x00");
    assert_eq!(read.expect("an array"), numbers);
    let read = json::from_slice::<Untagged>(b"[4,5,1700000000]");
    assert_eq!(read.expect("an array"), numbers);
    let bytes = bson::to_vec(&BTreeMap::from([("a", [4, 5, 1_700_000_000])])).expect("BSON");
    let read = bson::from_slice::<BTreeMap<String, Untagged>>(&bytes).expect("an array");
    assert_eq!(read["a"], numbers);
    bson::from_slice::<BTreeMap<String, Timestamp>>(&bytes).expect_err("an array");
    // The buffered parts of an extension are not read as a list of numbers.
    let time = msgpack::to_vec(&TIME).expect("MessagePack");
    assert_eq!(msgpack::from_slice::<Untagged>(&time).expect("a time"), Untagged::Time(TIME));
    msgpack::from_slice::<(u8, u64, i64)>(&time).expect_err("a time");
}

#[test]
fn foreign_serializers_get_the_natural_form() {
    assert_eq!(serde_json::to_string(&TIME).expect("JSON"), format!("\"{TEXT}\""));
    let bytes = rmp_serde::to_vec(&TIME).expect("MessagePack");
    assert_eq!(bytes[1..], *TEXT.as_bytes());
    assert_eq!(rmp_serde::from_slice::<Timestamp>(&bytes).expect("text"), TIME);
    assert_eq!(serde_json::to_value(Value::Timestamp(TIME)).expect("JSON"), TEXT);
    let wide = Value::Number("18446744073709551616");
    assert_eq!(serde_json::to_string(&wide).expect("JSON"), "18446744073709551616");

    let error = serde_json::to_string(&Value::Number("1e400")).expect_err("a number");
    assert_eq!(
        error.to_string(),
        "this serializer has no numbers beyond 64 bits and 128-bit integers, found 1e400; convert \
         it to a float or to text"
    );
    let ext = |space, code, content| Ext { space, code, content };
    for (ext, of) in [
        (ext(Space::MessagePack, 5, Value::Bytes(b"a")), "a MessagePack extension of type 5"),
        (ext(Space::CborTag, 32, Value::Str("a")), "a CBOR value with the tag 32"),
        (ext(Space::CborSimple, 23, Value::Null), "the CBOR simple value 23"),
        (ext(Space::Bson, 7, Value::Bytes(&[0; 12])), "a BSON value of type 7"),
    ] {
        let expected = format!(
            "only its own format can represent {of}; replace it by a plain value, as `manywire \
             convert --lossy` does"
        );
        let error = serde_json::to_string(&Value::Ext(&ext)).expect_err("an extension");
        assert_eq!(error.to_string(), expected);
        let error = rmp_serde::to_vec(&[Value::Ext(&ext)]).expect_err("an extension");
        assert_eq!(error.to_string(), expected);
    }
}

/// The natural form of a value, as a program that copies between formats reads it.
#[derive(Debug, PartialEq)]
struct Copied(serde_json::Value);

impl<'de> Deserialize<'de> for Copied {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Copy;
        impl<'de> Visitor<'de> for Copy {
            type Value = Copied;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an extension")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                inner: D,
            ) -> Result<Copied, D::Error> {
                Deserialize::deserialize(inner).map(Copied)
            }
        }
        deserializer.deserialize_any(Copy)
    }
}

#[test]
fn foreign_visitors_get_the_natural_form() {
    let time = Copied(TEXT.into());
    assert_eq!(
        msgpack::from_slice::<Copied>(&msgpack::to_vec(&TIME).expect("a time")).unwrap(),
        time
    );
    assert_eq!(cbor::from_slice::<Copied>(&cbor::to_vec(&TIME).expect("a time")).unwrap(), time);
    let document = bson::to_vec(&BTreeMap::from([("a", TIME)])).expect("a time");
    let read = bson::from_slice::<BTreeMap<String, Copied>>(&document).unwrap();
    assert_eq!(read["a"], time);
    // A tag, a simple value, and a number beyond 64 bits of CBOR.
    assert_eq!(cbor::from_slice::<Copied>(b"\xd8\x20\x61a").unwrap(), Copied("a".into()));
    assert_eq!(cbor::from_slice::<Copied>(b"\xf7").unwrap(), Copied(serde_json::Value::Null));
    let number = b"\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00";
    assert_eq!(cbor::from_slice::<Copied>(number).unwrap(), Copied("18446744073709551616".into()));
}

/// Reads dynamic values through a deserializer that is not ours.
#[test]
fn dynamic_values_of_foreign_deserializers_are_plain() {
    let arena = Arena::new();
    let mut deserializer = serde_json::Deserializer::from_str(r#"[4,5,1700000000]"#);
    let value = ValueSeed::new(&arena).deserialize(&mut deserializer).expect("an array");
    let items = [Value::I64(4), Value::I64(5), Value::I64(1_700_000_000)];
    assert_eq!(value, Value::Array(&items));
}
