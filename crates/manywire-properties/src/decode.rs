//! Each decoder alone: a value that it reads must be writable, and must read the same again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use manywire_codec::{Category, Limits, avro, bson, cbor, json, msgpack, protobuf, read_value};
use manywire_format::Format;
use manywire_shape::{Arena, OwnedValue, Shape, Value, ValueSeed};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::choices::Choices;
use crate::difference::difference;
use crate::everything::{Action, Everything, everything_avro_plan, everything_plan};
use crate::generate;
use crate::target::{CheckResult, Violation, ensure};

/// Returns small limits or the default ones, so that small inputs meet both.
fn limits(bytes: &[u8]) -> Limits {
    Limits::DEFAULT.with_depth(if bytes.len().is_multiple_of(2) { 8 } else { 128 })
}

pub(crate) fn msgpack(bytes: &[u8]) -> CheckResult {
    let written = value(Format::MsgPack, bytes, |value| msgpack::to_vec(value))?;
    // The encoder writes the shortest form of everything, so the output is never longer.
    if let Some(written) = written {
        ensure!(written <= bytes.len(), "{} bytes became {written}", bytes.len());
    }
    compare_skipping(Format::MsgPack, bytes, msgpack::from_slice::<IgnoredAny>(bytes).err())?;
    typed(bytes, |bytes| msgpack::from_slice(bytes), |document| msgpack::to_vec(document))
}

pub(crate) fn cbor(bytes: &[u8]) -> CheckResult {
    value(Format::Cbor, bytes, |value| cbor::to_vec(value))?;
    compare_skipping(Format::Cbor, bytes, cbor::from_slice::<IgnoredAny>(bytes).err())?;
    typed(bytes, |bytes| cbor::from_slice(bytes), |document| cbor::to_vec(document))
}

pub(crate) fn bson(bytes: &[u8]) -> CheckResult {
    value(Format::Bson, bytes, |value| bson::to_vec(value))?;
    let _ = bson::from_slice::<IgnoredAny>(bytes);
    typed(bytes, |bytes| bson::from_slice(bytes), |document| bson::to_vec(document))
}

pub(crate) fn json(bytes: &[u8]) -> CheckResult {
    value(Format::Json, bytes, |value| {
        let mut text = Vec::new();
        json::write_value(value, &mut text).map(|()| text)
    })?;
    json_typed(bytes)?;
    typed(bytes, |bytes| json::from_slice(bytes), |document| json::to_vec(document))
}

/// Compares serde_json behind our limits with our own reader. Both accept the same texts, except
/// for numbers that no double represents, and report the same byte. Owned values equal borrowed
/// values, or are refused if an integer beyond 64 bits cannot be told from others that have the
/// same nearest double.
fn json_typed(bytes: &[u8]) -> CheckResult {
    let arena = Arena::new();
    let limits = limits(bytes);
    let ours = json::read_value(bytes, &arena, limits);
    let theirs = json::from_slice_with::<serde_json::Value>(bytes, limits);
    if let (Ok(ours), Ok(_)) = (&ours, &theirs) {
        match json::from_slice_with::<OwnedValue>(bytes, limits) {
            Ok(owned) => {
                ensure!(owned == OwnedValue::from(*ours), "owned {owned:?}, borrowed {ours:?}");
            }
            Err(error) => ensure!(
                error.message().starts_with("cannot tell the integer "),
                "serde_json::Value reads the text, OwnedValue does not: {error}"
            ),
        }
    }
    match (ours, theirs) {
        (Ok(_), Ok(_)) => Ok(()),
        (Ok(_), Err(error)) => {
            ensure!(
                error.category() == Category::Data,
                "our reader reads the text, serde_json::Value does not: {error}"
            );
            Ok(())
        }
        (Err(error), Ok(_)) => Err(Violation(format!(
            "serde_json::Value reads the text, our reader does not: {error}"
        ))),
        (Err(ours), Err(theirs)) => {
            // A number out of range is reported before any other error.
            let same = (ours.offset(), ours.category()) == (theirs.offset(), theirs.category());
            ensure!(
                same || theirs.category() == Category::Data,
                "dynamic: {ours} ({:?}); typed: {theirs} ({:?})",
                ours.category(),
                theirs.category()
            );
            Ok(())
        }
    }
}

