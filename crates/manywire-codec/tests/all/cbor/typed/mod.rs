//! The encodings in which typed values are written and read.

mod number;
mod record;
mod tag;
mod text;
mod variant;

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::cbor::{Deserializer, Serializer};
use manywire_codec::{Category, cbor};
use manywire_format::Format;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::support::first_entry::FirstEntry;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks that a value is written as these bytes, and that they are read as the value.
#[track_caller]
fn round_trips<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, expected: &str) {
    let expected = expected.replace(' ', "");
    assert_eq!(hex(&cbor::to_vec(&value).unwrap()), expected);
    assert_eq!(cbor::from_slice::<T>(&bytes(&expected)).unwrap(), value);
}

#[track_caller]
fn reads<T: DeserializeOwned + PartialEq + Debug>(input: &str, value: T) {
    assert_eq!(cbor::from_slice::<T>(&bytes(input)).unwrap(), value, "{input}");
}

#[track_caller]
fn rejects<T: DeserializeOwned + Debug>(input: &str, category: Category, text: &str) {
    let error = cbor::from_slice::<T>(&bytes(input)).unwrap_err();
    assert_eq!(error.to_string(), text, "{input}");
    assert_eq!((error.category(), error.format()), (category, Some(Format::Cbor)), "{input}");
}

#[test]
fn rejects_serialize_with_a_wrong_length() {
    struct Miscounts;
    impl Serialize for Miscounts {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut items = serializer.serialize_seq(Some(3))?;
            items.serialize_element(&1)?;
            items.end()
        }
    }
    let error = cbor::to_vec(&Miscounts).unwrap_err();
    assert_eq!(error.to_string(), "the value announced 3 items but wrote 1");
}

#[test]
fn writes_and_reads_cbor_sequences() {
    let mut out = Vec::new();
    let mut ser = Serializer::new(&mut out);
    ser.write(&1u8).unwrap();
    ser.write("a").unwrap();
    ser.write(&[true]).unwrap();
    assert_eq!(hex(&out), "01616181f5");
    let mut de = Deserializer::new(&out);
    assert_eq!((de.offset(), de.remaining()), (0, 5));
    assert_eq!(de.read::<u8>().unwrap(), 1);
    assert_eq!((de.offset(), de.remaining()), (1, 4));
    assert!(de.finish().is_err());
    de.read::<IgnoredAny>().unwrap();
    assert_eq!(de.read::<Vec<bool>>().unwrap(), [true]);
    assert_eq!((de.offset(), de.remaining()), (5, 0));
    de.finish().unwrap();
    let error = de.read::<u8>().unwrap_err();
    assert_eq!(error.to_string(), "the bytes end here, expected a value (byte 5)");
    assert_eq!(error.category(), Category::Eof);
}

#[test]
fn errors_have_offset_and_path() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Place {
        rooms: Vec<BTreeMap<i32, u8>>,
    }
    rejects::<Place>(
        "a1 65726f6f6d73 82 a1 01 02 a1 03 19ffff",
        Category::Data,
        "invalid value: integer `65535`, expected u8, at $.rooms[1].3 (byte 13)",
    );
    rejects::<Place>(
        "a1 65726f6f6d73 82 a1 01 02 a1 6161 02",
        Category::Data,
        "invalid type: string \"a\", expected i32, at $.rooms[1] (byte 12)",
    );
    rejects::<Place>(
        "bf 65726f6f6d73 9f bf 01 02 19",
        Category::Eof,
        "the bytes end here, expected a number of 2 bytes, at $.rooms[0] (byte 12)",
    );
    rejects::<(u8, u8)>("83 01 02 03", Category::Data, "expected 2 items, found 3 (byte 3)");
    rejects::<(u8,)>("82 01 02", Category::Data, "expected 1 item, found 2 (byte 2)");
    rejects::<(u8, u8)>("9f 01 02 03 ff", Category::Data, "expected 2 items, found more (byte 3)");
    reads("9f 01 02 ff", (1u8, 2u8));
    for map in ["a2 6161 01 6162 02", "bf 6161 01 6162 02 ff"] {
        let expected = "the map has more entries than expected (byte 4)";
        rejects::<FirstEntry>(map, Category::Data, expected);
    }
    reads("bf 6161 01 ff", FirstEntry("a".to_owned(), 1));
}
