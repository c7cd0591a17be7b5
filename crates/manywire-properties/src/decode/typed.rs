//! Typed values in the formats that say themselves what they hold.

use std::borrow::Cow;
use std::collections::BTreeMap;

use manywire_codec::Result;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::target::{Broken, Holds, hold};

/// Every way that serde asks for a value: by type, as anything at all, buffered, flattened.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Document<'a> {
    a: Option<i64>,
    id: Option<u8>,
    name: Option<String>,
    #[serde(borrow)]
    lent: Option<Cow<'a, str>>,
    value: Option<Untagged>,
    tagged: Option<Internal>,
    adjacent: Option<Adjacent>,
    action: Option<super::everything::Action>,
    wide: Option<i128>,
    single: Option<f32>,
    double: Option<f64>,
    letter: Option<char>,
    bytes: Option<ByteBuf>,
    list: Vec<Option<i32>>,
    pair: Option<(bool, u16)>,
    map: BTreeMap<i32, String>,
    child: Option<Box<Document<'a>>>,
    #[serde(flatten)]
    rest: BTreeMap<String, Untagged>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Null,
    Truth(bool),
    Number(i64),
    Float(f64),
    Text(String),
    List(Vec<Untagged>),
    Map(BTreeMap<String, Untagged>),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "id")]
enum Internal {
    Name { value: i32 },
    Value(BTreeMap<String, u8>),
    Unit,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "id", content = "value")]
enum Adjacent {
    Name(String),
    Value { a: u64 },
    Unit,
}

/// Reads the bytes as typed values. What was read must be writable, and then be read and written
/// as the same bytes again.
pub(super) fn check(
    bytes: &[u8],
    read: impl for<'b> Fn(&'b [u8]) -> Result<Read<'b>>,
    write: impl Fn(&Read<'_>) -> Result<Vec<u8>>,
) -> Holds {
    let Ok(first) = read(bytes) else { return Ok(()) };
    // Not everything that can be read can be written: BSON has no integer above `i64::MAX`.
    let Ok(written) = write(&first) else { return Ok(()) };
    let back = match read(&written) {
        Ok(back) => back,
        Err(error) => return Err(Broken(format!("{first:?} cannot be read again: {error}"))),
    };
    match write(&back) {
        Ok(again) => hold!(again == written, "{first:?} came back as {back:?}"),
        Err(error) => return Err(Broken(format!("{back:?} cannot be written again: {error}"))),
    }
    Ok(())
}

/// A document, or whatever else the bytes hold.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Read<'a>(#[serde(borrow)] Document<'a>);
