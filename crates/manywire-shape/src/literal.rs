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
        let (outer, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
        let separator = format!(",\n{inner}");
        match self {
            Literal::Array(items) if !items.is_empty() => {
                let brackets = [format!("[\n{inner}"), format!("\n{outer}]")];
                list(out, brackets, &separator, items, |out, item| {
                    item.write_lines(out, indent + 2);
                });
            }
            Literal::Object(members) if !members.is_empty() => {
                let brackets = [format!("{{\n{inner}"), format!("\n{outer}}}")];
                list(out, brackets, &separator, members, |out, (key, value)| {
                    quote(out, key);
                    out.push_str(": ");
                    value.write_lines(out, indent + 2);
                });
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
                list(out, ["[", "]"], comma, items, |out, item| item.write(out, comma, colon));
            }
            Literal::Object(members) => {
                list(out, ["{", "}"], comma, members, |out, (key, value)| {
                    quote(out, key);
                    out.push_str(colon);
                    value.write(out, comma, colon);
                });
            }
        }
    }
}

/// Writes items between brackets.
fn list<T>(
    out: &mut String,
    [open, close]: [impl AsRef<str>; 2],
    separator: &str,
    items: &[T],
    write: impl Fn(&mut String, &T),
) {
    out.push_str(open.as_ref());
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { separator });
        write(out, item);
    }
    out.push_str(close.as_ref());
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

#[cfg(test)]
mod tests {
    use super::Literal;

    #[test]
    fn empty_lists_are_written_at_any_depth() {
        for empty in [Literal::Array(Vec::new()), Literal::Object(Vec::new())] {
            let nested = (0..60).fold(empty, |inner, _| Literal::Array(vec![inner]));
            let text: String = nested.pretty().split_whitespace().collect();
            assert_eq!(text, nested.compact());
        }
    }
}
