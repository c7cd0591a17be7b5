//! Structs and maps.

use std::collections::BTreeMap;
use std::fmt::Debug;

use manywire_codec::Category;
use serde::{Deserialize, Serialize};

use super::{reads, rejects, round_trips};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    id: u8,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    name: String,
}

#[test]
fn writes_flattened_structs_without_a_length() {
    let value = Outer {
        id: 5,
        inner: Inner { name: "a".into() },
        rest: BTreeMap::from([("z".into(), -1)]),
    };
    round_trips(value, "bf 626964 05 646e616d65 6161 617a 20 ff");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    #[serde(rename = "1")]
    pub(super) algorithm: i8,
    #[serde(rename = "-2")]
    pub(super) x: bool,
}

#[test]
fn integer_keys_name_fields() {
    reads("a2 01 26 21 f5", Header { algorithm: -7, x: true });
    reads("a2 6131 26 622d32 f5", Header { algorithm: -7, x: true });
    // The key 0 is not the first field.
    rejects::<Header>("a2 00 26 21 f5", Category::Data, "missing field `1` (byte 0)");
    round_trips(BTreeMap::from([(-1i8, 5u8), (300i16 as i8, 6)]), "a2 20 05 182c 06");
    round_trips(BTreeMap::from([((1u8, true), 5u8)]), "a1 82 01 f5 05");
}

#[test]
fn skips_unknown_fields_of_any_type() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct One {
        id: u8,
    }
    for unknown in [
        "00",
        "3903e7",
        "43010203",
        "5f41014102ff",
        "7f6161ff",
        "83010203",
        "9f01820203ff",
        "a1 01 a1 02 9fff",
        "bf 01 bfff 02 c3 43010203 ff",
        "d9d9f7 c1 fb41d452d9ec200000",
        "f6",
        "f7",
        "f0",
        "f8ff",
        "f93c00",
        "fa47c35000",
    ] {
        reads(&format!("a3 6161 {unknown} 626964 05 19012c {unknown}"), One { id: 5 });
        reads(&format!("bf 6161 {unknown} 626964 05 7f6162ff {unknown} ff"), One { id: 5 });
    }
}
