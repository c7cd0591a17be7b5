//! JSON values in schemas: their model and their text.

use std::fmt;
use std::fmt::Write;

/// A JSON value in a schema: the default of a field, or a schema that is written as JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number, as its text.
    Number(String),
    /// Text.
    String(String),
    /// Items in order.
    Array(Vec<Literal>),
    /// Members in order.
    Object(Vec<(String, Literal)>),
}

/// The longest line in bytes; a longer array or object is split over several lines.
const WIDTH: usize = 100;

impl Literal {
    /// Creates a [`Literal::String`].
    pub fn text(text: impl Into<String>) -> Self {
        Literal::String(text.into())
    }

    /// Creates a [`Literal::Number`] from a number whose text is JSON.
    pub fn number(number: impl fmt::Display) -> Self {
        Literal::Number(number.to_string())
    }

    /// Creates a [`Literal::Object`].
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Literal)>) -> Self {
        Literal::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Returns the JSON text without white space.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, ",", ":");
        out
    }

    /// Returns the JSON text indented by two spaces a level. Arrays and objects that fit on one
    /// line stay on it.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write_lines(&mut out, 0);
        out.push('\n');
        out
    }

    fn write_lines(&self, out: &mut String, indent: usize) {
        let mut line = String::new();
        self.write(&mut line, ", ", ": ");
        if line.len() + indent <= WIDTH {
            return out.push_str(&line);
        }
        let pad = |out: &mut String, indent| out.extend(std::iter::repeat_n(' ', indent));
        match self {
            Literal::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "[\n" } else { ",\n" });
                    pad(out, indent + 2);
                    item.write_lines(out, indent + 2);
                }
                out.push('\n');
                pad(out, indent);
                out.push(']');
            }
            Literal::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "{\n" } else { ",\n" });
                    pad(out, indent + 2);
                    quote(out, key);
                    out.push_str(": ");
                    value.write_lines(out, indent + 2);
                }
                out.push('\n');
                pad(out, indent);
                out.push('}');
            }
            _ => out.push_str(&line),
        }
    }

    fn write(&self, out: &mut String, comma: &str, colon: &str) {
        match self {
            Literal::Null => out.push_str("null"),
            Literal::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            Literal::Number(text) => out.push_str(text),
            Literal::String(text) => quote(out, text),
            Literal::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    item.write(out, comma, colon);
                }
                out.push(']');
            }
            Literal::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { comma });
                    quote(out, key);
                    out.push_str(colon);
                    value.write(out, comma, colon);
                }
                out.push('}');
            }
        }
    }
}

/// Writes text between quotes, with only the escapes that RFC 8259 section 7 requires.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => write!(out, "\\u{:04x}", u32::from(c)).expect("a String takes all"),
            _ => out.push(c),
        }
    }
    out.push('"');
}
