//! Subjects: a library, a format and a kind of value that are measured, and the timed operations.

use std::fmt;

use manywire_format::{CodingLevel, FORMATS, Format};
use serde::{Deserialize, Serialize};

/// A library, a format and a kind of value that a lane measures: one row of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The library.
    pub library: String,
    /// The format.
    pub format: Format,
    /// The kind of value in the program.
    pub target: ValueKind,
    /// `fresh`: a new buffer for each operation; `reused`: one for all.
    pub buffer: String,
    /// True if ratios are relative to this subject.
    pub reference: bool,
}

impl Subject {
    /// Returns whether both have the same library, format and kind of value.
    pub fn is_same(&self, other: &Subject) -> bool {
        (&self.library, self.format, self.target) == (&other.library, other.format, other.target)
    }

    /// Returns the position of the subject in every table: by kind of value, then by format.
    pub(crate) fn order(&self) -> (ValueKind, usize) {
        let row = FORMATS.iter().position(|row| row.format == self.format);
        (self.target, row.unwrap_or(usize::MAX))
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.library, self.format, self.target)
    }
}

/// The kind of a value in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// Any value: maps, lists and scalars whose kinds are known at run time.
    Dynamic,
    /// A type that was generated for these payloads.
    Typed,
}

impl ValueKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Dynamic => "dynamic",
            ValueKind::Typed => "typed",
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for ValueKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [ValueKind::Dynamic, ValueKind::Typed]
            .into_iter()
            .find(|target| target.name() == text)
            .ok_or_else(|| format!("unknown target {text:?}; expected dynamic or typed"))
    }
}

/// A timed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A value to bytes in a new buffer.
    Encode,
    /// Bytes to a value, and the value dropped.
    Decode,
    /// Encode, then compress.
    Compress(CodingLevel),
    /// Decompress, then decode.
    Decompress(CodingLevel),
}

impl Operation {
    /// Returns the operation without its coding, and the coding.
    pub(crate) fn parts(self) -> (Operation, Option<CodingLevel>) {
        match self {
            Operation::Encode | Operation::Decode => (self, None),
            Operation::Compress(level) => (Operation::Encode, Some(level)),
            Operation::Decompress(level) => (Operation::Decode, Some(level)),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Encode => f.write_str("encode"),
            Operation::Decode => f.write_str("decode"),
            Operation::Compress(level) => write!(f, "encode and {level}"),
            Operation::Decompress(level) => write!(f, "{level} and decode"),
        }
    }
}
