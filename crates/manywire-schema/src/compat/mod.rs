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
mod shape;

use std::fmt;

use crate::{Document, Language};

/// One difference between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path in values: `$.hotels[*].stars`.
    pub path: String,
    /// A description of the difference.
    pub message: String,
    /// True if readers of the new schema read data of the old one.
    pub backward: bool,
    /// True if readers of the old schema read data of the new one.
    pub forward: bool,
}

/// All differences between two schemas, those of the outermost types first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The differences. The description of a harmless one gives the reason.
    pub changes: Vec<Change>,
}

impl Report {
    /// Returns whether readers of the new schema read all data of the old one.
    pub fn backward(&self) -> bool {
        self.changes.iter().all(|change| change.backward)
    }

    /// Returns whether readers of the old schema read all data of the new one.
    pub fn forward(&self) -> bool {
        self.changes.iter().all(|change| change.forward)
    }

    fn add(&mut self, path: &str, message: impl fmt::Display, (backward, forward): (bool, bool)) {
        let message = message.to_string();
        // A type that is used at several paths is one difference at each.
        let change = Change { path: path.to_owned(), message, backward, forward };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }
}

/// The change is compatible in both directions.
const BOTH: (bool, bool) = (true, true);
/// The change is incompatible in both directions.
const NEITHER: (bool, bool) = (false, false);

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

/// Returns the path to a member: `.name`, or `["any text"]`.
fn member_path(path: &str, key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !key.is_empty() && key.chars().all(plain) {
        format!("{path}.{key}")
    } else {
        format!("{path}[{key:?}]")
    }
}
