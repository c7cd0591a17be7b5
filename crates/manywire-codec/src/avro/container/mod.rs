//! Object container files (Apache Avro 1.12, "Object Container Files"): a header with the schema,
//! then blocks of datums, each with a marker behind it.
//!
//! [`Header`] and [`Block`] are read from the bytes that are there so far: what ends early is
//! [`Category::Eof`], and may be tried again with more. [`Writer`] makes the
//! bytes of a file as datums are pushed.

mod block;
#[cfg(feature = "bzip2")]
mod bzip2;
mod read;
#[cfg(feature = "snappy")]
mod snappy;
mod write;
#[cfg(feature = "xz")]
mod xz;

use crate::core::error::{Category, Error, Result};

pub use block::Blocks;
pub use read::{Block, Header};
pub use write::Writer;

/// What every container file begins with.
pub const MAGIC: [u8; 4] = *b"Obj\x01";

/// The marker behind the header and each block.
pub type Sync = [u8; 16];

/// How the blocks of a file are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    Null,
    /// Bare deflate (RFC 1951), without the frame of zlib.
    Deflate,
    /// Zstandard (RFC 8878).
    Zstandard,
    /// Snappy's raw format, with the CRC-32 of what it unpacks to behind it.
    Snappy,
    /// bzip2.
    Bzip2,
    /// xz, the container of LZMA2.
    Xz,
}

impl Compression {
    /// All that are known: those of the specification.
    pub const ALL: [Compression; 6] = [
        Compression::Null,
        Compression::Deflate,
        Compression::Zstandard,
        Compression::Snappy,
        Compression::Bzip2,
        Compression::Xz,
    ];

    /// The name in the metadata of a file, `avro.codec`.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Null => "null",
            Compression::Deflate => "deflate",
            Compression::Zstandard => "zstandard",
            Compression::Snappy => "snappy",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
        }
    }
}

impl std::str::FromStr for Compression {
    type Err = Error;

    /// Reads a name.
    fn from_str(name: &str) -> Result<Self> {
        let all = Compression::ALL;
        all.into_iter().find(|known| known.name() == name).ok_or_else(|| {
            let known = all.map(Compression::name).join(", ");
            let message = format_args!("the blocks are compressed with {name:?}, not by {known}");
            Error::new(Category::Unsupported, message)
        })
    }
}
