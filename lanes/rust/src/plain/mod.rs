//! Converts the dynamic values of each library for their digests.

mod avro;
mod bson;
mod cbor2;
mod rmpv;
mod serde_cbor_2;

pub(crate) use avro::avro;
pub(crate) use bson::bson;
pub(crate) use cbor2::cbor2;
pub(crate) use rmpv::rmpv;
pub(crate) use serde_cbor_2::serde_cbor_2;

use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Value};

use crate::coder::read;
use crate::error::Result;

/// Converts an integer. An integer beyond 64 bits becomes a number as text.
fn integer<'a>(number: i128, arena: &'a Arena) -> Value<'a> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => Value::I64(number),
        (_, Ok(number)) => Value::U64(number),
        _ => Value::Number(arena.alloc_str(&number.to_string())),
    }
}

/// Collects the items of an array.
fn array<'a>(
    items: impl Iterator<Item = Result<Value<'a>>>,
    arena: &'a Arena,
) -> Result<Value<'a>> {
    Ok(Value::Array(arena.alloc_slice_copy(&items.collect::<Result<Vec<_>>>()?)))
}

/// Collects the entries of a map.
fn map<'a>(
    entries: impl Iterator<Item = Result<(Value<'a>, Value<'a>)>>,
    arena: &'a Arena,
) -> Result<Value<'a>> {
    Ok(Value::Map(arena.alloc_slice_copy(&entries.collect::<Result<Vec<_>>>()?)))
}

/// Converts a tag or an extension of the format as the codec of `manywire` does: to a timestamp, or to a
/// number beyond 64 bits.
fn own<'a>(
    format: Format,
    space: Space,
    code: u64,
    content: Value<'a>,
    arena: &'a Arena,
) -> Result<Value<'a>> {
    let ext: &Ext<'_> = arena.alloc(Ext { space, code, content });
    let mut bytes = Vec::new();
    manywire_codec::write_value(format, &Value::Ext(ext), &mut bytes)?;
    read(format, &bytes, arena)
}
