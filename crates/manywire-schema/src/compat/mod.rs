//! What a change of a schema breaks, and for whom.
//!
//! A change is *backward* compatible if readers of the new schema read what the old one wrote, and
//! *forward* compatible if readers of the old schema read what the new one writes. Each language
//! has its own rules for that:
//!
//! - **Protocol Buffers**: by field number. Numbers that stay must keep a type that the same bytes
//!   hold; a name alone may change. See [the language guide] on updating a message type.
//! - **Avro**: by the specification's [schema resolution], once with each schema as the reader's.
//! - **JSON Schema**: by the shapes of values: what one writes must fit the other, save that
//!   readers pass over keys they do not know.
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
    /// The place in values: `$.hotels[*].stars`.
    pub path: String,
    /// What is different, in words.
    pub message: String,
    /// True if readers of the new schema read what the old one wrote.
    pub backward: bool,
    /// True if readers of the old schema read what the new one writes.
    pub forward: bool,
}

/// Every difference, those of the outermost types first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The differences; a harmless one says why it is.
    pub changes: Vec<Change>,
}

impl Report {
    /// True if readers of the new schema read everything that the old one wrote.
    pub fn backward(&self) -> bool {
        self.changes.iter().all(|change| change.backward)
    }

    /// True if readers of the old schema read everything that the new one writes.
    pub fn forward(&self) -> bool {
        self.changes.iter().all(|change| change.forward)
    }

    fn add(&mut self, path: &str, message: impl fmt::Display, (backward, forward): (bool, bool)) {
        let message = message.to_string();
        // A type that stands in several places is one difference in each, but no more.
        let change = Change { path: path.to_owned(), message, backward, forward };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }
}

/// Nobody is affected.
const BOTH: (bool, bool) = (true, true);
/// Everybody is.
const NEITHER: (bool, bool) = (false, false);

/// The schemas are in different languages, whose readers never meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferentLanguages {
    /// The language of the old schema.
    pub old: &'static str,
    /// The language of the new one.
    pub new: &'static str,
}

impl fmt::Display for DifferentLanguages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DifferentLanguages { old, new } = self;
        write!(f, "expected two schemas in one language, found {old} and {new}")
    }
}

impl std::error::Error for DifferentLanguages {}

/// What the change from one schema to another breaks.
///
/// # Errors
///
/// Where they are in different languages.
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

/// The path to a member: `.name`, or `["any text"]`.
fn below(path: &str, key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !key.is_empty() && key.chars().all(plain) {
        format!("{path}.{key}")
    } else {
        format!("{path}[{key:?}]")
    }
}
