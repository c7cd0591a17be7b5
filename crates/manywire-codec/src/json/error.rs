//! Errors of invalid JSON text. All functions here are cold, and every message tells the user what
//! to change.

use crate::core::error::Error;

/// Builds the error for text that ends at `at`, or has something other than `what` there.
#[cold]
#[inline(never)]
pub(super) fn expected(text: &str, at: usize, what: &'static str) -> Error {
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        None => Error::eof(text.len(), what),
        Some(found) => {
            let found = describe_char(found);
            Error::syntax(at, format_args!("expected {what}, found {found}"))
        }
    }
}

/// The maximum length, in bytes, of a word that is quoted whole, such as `True` or `undefined`.
const WORD_BYTES_MAX: usize = 20;

/// Builds the error for text that is not a value, with a hint where other notations allow what JSON
/// does not.
#[cold]
#[inline(never)]
pub(super) fn expected_value(text: &str, at: usize) -> Error {
    let rest = text.get(at..).unwrap_or_default();
    let hint = if rest.starts_with('\u{FEFF}') {
        "a byte order mark, which JSON text must not begin with"
    } else if rest.starts_with('\'') {
        "a single quote; strings need double quotes"
    } else if rest.starts_with("//") || rest.starts_with("/*") {
        "a comment, which JSON does not have"
    } else if rest.starts_with('+') {
        "'+'; a positive number has no sign"
    } else if rest.starts_with('.') {
        "'.'; a number begins with a digit"
    } else if rest.starts_with("NaN") || rest.starts_with("Infinity") {
        "NaN or infinity, which JSON does not have"
    } else {
        let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !(2..=WORD_BYTES_MAX).contains(&word.len()) {
            return expected(text, at, "a value");
        }
        return Error::syntax(at, format_args!("expected a value, found '{word}'"));
    };
    Error::syntax(at, format_args!("expected a value, found {hint}"))
}

/// Builds the error for numbers such as `01`.
#[cold]
#[inline(never)]
pub(super) fn leading_zero(at: usize) -> Error {
    Error::syntax(at, "a number must not begin with a zero that more digits follow")
}

/// Builds the error for bytes that are not UTF-8.
#[cold]
#[inline(never)]
pub(super) fn invalid_utf8(bytes: &[u8], at: usize) -> Error {
    let found = bytes.get(at).copied().unwrap_or_default();
    Error::syntax(at, format_args!("expected UTF-8, found the byte 0x{found:02X}"))
}

/// Describes a character: in quotes if it is visible, otherwise by its number.
fn describe_char(found: char) -> String {
    if found.is_control() || found.is_whitespace() && found != ' ' || found == '\u{FEFF}' {
        format!("the character U+{:04X}", u32::from(found))
    } else {
        format!("'{found}'")
    }
}
