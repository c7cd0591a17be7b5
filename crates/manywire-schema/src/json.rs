//! Parses the JSON of schemas, with members in order, and locates faults in the text by their
//! paths.

use std::collections::HashSet;
use std::fmt;

use manywire_shape::Literal;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::Error;

/// One step of a path into a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// A fault in a schema, at a path from the root.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) path: Vec<Step>,
    pub(crate) message: String,
}

impl Fault {
    #[cold]
    pub(crate) fn new(path: &[Step], message: impl fmt::Display) -> Box<Self> {
        Box::new(Fault { path: path.to_vec(), message: message.to_string() })
    }

    /// Returns the error at the position in the text that the path leads to.
    #[cold]
    pub(crate) fn locate(self, file: &str, text: &str) -> Error {
        Error::at(file, text, offset(text, &self.path), self.message)
    }
}

/// Returns the member of an object with this key.
pub(crate) fn member<'l>(object: &'l Literal, key: &str) -> Option<&'l Literal> {
    match object {
        Literal::Object(members) => members.iter().find(|(name, _)| name == key).map(|it| &it.1),
        _ => None,
    }
}

/// Returns the member with this key, if it is text.
pub(crate) fn text_member<'l>(object: &'l Literal, key: &str) -> Option<&'l str> {
    match member(object, key) {
        Some(Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// Describes a value in words.
pub(crate) fn kind(value: &Literal) -> String {
    match value {
        Literal::Null => "null".into(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Number(text) => format!("the number {text}"),
        Literal::String(text) => format!("{text:?}"),
        Literal::Array(_) => "an array".into(),
        Literal::Object(_) => "an object".into(),
    }
}

/// Parses a JSON text, at most 128 levels deep.
///
/// # Errors
///
/// Fails if the text is not JSON, or if an object has a duplicate key.
pub(crate) fn parse(file: &str, text: &str) -> Result<Literal, Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Seed.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    parsed.map_err(|error| {
        // The message ends with the position in bytes, which is cut off: `Error` counts characters.
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message);
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let offset = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        Error::at(file, text, offset, message)
    })
}

struct Seed;

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Literal;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Literal, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Literal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Literal, E> {
        Ok(Literal::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Literal, E> {
        Ok(Literal::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Literal, E> {
        Ok(Literal::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Literal, E> {
        Ok(Literal::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Literal, E> {
        Ok(Literal::Number(format!("{value:?}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Literal, E> {
        Ok(Literal::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Literal, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Seed)? {
            items.push(item);
        }
        Ok(Literal::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Literal, A::Error> {
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            members.push((key, map.next_value_seed(Seed)?));
        }
        Ok(Literal::Object(members))
    }
}

/// Returns the offset of the value that a path leads to, or of the last value on the path that
/// exists. The text is valid JSON. Only errors need offsets, so the text is scanned again instead
/// of storing them.
fn offset(text: &str, path: &[Step]) -> usize {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
    scanner.space();
    for step in path {
        let start = scanner.at;
        let found = match step {
            Step::Key(key) => scanner.enter(b'{') && scanner.member(key),
            Step::Index(index) => scanner.enter(b'[') && scanner.item(*index),
        };
        if !found {
            return start;
        }
    }
    scanner.at
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
    }

    fn enter(&mut self, bracket: u8) -> bool {
        let entered = self.peek() == bracket;
        self.at += usize::from(entered);
        self.space();
        entered
    }

    /// Moves to the value of a key in the current object. Returns whether the object has the key.
    fn member(&mut self, key: &str) -> bool {
        while self.peek() == b'"' {
            let start = self.at;
            self.string();
            let name: Option<String> = serde_json::from_slice(&self.bytes[start..self.at]).ok();
            self.space();
            if name.as_deref() == Some(key) {
                return true;
            }
            self.value();
            self.space();
        }
        false
    }

    /// Moves to the item at an index of the current array. Returns whether the array has the item.
    fn item(&mut self, index: usize) -> bool {
        for _ in 0..index {
            if matches!(self.peek(), b']' | 0) {
                return false;
            }
            self.value();
            self.space();
        }
        !matches!(self.peek(), b']' | 0)
    }

    /// Skips a value: to its closing bracket by counting brackets, or to the end of a scalar.
    fn value(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                0 => return,
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => self.at += 1,
                _ => {
                    while !matches!(
                        self.peek(),
                        0 | b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b']' | b'}'
                    ) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        loop {
            match self.peek() {
                0 if self.at >= self.bytes.len() => return,
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
    }
}
