//! Subjects: a library, a format and a kind of value that are measured, and the timed operations.

use std::fmt;

use manywire_format::{CodingLevel, Format};
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
    /// The buffer that the library writes into.
    pub buffer: Buffer,
    /// True if ratios are relative to this subject.
    pub reference: bool,
}

impl Subject {
    /// Returns whether both have the same library, format and kind of value.
    pub fn is_same(&self, other: &Subject) -> bool {
        (&self.library, self.format, self.target) == (&other.library, other.format, other.target)
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
    /// Every kind, in the order of reports.
    pub const ALL: [ValueKind; 2] = [ValueKind::Dynamic, ValueKind::Typed];

    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Dynamic => "dynamic",
            ValueKind::Typed => "typed",
        }
    }
}

/// The buffer that a library writes into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Buffer {
    /// A new buffer for each operation.
    #[default]
    Fresh,
    /// One buffer for all operations.
    Reused,
}

impl Buffer {
    /// Returns the name in manifests and reports.
    pub fn name(self) -> &'static str {
        match self {
            Buffer::Fresh => "fresh",
            Buffer::Reused => "reused",
        }
    }
}

/// Reads and writes a format by its name, for serde.
pub(crate) mod format_name {
    use manywire_format::Format;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(format: &Format, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(format.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Format, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown kind of value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValueKind(String);

impl fmt::Display for UnknownValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown target {:?}; expected dynamic or typed", self.0)
    }
}

impl std::error::Error for UnknownValueKind {}

impl std::str::FromStr for ValueKind {
    type Err = UnknownValueKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = ValueKind::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| UnknownValueKind(text.to_owned()))
    }
}

/// A timed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Encode a value to bytes.
    Encode,
    /// Decode bytes to a value and drop the value.
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
