//! Reorders the entries of values, and copies values.

use manywire_shape::{Arena, Ext, Value};

use super::choice::Choice;

/// Returns the value with the entries of every map in another order.
pub(super) fn shuffled<'a>(value: Value<'a>, choice: &mut Choice, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| shuffled(*item, choice, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (*key, shuffled(*value, choice, arena)))
                .collect();
            for at in 1..entries.len() {
                entries.swap(at, choice.below(at + 1));
            }
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        value => value,
    }
}

/// Returns the value with the entries of every map sorted, because the peer keeps maps in hash
/// order.
pub(super) fn sorted<'a>(value: Value<'a>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| sorted(*item, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (sorted(*key, arena), sorted(*value, arena)))
                .collect();
            entries.sort_by_key(|(key, value)| format!("{key:?}{value:?}"));
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        Value::Ext(ext) => {
            Value::Ext(arena.alloc(Ext { content: sorted(ext.content, arena), ..*ext }))
        }
        value => value,
    }
}

/// Copies a value so that all its text is in the arena.
pub(super) fn copied<'a>(value: Value<'_>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Str(text) => Value::Str(arena.alloc_str(text)),
        Value::Number(text) => Value::Number(arena.alloc_str(text)),
        Value::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| copied(*item, arena)).collect();
            Value::Array(arena.alloc_slice_copy(&items))
        }
        Value::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (copied(*key, arena), copied(*value, arena)))
                .collect();
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        Value::Ext(ext) => Value::Ext(arena.alloc(Ext {
            space: ext.space,
            code: ext.code,
            content: copied(ext.content, arena),
        })),
        Value::Null => Value::Null,
        Value::Bool(value) => Value::Bool(value),
        Value::I64(value) | Value::Long(value) => Value::I64(value),
        Value::U64(value) => Value::U64(value),
        Value::F32(value) => Value::F32(value),
        Value::F64(value) => Value::F64(value),
        Value::Timestamp(time) => Value::Timestamp(time),
    }
}
