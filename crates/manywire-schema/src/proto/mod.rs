//! Reads `.proto` files: proto3, editions, and the part of proto2 that proto3 kept.
//!
//! | `.proto` | shape |
//! |---|---|
//! | `int32`, `sint64`, `fixed32` … | the integer, with its encoding |
//! | `bool`, `string`, `bytes`, `float`, `double` | the same |
//! | `repeated` | an array |
//! | `map<K, V>` | a map |
//! | `enum` | an enum without content, with the names of its values |
//! | message | a record with the JSON names of its fields, and their `.proto` names as aliases |
//! | `optional`, a message, a member of a `oneof` | an optional field that may be null |
//! | any other field | a field that is zero or empty if it is absent |
//! | `google.protobuf.Timestamp`, `google.protobuf.Empty` | a timestamp, null |
//! | `google.protobuf.StringValue` … | the scalar, which may be null |
//!
//! The messages that our writer uses for enums with content, tuples and arrays of arrays are read
//! as records. Services, extensions and options without effect on the encoding are ignored. Groups
//! are refused. Imports are not followed, except those of Google's well-known types.

mod build;
mod lex;
mod parse;
mod shape;

use manywire_shape::Shape;
use manywire_shape::proto::Schema;

use crate::Error;

/// Reads a `.proto` file: the root message with the messages that it refers to, and the shape of
/// the root.
///
/// `file` is used only in error messages. `message` is the name of the root, with or without its
/// package. Without a name, the root is the message that no other refers to.
///
/// # Errors
///
/// Fails if the text is invalid, if a type is not declared, if a number is duplicate or out of
/// range, or if the root is missing or ambiguous.
pub fn read_proto(
    file: &str,
    text: &str,
    message: Option<&str>,
) -> std::result::Result<(Schema, Shape), Error> {
    let read = || {
        let mut parsed = parse::file(text)?;
        self::build::declare(&mut parsed)?;
        let types = self::build::Types::new(&parsed)?;
        let root = types.root(message)?;
        let schema = build::schema(&types, root)?;
        let shape = shape::shape(&schema);
        Ok((schema, shape))
    };
    read().map_err(|fault: Box<Fault>| Error::at(file, text, fault.offset, fault.message))
}

/// Reads every message and enum of a `.proto` file, without choosing a root.
pub(crate) fn read_whole(file: &str, text: &str) -> std::result::Result<Schema, Error> {
    let read = || {
        let mut parsed = parse::file(text)?;
        self::build::declare(&mut parsed)?;
        build::everything(&self::build::Types::new(&parsed)?)
    };
    read().map_err(|fault: Box<Fault>| Error::at(file, text, fault.offset, fault.message))
}

/// A fault at a byte of the text.
#[derive(Debug)]
struct Fault {
    offset: usize,
    message: String,
}

impl Fault {
    #[cold]
    fn new(offset: usize, message: impl std::fmt::Display) -> Box<Self> {
        Box::new(Fault { offset, message: message.to_string() })
    }
}

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;
