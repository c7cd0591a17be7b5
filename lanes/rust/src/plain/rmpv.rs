use manywire_format::Format;
use manywire_shape::{Arena, Space, Value};
use rmpv::Value as Theirs;

use super::{array, map, own};
use crate::error::Result;

/// Converts a value of rmpv.
pub(crate) fn rmpv<'a>(value: &Theirs, arena: &'a Arena) -> Result<Value<'a>> {
    Ok(match value {
        Theirs::Nil => Value::Null,
        Theirs::Boolean(truth) => Value::Bool(*truth),
        Theirs::Integer(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::I64(number),
            (_, Some(number)) => Value::U64(number),
            _ => return Err("an integer beyond the ranges of i64 and u64".into()),
        },
        Theirs::F32(number) => Value::F32(*number),
        Theirs::F64(number) => Value::F64(*number),
        Theirs::String(text) => {
            Value::Str(arena.alloc_str(text.as_str().ok_or("text that is not UTF-8")?))
        }
        Theirs::Binary(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
        Theirs::Array(items) => array(items.iter().map(|item| rmpv(item, arena)), arena)?,
        Theirs::Map(entries) => {
            map(entries.iter().map(|(k, v)| Ok((rmpv(k, arena)?, rmpv(v, arena)?))), arena)?
        }
        Theirs::Ext(code, bytes) => {
            let content = Value::Bytes(arena.alloc_slice_copy(bytes));
            own(Format::MsgPack, Space::MessagePack, *code as u64, content, arena)?
        }
    })
}
