//! Paths: `$.a[3]`, `$["odd key"]`; in a stream of values `$#7.a` is within the eighth.

use std::fmt::Write;

use manywire_shape::Value;

use crate::scalar;

/// What of an input is walked.
#[derive(Clone, Copy, Default)]
pub(crate) enum Part {
    /// All of it.
    #[default]
    Whole,
    /// One value of a stream.
    Value(u64),
    /// What stands in front of the values of a container file.
    Header,
    /// What a block of a container file has around its values.
    Block(u64),
}

/// The path of a part.
pub(super) fn root(part: Part) -> String {
    match part {
        Part::Whole => String::from("$"),
        Part::Value(number) => format!("$#{number}"),
        Part::Header => String::from("$header"),
        Part::Block(number) => format!("$blocks[{number}]"),
    }
}

/// Adds the step to an item.
pub(super) fn push_index(path: &mut String, index: u64) {
    // Writing to a string does not fail.
    let _ = write!(path, "[{index}]");
}

/// Adds the step to the value under a key: `.name`, or `["any text"]`.
pub(super) fn push_key(path: &mut String, key: Value<'_>) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    match key {
        Value::Str(text) if !text.is_empty() && text.chars().all(plain) => {
            path.push('.');
            path.push_str(text);
        }
        Value::Str(text) => {
            let _ = write!(path, "[{text:?}]");
        }
        other => {
            let text = scalar::text(other);
            push_key(path, Value::Str(&text));
        }
    }
}

/// Adds the step to what stands in a key that is no scalar, and so has no text of its own.
pub(super) fn push_key_of_entry(path: &mut String, entry: u64) {
    let _ = write!(path, "[key {entry}]");
}
