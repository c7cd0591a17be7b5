//! Typed values, and values of other formats.

use manywire_codec::Category;
use manywire_codec::msgpack::{self, Layout};
use manywire_shape::{Ext, Space, Timestamp, Value};
use serde::{Deserialize, Serialize};

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
    let long = "9".repeat(1000);
    let error = msgpack::to_vec(&Value::Number(&long)).unwrap_err().to_string();
    assert!(error.contains(&format!("the number {}…", &long[..60])), "{error}");
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
