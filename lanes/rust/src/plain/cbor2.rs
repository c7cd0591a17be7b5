use cbor2::Value as Theirs;
use manywire_format::Format;
use manywire_shape::{Arena, Space, Value};

use super::{array, integer, map, own};
use crate::error::Result;

/// Converts a value of cbor2.
pub(crate) fn cbor2<'a>(value: &Theirs, arena: &'a Arena) -> Result<Value<'a>> {
    Ok(match value {
        Theirs::Null => Value::Null,
        Theirs::Bool(truth) => Value::Bool(*truth),
        Theirs::Integer(number) => integer(i128::from(*number), arena),
        Theirs::Float(number) => Value::F64(*number),
        Theirs::Text(text) => Value::Str(arena.alloc_str(text)),
        Theirs::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
        Theirs::Array(items) => array(items.iter().map(|item| cbor2(item, arena)), arena)?,
        Theirs::Map(entries) => {
            map(entries.iter().map(|(k, v)| Ok((cbor2(k, arena)?, cbor2(v, arena)?))), arena)?
        }
        Theirs::Tag(code, content) => {
            own(Format::Cbor, Space::CborTag, *code, cbor2(content, arena)?, arena)?
        }
        other => return Err(format!("{other} has no digest").into()),
    })
}
