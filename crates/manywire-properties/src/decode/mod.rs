//! Each decoder by itself: what it reads it must be able to write, and read again as the same.

mod everything;
mod shaped;
mod typed;

use manywire_codec::{Category, Limits, bson, cbor, json, msgpack, read_value};
use manywire_format::Format;
use manywire_shape::{Arena, Ext, Value};
use serde::de::IgnoredAny;

use crate::difference::difference;
use crate::target::{Broken, Holds, hold};

pub(crate) use everything::{Everything, everything_plan};
pub(crate) use shaped::{arranged, avro, avro_any_schema, protobuf, protobuf_any_schema};

/// Small limits and the usual ones, so that either is met by small inputs.
fn limits(bytes: &[u8]) -> Limits {
    Limits::DEFAULT.with_depth(if bytes.len().is_multiple_of(2) { 8 } else { 128 })
}

pub(crate) fn msgpack(bytes: &[u8]) -> Holds {
    let written = value(Format::MsgPack, bytes, |value| msgpack::to_vec(value))?;
    // The shortest form of everything is written, so nothing grows.
    if let Some(written) = written {
        hold!(written <= bytes.len(), "{} bytes became {written}", bytes.len());
    }
    skipping(Format::MsgPack, bytes, msgpack::from_slice::<IgnoredAny>(bytes).err())?;
    typed::check(bytes, |bytes| msgpack::from_slice(bytes), |document| msgpack::to_vec(document))
}

pub(crate) fn cbor(bytes: &[u8]) -> Holds {
    value(Format::Cbor, bytes, |value| cbor::to_vec(value))?;
    skipping(Format::Cbor, bytes, cbor::from_slice::<IgnoredAny>(bytes).err())?;
    typed::check(bytes, |bytes| cbor::from_slice(bytes), |document| cbor::to_vec(document))
}

pub(crate) fn bson(bytes: &[u8]) -> Holds {
    value(Format::Bson, bytes, |value| bson::to_vec(value))?;
    let _ = bson::from_slice::<IgnoredAny>(bytes);
    typed::check(bytes, |bytes| bson::from_slice(bytes), |document| bson::to_vec(document))
}

pub(crate) fn json(bytes: &[u8]) -> Holds {
    value(Format::Json, bytes, |value| {
        let mut text = Vec::new();
        json::write_value(value, &mut text).map(|()| text)
    })?;
    json_typed(bytes)?;
    typed::check(bytes, |bytes| json::from_slice(bytes), |document| json::to_vec(document))
}

/// serde_json behind our limits, and our own reader: they accept the same texts, but for numbers
/// that no double holds, and name the same byte.
fn json_typed(bytes: &[u8]) -> Holds {
    let arena = Arena::new();
    let limits = limits(bytes);
    let ours = json::read_value(bytes, &arena, limits);
    let theirs = json::from_slice_with::<serde_json::Value>(bytes, limits);
    match (ours, theirs) {
        (Ok(_), Ok(_)) => Ok(()),
        (Ok(_), Err(error)) => {
            hold!(error.category() == Category::Data, "dynamic reads it, typed does not: {error}");
            Ok(())
        }
        (Err(error), Ok(_)) => Err(Broken(format!("typed reads it, dynamic does not: {error}"))),
        (Err(ours), Err(theirs)) => {
            // A number out of range comes before whatever else is wrong.
            let same = (ours.offset(), ours.category()) == (theirs.offset(), theirs.category());
            hold!(
                same || theirs.category() == Category::Data,
                "dynamic: {ours} ({:?}); typed: {theirs} ({:?})",
                ours.category(),
                theirs.category()
            );
            Ok(())
        }
    }
}

/// Reads a value; written and read again it must be the same. How long it was, written.
fn value(
    format: Format,
    bytes: &[u8],
    write: impl Fn(&Value<'_>) -> manywire_codec::Result<Vec<u8>>,
) -> Result<Option<usize>, Broken> {
    let (arena, again) = (Arena::new(), Arena::new());
    let value = match read_value(format, bytes, &arena, limits(bytes)) {
        Ok(value) => value,
        Err(error) => {
            let offset = error.offset();
            hold!(offset.is_some_and(|at| at <= bytes.len()), "no place: {error}");
            hold!(error.format() == Some(format), "of which format: {error:?}");
            // Formatting is part of what an error does.
            hold!(!error.to_string().is_empty(), "an error that says nothing");
            return Ok(None);
        }
    };
    let written = match write(&value) {
        Ok(written) => written,
        Err(error) => return Err(Broken(format!("{value:?} cannot be written again: {error}"))),
    };
    let deep = Limits::DEFAULT.with_depth(256);
    match read_value(format, &written, &again, deep) {
        Ok(back) => {
            // The one thing that is put in order when it is written.
            let value = if format == Format::Bson { sorted_options(&value, &arena) } else { value };
            if let Some(found) = difference(&value, &back) {
                return Err(Broken(format!("came back as something else: ${found}")));
            }
        }
        Err(error) => return Err(Broken(format!("{value:?} was written {written:02x?}: {error}"))),
    }
    Ok(Some(written.len()))
}

/// The value with the options of its regular expressions sorted, as BSON is written.
fn sorted_options<'a>(value: &Value<'a>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| sorted_options(item, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (*key, sorted_options(value, arena)));
            Value::Map(arena.alloc_slice_copy(&entries.collect::<Vec<_>>()))
        }
        Value::Ext(ext) => {
            let content = match ext.content {
                Value::Array([pattern, Value::Str(options)]) if ext.code == 0x0b => {
                    let mut options: Vec<char> = options.chars().collect();
                    options.sort_unstable();
                    let options = Value::Str(arena.alloc_str(&String::from_iter(options)));
                    Value::Array(arena.alloc_slice_copy(&[*pattern, options]))
                }
                content => sorted_options(&content, arena),
            };
            Value::Ext(arena.alloc(Ext { content, ..**ext }))
        }
        other => *other,
    }
}

/// What is passed over must be as well formed as what is read; text alone is not looked at.
fn skipping(format: Format, bytes: &[u8], skipped: Option<manywire_codec::Error>) -> Holds {
    let arena = Arena::new();
    match (read_value(format, bytes, &arena, Limits::DEFAULT), skipped) {
        (Ok(value), Some(error)) => {
            Err(Broken(format!("{value:?} cannot be passed over: {error}")))
        }
        (Err(error), None) => {
            let text = error.message().contains("UTF-8") || error.message().contains("timestamp");
            let limit = error.category() == Category::Limit;
            hold!(text || limit, "passed over, although it cannot be read: {error}");
            Ok(())
        }
        _ => Ok(()),
    }
}
