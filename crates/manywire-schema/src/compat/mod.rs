//! Compatibility: the differences between two schemas, and the readers that each of them breaks.
//!
//! A change is *backward* compatible if readers of the new schema read data of the old one, and
//! *forward* compatible if readers of the old schema read data of the new one. Each language has
//! different rules:
//!
//! - **Protocol Buffers**: by field number. A number must keep a type with a compatible encoding; a
//!   name may change. See [the language guide] on updating a message type.
//! - **Avro**: by the specification's [schema resolution], once with each schema as the reader's.
//! - **JSON Schema**: by the shapes of values: values of the writer must fit the reader's shape,
//!   except that readers ignore unknown keys.
//!
//! [the language guide]: https://protobuf.dev/programming-guides/proto3/#updating
//! [schema resolution]: https://avro.apache.org/docs/1.12.0/specification/#schema-resolution

mod avro;
mod proto;
mod report;
mod shape;

use std::fmt;

use crate::{Document, Language};

pub use report::{Change, Report};

/// The error for schemas in different languages, which cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferentLanguages {
    /// The language of the old schema.
    pub old: &'static str,
    /// The language of the new schema.
    pub new: &'static str,
}

impl fmt::Display for DifferentLanguages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DifferentLanguages { old, new } = self;
        write!(f, "expected two schemas in one language, found {old} and {new}")
    }
}

impl std::error::Error for DifferentLanguages {}

/// Compares two schemas in the same language.
///
/// # Errors
///
/// Fails if the schemas are in different languages.
pub fn compare(old: &Document, new: &Document) -> Result<Report, DifferentLanguages> {
    match (&old.language, &new.language) {
        (Language::Proto(old), Language::Proto(new)) => Ok(proto::compare(old, new)),
        (Language::Avro(old), Language::Avro(new)) => Ok(avro::compare(old, new)),
        (Language::JsonSchema, Language::JsonSchema) => Ok(shape::compare(&old.shape, &new.shape)),
        (left, right) => Err(DifferentLanguages { old: title(left), new: title(right) }),
    }
}

fn title(language: &Language) -> &'static str {
    match language {
        Language::JsonSchema => "JSON Schema",
        Language::Avro(_) => "Avro",
        Language::Proto(_) => "Protocol Buffers",
    }
}
