//! `.proto` files: proto3, editions, and the part of proto2 that proto3 kept.
//!
//! | `.proto` | shape |
//! |---|---|
//! | `int32`, `sint64`, `fixed32` … | the integer, with its layout |
//! | `bool`, `string`, `bytes`, `float`, `double` | the same |
//! | `repeated` | an array |
//! | `map<K, V>` | a map |
//! | `enum` | a sum type without content, its values under their names |
//! | message | a record, its fields under their JSON names, read under their own too |
//! | `optional`, a message, a member of a `oneof` | an optional field that may be null |
//! | any other field | a field that is zero or empty where it is missing |
//! | `google.protobuf.Timestamp`, `google.protobuf.Empty` | a timestamp, null |
//! | `google.protobuf.StringValue` … | the scalar, which may be null |
//!
//! A `.proto` says no more: the messages around sum types, tuples and arrays of arrays that our
//! own writer makes are read as the records they are. Services, options without meaning on the
//! wire and extensions are passed over. A group is refused. Imports are not
//! followed, save those of Google's own types.

mod build;
mod lex;
mod parse;
mod shape;

use manywire_shape::Shape;
use manywire_shape::proto::Schema;

use crate::Error;

/// Reads a `.proto` file: the messages that one of them reaches, and the shape of that one.
///
/// `file` is for messages alone. `message` is the name of the root, with or without its package;
/// where it is none, the root is the message that no other refers to.
///
/// # Errors
///
/// Where the text is not what the language calls for, a type is not declared, a number is given
/// twice or out of range, or the root is not there or not the only candidate.
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

/// Reads every message and enum of a `.proto` file, whichever is the root.
pub(crate) fn read_whole(file: &str, text: &str) -> std::result::Result<Schema, Error> {
    let read = || {
        let mut parsed = parse::file(text)?;
        self::build::declare(&mut parsed)?;
        build::everything(&self::build::Types::new(&parsed)?)
    };
    read().map_err(|fault: Box<Fault>| Error::at(file, text, fault.offset, fault.message))
}

/// What is wrong, and at which byte.
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
