use manywire_format::Format;
use manywire_shape::{Arena, Space, Value};
use serde_cbor_2::Value as Theirs;

use super::{array, integer, map, own};
use crate::error::Result;

/// Converts a value of serde_cbor_2.
pub(crate) fn serde_cbor_2<'a>(value: &Theirs, arena: &'a Arena) -> Result<Value<'a>> {
    Ok(match value {
        Theirs::Null => Value::Null,
        Theirs::Bool(truth) => Value::Bool(*truth),
        Theirs::Integer(number) => integer(*number, arena),
        Theirs::Float(number) => Value::F64(*number),
        Theirs::Text(text) => Value::Str(arena.alloc_str(text)),
        Theirs::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
        Theirs::Array(items) => array(items.iter().map(|item| serde_cbor_2(item, arena)), arena)?,
        Theirs::Map(entries) => {
            let entries = entries.iter();
            map(
                entries.map(|(k, v)| Ok((serde_cbor_2(k, arena)?, serde_cbor_2(v, arena)?))),
                arena,
            )?
        }
        Theirs::Tag(code, content) => {
            own(Format::Cbor, Space::CborTag, *code, serde_cbor_2(content, arena)?, arena)?
        }
        other => return Err(format!("{other:?} has no digest").into()),
    })
}
