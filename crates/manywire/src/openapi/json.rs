//! Constructors of JSON values.

use manywire_codec::json;
use manywire_shape::{Literal, OwnedValue};

/// Creates an object with members in order.
pub(super) fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Literal)>) -> Literal {
    Literal::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Creates an object without members.
pub(super) fn empty() -> Literal {
    Literal::Object(Vec::new())
}

/// Creates an object of one member.
pub(super) fn single(name: &str, value: Literal) -> Literal {
    object([(name, value)])
}

/// Creates an array of strings.
pub(super) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Literal {
    Literal::Array(texts.into_iter().map(Literal::text).collect())
}

/// Creates a reference to a component.
pub(super) fn reference(kind: &str, name: &str) -> Literal {
    single("$ref", Literal::text(format!("#/components/{kind}/{name}")))
}

/// Returns a value that was read from JSON, whose keys are text.
pub(super) fn from_value(value: &OwnedValue) -> Literal {
    match value {
        OwnedValue::Null => Literal::Null,
        OwnedValue::Bool(truth) => Literal::Boolean(*truth),
        OwnedValue::Str(text) => Literal::text(text),
        OwnedValue::Array(items) => Literal::Array(items.iter().map(from_value).collect()),
        OwnedValue::Map(entries) => object(entries.iter().filter_map(|(name, value)| match name {
            OwnedValue::Str(name) => Some((name, from_value(value))),
            _ => None,
        })),
        number => {
            let text = json::to_vec(number).ok().and_then(|text| String::from_utf8(text).ok());
            text.map_or(Literal::Null, Literal::Number)
        }
    }
}
