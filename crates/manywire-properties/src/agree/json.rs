//! JSON: the walker says the text of a number, the codec what it means.

use manywire_format::Format;
use manywire_shape::{Arena, Value};

use super::Meaning;
use super::msgpack::container;
use crate::reading::{Content, Raw};

pub(super) struct Json;

impl Meaning for Json {
    const FORMAT: Format = Format::Json;

    fn value<'a>(&self, raw: &Raw<'a>, _: &[u8], arena: &'a Arena) -> Value<'a> {
        value(raw, arena)
    }
}

fn value<'a>(raw: &Raw<'a>, arena: &'a Arena) -> Value<'a> {
    match raw.content {
        Content::Items(items) => {
            container(items, raw.code == b'{', arena, |item| value(item, arena))
        }
        Content::Leaf(Value::Number(text)) => number(text),
        Content::Leaf(value) => value,
    }
}

/// The table of `manywire_codec::json`, by the standard library's readers of numbers.
fn number(text: &str) -> Value<'_> {
    if text.contains(['.', 'e', 'E']) {
        return match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::F64(number),
            _ => Value::Number(text),
        };
    }
    match (text, text.parse::<i64>(), text.parse::<u64>()) {
        ("-0", ..) => Value::F64(-0.0),
        (_, Ok(number), _) => Value::I64(number),
        (_, _, Ok(number)) => Value::U64(number),
        _ => Value::Number(text),
    }
}
