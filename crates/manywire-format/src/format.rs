use std::fmt;
use std::str::FromStr;

use crate::table::{FORMATS, Row};

/// A wire format: how a value is laid out as bytes.
///
/// The two layouts of MessagePack are two formats. They share a media type, but not a size, not a
/// speed, and not what a reader must know beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// JSON, RFC 8259.
    Json,
    /// MessagePack with records as maps from field name to value.
    MsgPack,
    /// MessagePack with records as arrays in the order of their fields.
    MsgPackArray,
    /// CBOR, RFC 8949.
    Cbor,
    /// Protocol Buffers, the proto3 wire format.
    Protobuf,
    /// Avro's binary encoding, one datum without a header.
    Avro,
    /// BSON 1.1.
    Bson,
}

impl Format {
    /// This format's row of [`FORMATS`].
    pub fn row(self) -> &'static Row {
        &FORMATS[self as usize]
    }

    /// The name used on the command line and in reports, such as `msgpack-array`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The format that files with this extension hold, in any letter case and without the dot.
    pub fn from_extension(extension: &str) -> Option<Format> {
        FORMATS
            .iter()
            .find(|row| row.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)))
            .map(|row| row.format)
    }

    /// The first format of the table that goes by this media type, without parameters.
    pub fn from_media_type(essence: &str) -> Option<Format> {
        FORMATS
            .iter()
            .find(|row| {
                row.media_type.eq_ignore_ascii_case(essence)
                    || row.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(essence))
            })
            .map(|row| row.format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no format is called {:?}; there are ", self.0)?;
        for (index, row) in FORMATS.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", row.name)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        FORMATS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.format)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}
