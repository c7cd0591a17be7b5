//! Subjects: one library and the format that it reads and writes.

mod runner;

use std::fmt;

use manywire_format::{CodingLevel, Format};
use serde::{Deserialize, Serialize};

use super::payload::Corpus;
use super::schema::Schema;

pub(crate) use runner::Runner;

/// A library and the format it writes, for dynamic values in Rust: one row of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The library.
    pub library: Library,
    /// The format.
    #[serde(with = "format_name")]
    pub format: Format,
}

/// A library that reads and writes dynamic values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Library {
    /// Our own codecs.
    Manywire,
    /// serde_json and its `Value`.
    SerdeJson,
    /// rmp-serde, with the `Value` of serde_json.
    RmpSerde,
}

impl Library {
    /// Its name in the registry.
    pub fn name(self) -> &'static str {
        match self {
            Library::Manywire => "manywire",
            Library::SerdeJson => "serde_json",
            Library::RmpSerde => "rmp-serde",
        }
    }

    /// The version compiled in.
    pub fn version(self) -> &'static str {
        match self {
            Library::Manywire => env!("CARGO_PKG_VERSION"),
            Library::SerdeJson => SERDE_JSON_VERSION,
            Library::RmpSerde => RMP_SERDE_VERSION,
        }
    }
}

/// These versions must match the lock file; a test compares them.
const SERDE_JSON_VERSION: &str = "1.0.154";
const RMP_SERDE_VERSION: &str = "1.3.1";

impl Subject {
    /// Returns every subject of a format, ours first.
    pub fn of(format: Format) -> Vec<Subject> {
        let beside: &[Library] = match format {
            Format::Json => &[Library::SerdeJson],
            Format::MsgPack => &[Library::RmpSerde],
            _ => &[],
        };
        [Library::Manywire]
            .iter()
            .chain(beside)
            .map(|&library| Subject { library, format })
            .collect()
    }

    /// Prepares the subject to encode and decode these samples.
    pub(crate) fn prepare<'a>(
        self,
        corpus: &Corpus<'a>,
        schema: &Schema,
    ) -> Result<Box<dyn Runner + 'a>, String> {
        Ok(match self.library {
            Library::Manywire => Box::new(runner::Manywire::prepare(self.format, corpus, schema)?),
            Library::SerdeJson => Box::new(runner::SerdeJson::prepare(corpus)?),
            Library::RmpSerde => Box::new(runner::RmpSerde::prepare(corpus)?),
        })
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// A value to bytes in a new buffer.
    Encode,
    /// Bytes to a value, and the value dropped.
    Decode,
    /// Encode, then compress.
    Compress(#[serde(with = "coding_name")] CodingLevel),
    /// Decompress, then decode.
    Decompress(#[serde(with = "coding_name")] CodingLevel),
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

/// Serialises formats by name.
mod format_name {
    use manywire_format::Format;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        format: &Format,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(format.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Format, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

/// Serialises codings as `gzip:6`.
mod coding_name {
    use manywire_format::CodingLevel;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        level: &CodingLevel,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(level)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<CodingLevel, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}
