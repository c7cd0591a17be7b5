//! Paths such as `$.a[3]` and `$["odd key"]`; in a stream of values, `$#7.a` is within the eighth.

use std::fmt::Write;

use manywire_shape::Value;
use manywire_shape::path::KeyStep;

use crate::scalar;

/// The part of an input that is walked.
#[derive(Clone, Copy, Default)]
pub(crate) enum InputPart {
    /// The whole input.
    #[default]
    Whole,
    /// One value of a stream.
    Value(u64),
    /// The header of a container file.
    Header,
    /// The framing around the values of a block of a container file.
    Block(u64),
}

/// Returns the path of a part.
pub(super) fn root(part: InputPart) -> String {
    match part {
        InputPart::Whole => String::from("$"),
        InputPart::Value(number) => format!("$#{number}"),
        InputPart::Header => String::from("$header"),
        InputPart::Block(number) => format!("$blocks[{number}]"),
    }
}

/// Appends the step to an item.
pub(super) fn push_index(path: &mut String, index: u64) {
    // Writing to a string does not fail.
    let _ = write!(path, "[{index}]");
}

/// Appends the step to the value under a key: `.name`, or `["any text"]`.
pub(super) fn push_key(path: &mut String, key: Value<'_>) {
    match key {
        Value::Str(text) => {
            let _ = KeyStep(text).write_to(path);
        }
        other => {
            let text = scalar::text(other);
            push_key(path, Value::Str(&text));
        }
    }
}

/// Appends the step into a key that is a container and has no text.
pub(super) fn push_key_of_entry(path: &mut String, entry: u64) {
    let _ = write!(path, "[key {entry}]");
}
