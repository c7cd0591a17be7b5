//! Converts names to the naming conventions of `.proto` files.

use crate::names::{capitalized, pascal, words};

/// Converts a name to `lower_snake_case`, for fields and oneofs.
pub(super) fn snake(name: &str) -> String {
    let words = words(name).join("_").to_lowercase();
    match words.chars().next() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{words}"),
        Some(_) => words,
    }
}

/// Converts a name to `CamelCase`, for messages and enums.
pub(super) fn camel(name: &str) -> String {
    let text = pascal(name);
    match text.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => text,
        _ => format!("Type{text}"),
    }
}

/// Returns the default name of a field in JSON: without underscores, with a capital letter after each
/// (Protocol Buffers, "ProtoJSON Format").
pub fn json_name(proto_name: &str) -> String {
    let mut text = String::new();
    let mut capital = false;
    for c in proto_name.chars() {
        match c {
            '_' => capital = true,
            c if capital => {
                text.push(c.to_ascii_uppercase());
                capital = false;
            }
            c => text.push(c),
        }
    }
    text
}

/// Returns the name that `protoc` gives the message of a map's entries: `LabelsEntry` for `labels`.
pub fn entry_name(proto_name: &str) -> String {
    capitalized(&json_name(proto_name)) + "Entry"
}
