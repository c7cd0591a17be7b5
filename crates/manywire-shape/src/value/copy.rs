use super::{Ext, Value};
use crate::Arena;

impl Value<'_> {
    /// The same value, with all that it borrows copied into an arena. Copying goes as deep as the
    /// value does, which whoever read it has bounded.
    pub fn copied<'a>(&self, arena: &'a Arena) -> Value<'a> {
        match *self {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(truth),
            Value::I64(number) => Value::I64(number),
            Value::U64(number) => Value::U64(number),
            Value::F32(number) => Value::F32(number),
            Value::F64(number) => Value::F64(number),
            Value::Timestamp(time) => Value::Timestamp(time),
            Value::Number(text) => Value::Number(arena.alloc_str(text)),
            Value::Str(text) => Value::Str(arena.alloc_str(text)),
            Value::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
            Value::Array(items) => {
                let items = items.iter().map(|item| item.copied(arena));
                Value::Array(arena.alloc_slice_fill_iter(items))
            }
            Value::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| (key.copied(arena), value.copied(arena)));
                Value::Map(arena.alloc_slice_fill_iter(entries))
            }
            Value::Ext(ext) => {
                let content = ext.content.copied(arena);
                Value::Ext(arena.alloc(Ext { space: ext.space, code: ext.code, content }))
            }
        }
    }
}