/// Reads a value, writes it and reads it again. Returns the length of the written bytes, or `None`
/// if the input cannot be read within the limits.
fn value(
    format: Format,
    bytes: &[u8],
    write: impl Fn(&Value<'_>) -> manywire_codec::Result<Vec<u8>>,
) -> Result<Option<usize>, Violation> {
    let (arena, again) = (Arena::new(), Arena::new());
    let value = match read_value(format, bytes, &arena, limits(bytes)) {
        Ok(value) => value,
        Err(error) => {
            let offset = error.offset();
            ensure!(
                offset.is_some_and(|at| at <= bytes.len()),
                "an error without an offset in the input: {error}"
            );
            ensure!(error.format() == Some(format), "an error without its format: {error:?}");
            // An error must be printable.
            ensure!(!error.to_string().is_empty(), "an error without a message");
            return Ok(None);
        }
    };
    let written = write(&value)
        .map_err(|error| Violation(format!("{value:?} cannot be written again: {error}")))?;
    let deep = Limits::DEFAULT.with_depth(256);
    let back = read_value(format, &written, &again, deep)
        .map_err(|error| Violation(format!("{value:?} was written {written:02x?}: {error}")))?;
    compare(&value, &back)?;
    Ok(Some(written.len()))
}

fn compare(before: &Value<'_>, back: &Value<'_>) -> CheckResult {
    match difference(before, back) {
        Some(found) => Err(Violation(format!("was read back as something else: ${found}"))),
        None => Ok(()),
    }
}

/// Checks that skipped bytes are as well formed as bytes that are read. Of the bytes that reading
/// refuses, skipping may accept only invalid text, invalid timestamps, and values beyond a limit. In
/// MessagePack, whose only limit is that on depth, it accepts nothing beyond.
fn compare_skipping(
    format: Format,
    bytes: &[u8],
    skipped: Option<manywire_codec::Error>,
) -> CheckResult {
    let arena = Arena::new();
    match (read_value(format, bytes, &arena, Limits::DEFAULT), skipped) {
        (Ok(value), Some(error)) => Err(Violation(format!("{value:?} cannot be skipped: {error}"))),
        (Err(error), None) => {
            let text = error.message().contains("UTF-8") || error.message().contains("timestamp");
            let limit = error.category() == Category::Limit && format != Format::MsgPack;
            ensure!(text || limit, "skipped, although reading fails: {error}");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Fields for every way in which serde requests a value: by type, as any type, buffered, flattened.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Document<'a> {
    a: Option<i64>,
    id: Option<u8>,
    name: Option<String>,
    #[serde(borrow)]
    borrowed: Option<Cow<'a, str>>,
    value: Option<Untagged>,
    tagged: Option<Internal>,
    adjacent: Option<Adjacent>,
    action: Option<Action>,
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

/// Reads the bytes as typed values, writes them and reads them again. The second output must equal
/// the first.
fn typed(
    bytes: &[u8],
    read: impl for<'b> Fn(&'b [u8]) -> manywire_codec::Result<Read<'b>>,
    write: impl Fn(&Read<'_>) -> manywire_codec::Result<Vec<u8>>,
) -> CheckResult {
    let Ok(first) = read(bytes) else { return Ok(()) };
    // Some values can be read and not written: BSON has no integer above `i64::MAX`.
    let Ok(written) = write(&first) else { return Ok(()) };
    let back = read(&written)
        .map_err(|error| Violation(format!("{first:?} cannot be read again: {error}")))?;
    let again = write(&back)
        .map_err(|error| Violation(format!("{back:?} cannot be written again: {error}")))?;
    ensure!(again == written, "{first:?} was read back as {back:?}");
    Ok(())
}

/// A document that borrows from the bytes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct Read<'a>(#[serde(borrow)] Document<'a>);

/// The number of bytes at the front of an input that choose its shape.
const SHAPE_BYTES: usize = 48;

/// Returns the shape that the first bytes choose, and the remaining bytes.
fn split_shape(bytes: &[u8]) -> (Shape, &[u8]) {
    let (front, rest) = bytes.split_at(bytes.len().min(SHAPE_BYTES));
    (generate::shape(&mut Choices::from_bytes(front)), rest)
}

/// A codec that is driven by a shape.
trait ShapeCodec {
    /// True if a value is the same after one round trip. Otherwise it is the same after two,
    /// because the first one fills in missing fields that are always written.
    const EXACT: bool = true;

    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> manywire_codec::Result<Value<'a>>;
    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> manywire_codec::Result<()>;
}

/// The limits for reading the inputs.
const LIMITS: Limits = Limits::DEFAULT.with_depth(32);

impl ShapeCodec for protobuf::Plan {
    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> manywire_codec::Result<Value<'a>> {
        self.decode_seed(&mut ValueSeed::new(arena), bytes, LIMITS)
    }

    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> manywire_codec::Result<()> {
        self.encode(value, out)
    }
}

impl ShapeCodec for avro::Plan {
    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> manywire_codec::Result<Value<'a>> {
        self.decode_seed(&mut ValueSeed::new(arena), bytes, LIMITS)
    }

    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> manywire_codec::Result<()> {
        self.encode(value, out)
    }
}

/// MessagePack with records as arrays.
impl ShapeCodec for Shape {
    const EXACT: bool = false;

    fn read<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> manywire_codec::Result<Value<'a>> {
        msgpack::read_arranged(self, bytes, arena, LIMITS)
    }

    fn write(&self, value: &Value<'_>, out: &mut Vec<u8>) -> manywire_codec::Result<()> {
        msgpack::encode_arranged(value, self, out)
    }
}

pub(crate) fn protobuf(bytes: &[u8]) -> CheckResult {
    let plan = everything_plan();
    by_value(bytes, plan)?;
    typed_by_shape(bytes, |bytes| plan.decode(bytes), |document, out| plan.encode(document, out))
}

pub(crate) fn avro(bytes: &[u8]) -> CheckResult {
    let plan = everything_avro_plan();
    by_value(bytes, plan)?;
    typed_by_shape(bytes, |bytes| plan.decode(bytes), |document, out| plan.encode(document, out))
}

pub(crate) fn protobuf_any_schema(bytes: &[u8]) -> CheckResult {
    let (shape, bytes) = split_shape(bytes);
    match protobuf::Plan::from_shape(&shape) {
        Ok(plan) => by_value(bytes, &plan),
        Err(_) => Ok(()),
    }
}

pub(crate) fn avro_any_schema(bytes: &[u8]) -> CheckResult {
    let (shape, bytes) = split_shape(bytes);
    match avro::Plan::from_shape(&shape) {
        Ok(plan) => by_value(bytes, &plan),
        Err(_) => Ok(()),
    }
}

pub(crate) fn arranged(bytes: &[u8]) -> CheckResult {
    let (shape, bytes) = split_shape(bytes);
    by_value(bytes, &shape)
}

/// Checks that a value can be written and reads the same again.
fn by_value<C: ShapeCodec>(bytes: &[u8], codec: &C) -> CheckResult {
    let arena = Arena::new();
    let value = match codec.read(bytes, &arena) {
        Ok(value) => value,
        Err(error) => {
            let offset = error.offset();
            ensure!(offset.is_none_or(|at| at <= bytes.len()), "an offset beyond the end: {error}");
            return Ok(());
        }
    };
    let before = if C::EXACT { value } else { again(&value, codec, &arena)? };
    compare(&before, &again(&before, codec, &arena)?)
}

/// Writes a value and reads it again.
fn again<'a>(
    value: &Value<'_>,
    codec: &'a impl ShapeCodec,
    arena: &'a Arena,
) -> Result<Value<'a>, Violation> {
    let mut written = Vec::new();
    codec
        .write(value, &mut written)
        .map_err(|error| Violation(format!("{value:?} cannot be written again: {error}")))?;
    let written = arena.alloc_slice_copy(&written);
    codec
        .read(written, arena)
        .map_err(|error| Violation(format!("{value:?} was written {written:02x?}: {error}")))
}

/// Checks a round trip of the typed document. The bytes are compared, because a NaN does not equal
/// itself.
fn typed_by_shape(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> manywire_codec::Result<Everything>,
    write: impl Fn(&Everything, &mut Vec<u8>) -> manywire_codec::Result<()>,
) -> CheckResult {
    let Ok(document) = read(bytes) else { return Ok(()) };
    let (mut written, mut again) = (Vec::new(), Vec::new());
    write(&document, &mut written)
        .map_err(|error| Violation(format!("{document:?} cannot be written again: {error}")))?;
    let back = read(&written)
        .map_err(|error| Violation(format!("{document:?} was written {written:02x?}: {error}")))?;
    write(&back, &mut again)
        .map_err(|error| Violation(format!("{back:?} cannot be written: {error}")))?;
    ensure!(again == written, "{document:?} was read back as {back:?}");
    Ok(())
}
