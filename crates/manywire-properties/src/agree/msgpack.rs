//! MessagePack: what the walker saw is what the codec reads, but for extensions.

use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Value};

use super::Meaning;
use crate::reading::{Content, Raw};

pub(super) struct MsgPack;

impl Meaning for MsgPack {
    const FORMAT: Format = Format::MsgPack;

    fn value<'a>(&self, raw: &Raw<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        match raw.content {
            Content::Items(items) => {
                container(items, is_map(raw.code), arena, |item| self.value(item, bytes, arena))
            }
            // Every extension but the timestamp is reported as its bytes.
            Content::Leaf(content @ Value::Bytes(_)) if matches!(raw.code, 0xc7..=0xc9 | 0xd4..=0xd8) =>
            {
                let code = bytes[raw.head_start + raw.head - 1].cast_signed();
                let code = i64::from(code).cast_unsigned();
                Value::Ext(arena.alloc(Ext { space: Space::MessagePack, code, content }))
            }
            Content::Leaf(value) => value,
        }
    }
}

fn is_map(code: u8) -> bool {
    matches!(code, 0x80..=0x8f | 0xde | 0xdf)
}

/// An array of the items, or a map of keys and values that stand in turn.
pub(super) fn container<'a>(
    items: &[Raw<'a>],
    map: bool,
    arena: &'a Arena,
    mut value: impl FnMut(&Raw<'a>) -> Value<'a>,
) -> Value<'a> {
    if map {
        let entries: Vec<_> =
            items.chunks_exact(2).map(|entry| (value(&entry[0]), value(&entry[1]))).collect();
        return Value::Map(arena.alloc_slice_copy(&entries));
    }
    let items: Vec<_> = items.iter().map(value).collect();
    Value::Array(arena.alloc_slice_copy(&items))
}
