//! BSON: what the types mean that only it has, by the table of `manywire_codec::bson`.

use manywire_format::Format;
use manywire_shape::{Arena, Ext, Space, Value};

use super::Meaning;
use super::msgpack::container;
use crate::reading::{Content, Raw};

pub(super) struct Bson;

impl Meaning for Bson {
    const FORMAT: Format = Format::Bson;

    fn value<'a>(&self, raw: &Raw<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        let own = |content| {
            let code = raw.code.into();
            Value::Ext(arena.alloc(Ext { space: Space::Bson, code, content }))
        };
        let pair = |first, second| own(Value::Array(arena.alloc_slice_copy(&[first, second])));
        let place = &bytes[raw.start..raw.end];
        match (raw.content, raw.code) {
            (Content::Items([code, scope]), 0x0f) => {
                let Content::Leaf(code) = code.content else { return Value::Null };
                pair(code, self.value(&Raw { code: 0x03, ..*scope }, bytes, arena))
            }
            (Content::Items(items), code) => {
                container(items, code == 0x03, arena, |item| self.key_or_value(item, bytes, arena))
            }
            (Content::Leaf(content @ Value::Bytes(_)), 0x05) => match place[4] {
                0 => content,
                subtype => pair(Value::I64(subtype.into()), content),
            },
            (Content::Leaf(_), 0x06 | 0x7f | 0xff) => own(Value::Null),
            (Content::Leaf(content), 0x07 | 0x0d | 0x0e | 0x11 | 0x13) => own(content),
            (Content::Leaf(_), 0x0b) => {
                let mut texts = place.split(|byte| *byte == 0).map(|text| {
                    Value::Str(arena.alloc_str(std::str::from_utf8(text).unwrap_or_default()))
                });
                let mut next = || texts.next().unwrap_or(Value::Null);
                let pattern = next();
                pair(pattern, next())
            }
            (Content::Leaf(namespace), 0x0c) => {
                let id = &place[place.len() - 12..];
                pair(namespace, Value::Bytes(arena.alloc_slice_copy(id)))
            }
            (Content::Leaf(value), _) => value,
        }
    }
}

impl Bson {
    /// A key is text whatever the element is that it begins.
    fn key_or_value<'a>(&self, raw: &Raw<'a>, bytes: &[u8], arena: &'a Arena) -> Value<'a> {
        match raw.content {
            Content::Leaf(key) if raw.is_key => key,
            _ => self.value(raw, bytes, arena),
        }
    }
}
