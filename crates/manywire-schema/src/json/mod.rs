//! JSON as schemas are written in it: values whose members keep their order, and faults by path.

mod locate;
mod parse;

pub(crate) use parse::parse;

use std::fmt;

use manywire_shape::Literal;

use crate::Error;

/// A step from a value to one that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// What is wrong with a schema, at the end of a path from its root.
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

    /// The error at the place in the text that the path leads to.
    #[cold]
    pub(crate) fn locate(self, file: &str, text: &str) -> Error {
        Error::at(file, text, locate::offset(text, &self.path), self.message)
    }
}

/// The member of an object under a key.
pub(crate) fn member<'l>(object: &'l Literal, key: &str) -> Option<&'l Literal> {
    match object {
        Literal::Object(members) => members.iter().find(|(name, _)| name == key).map(|it| &it.1),
        _ => None,
    }
}

/// The member under a key, if it is text.
pub(crate) fn text_member<'l>(object: &'l Literal, key: &str) -> Option<&'l str> {
    match member(object, key) {
        Some(Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// What a value is, in words.
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
