//! Which format an input is in, and how its values follow each other.

use std::fmt;
use std::str::FromStr;

use manywire_format::Format;

/// How the values of an input follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// There is one value.
    Single,
    /// Values that say themselves where they end, one behind the other: MessagePack, BSON, JSON;
    /// a CBOR sequence (RFC 8742).
    Sequence,
    /// A value a line: NDJSON.
    Lines,
    /// Each value behind its length as a varint, as Protocol Buffers' own libraries write it.
    Delimited,
    /// An Avro object container file.
    Container,
}

/// A format and a framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// What each value is in.
    pub format: Format,
    /// How the values follow each other.
    pub framing: Framing,
}

/// Every layout that has a name of its own.
const NAMED: [(&str, Layout); 6] = [
    ("ndjson", Layout { format: Format::Json, framing: Framing::Lines }),
    ("json-seq", Layout { format: Format::Json, framing: Framing::Sequence }),
    ("msgpack-seq", Layout { format: Format::MsgPack, framing: Framing::Sequence }),
    ("cbor-seq", Layout { format: Format::Cbor, framing: Framing::Sequence }),
    ("bson-seq", Layout { format: Format::Bson, framing: Framing::Sequence }),
    ("protobuf-delimited", Layout { format: Format::Protobuf, framing: Framing::Delimited }),
];

impl Layout {
    /// One value.
    pub fn single(format: Format) -> Self {
        Layout { format, framing: Framing::Single }
    }

    /// How values of a format can follow each other: first the likeliest.
    pub fn all_of(format: Format) -> Vec<Layout> {
        let framings: &[Framing] = match format {
            Format::Json => &[Framing::Single, Framing::Lines, Framing::Sequence],
            Format::MsgPack | Format::MsgPackArray | Format::Cbor | Format::Bson => {
                &[Framing::Single, Framing::Sequence]
            }
            Format::Protobuf => &[Framing::Single, Framing::Delimited],
            Format::Avro => &[Framing::Single, Framing::Container],
        };
        framings.iter().map(|&framing| Layout { format, framing }).collect()
    }

    /// The layout of files with this extension, in any letter case and without the dot.
    pub fn from_extension(extension: &str) -> Option<Layout> {
        match extension.to_ascii_lowercase().as_str() {
            "ndjson" | "jsonl" => Some(NAMED[0].1),
            "cborseq" => Some(NAMED[3].1),
            extension => Format::from_extension(extension).map(Layout::single),
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMED.iter().find(|(_, layout)| layout == self);
        match (named, self.framing) {
            (Some((name, _)), _) => f.pad(name),
            (None, Framing::Container) => f.pad("avro container"),
            (None, Framing::Sequence) => f.pad(&format!("{}-seq", self.format)),
            _ => f.pad(self.format.name()),
        }
    }
}

/// A name that is no layout's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLayout(String);

impl fmt::Display for InvalidLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; or a stream: ", self.0)?;
        for (index, (name, _)) in NAMED.iter().enumerate() {
            write!(f, "{}{name}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidLayout {}

impl FromStr for Layout {
    type Err = InvalidLayout;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match NAMED.iter().find(|(named, _)| *named == name) {
            Some((_, layout)) => Ok(*layout),
            None => match name.parse::<Format>() {
                Ok(format) => Ok(Layout::single(format)),
                Err(error) => Err(InvalidLayout(error.to_string())),
            },
        }
    }
}
