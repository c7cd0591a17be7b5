//! Object container files (Apache Avro 1.12, "Object Container Files"): a header with the schema,
//! then blocks of datums, each followed by a marker.
//!
//! [`Header`] and [`Block`] are read from the bytes available so far. Input that ends early is
//! [`Category::Eof`], and reading may be tried again with more. [`Writer`] produces the bytes of a
//! file while datums are pushed.

#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(any(feature = "gzip", feature = "zstd", feature = "bzip2", feature = "xz"))]
mod limits;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "xz")]
mod xz;

use manywire_format::Format;

#[cfg(any(feature = "gzip", feature = "zstd"))]
use self::limits::LIMITS;
use super::wire::{Blocks, read_bytes, read_long, read_text, write_len, write_long};
#[cfg(doc)]
use crate::core::error::Category;
use crate::core::error::{Error, Result};
use crate::core::reader::{Reader, utf8};

/// The first bytes of every container file.
pub const MAGIC: [u8; 4] = *b"Obj\x01";

/// The marker after the header and after each block.
pub type SyncMarker = [u8; 16];

/// The compression of a file's blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    #[default]
    Null,
    /// Raw deflate (RFC 1951), without the frame of zlib.
    Deflate,
    /// Zstandard (RFC 8878).
    Zstandard,
    /// Snappy's raw format, followed by the CRC-32 of the decompressed bytes.
    Snappy,
    /// bzip2.
    Bzip2,
    /// xz, the container of LZMA2.
    Xz,
}

impl Compression {
    /// All compressions of the specification.
    pub const ALL: [Compression; 6] = [
        Compression::Null,
        Compression::Deflate,
        Compression::Zstandard,
        Compression::Snappy,
        Compression::Bzip2,
        Compression::Xz,
    ];

    /// Returns the name in the metadata of a file, `avro.codec`.
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

    /// Parses a name.
    fn from_str(name: &str) -> Result<Self> {
        let all = Compression::ALL;
        all.into_iter().find(|known| known.name() == name).ok_or_else(|| {
            let known = all.map(Compression::name).join(", ");
            let message = format_args!("the blocks are compressed with {name:?}, not by {known}");
            Error::unsupported(message)
        })
    }
}

/// The header of a container file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The schema of every datum, as JSON.
    pub schema: String,
    /// The compression of the blocks.
    pub compression: Compression,
    /// The marker after every block.
    pub sync: SyncMarker,
    /// The length of the header, in bytes.
    pub len: usize,
}

impl Header {
    /// Reads the header at the start of a file.
    ///
    /// # Errors
    /// Fails for bytes that are not a container file, for metadata without a schema, and for an
    /// unknown compression; with [`Category::Eof`] if the bytes end inside the header.
    pub fn read(bytes: &[u8]) -> Result<Header> {
        header(bytes).map_err(|error| error.with_format(Format::Avro))
    }
}

fn header(bytes: &[u8]) -> Result<Header> {
    let mut reader = Reader::new(bytes);
    for expected in MAGIC {
        let offset = reader.offset();
        if reader.byte("the header of a container file")? != expected {
            let message = "not an Avro container file: expected the magic bytes `Obj` 01";
            return Err(Error::syntax(offset, message));
        }
    }
    let (mut schema, mut compression) = (None, Compression::Null);
    // A map of bytes, in blocks like any other map.
    let mut blocks = Blocks::START;
    while blocks.advance(&mut reader, None)? {
        let name = read_text(&mut reader)?;
        let offset = reader.offset();
        let value = read_bytes(&mut reader, "the value of metadata")?;
        let text = || {
            utf8(value).ok_or_else(|| Error::syntax(offset, format_args!("{name} is not UTF-8")))
        };
        match name {
            "avro.schema" => schema = Some(text()?.to_owned()),
            "avro.codec" => {
                compression = text()?.parse().map_err(|error: Error| error.with_offset(offset))?
            }
            _ => {}
        }
    }
    let sync = reader.array("the marker behind the header")?;
    let schema =
        schema.ok_or_else(|| Error::syntax(MAGIC.len(), "the metadata has no \"avro.schema\""))?;
    Ok(Header { schema, compression, sync, len: reader.offset() })
}

/// A block of datums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'b> {
    /// The number of datums.
    pub count: u64,
    /// The bytes of the datums, compressed as the header declares.
    pub data: &'b [u8],
    /// The number of bytes before the data.
    pub head: usize,
    /// The length of the block with its marker, in bytes.
    pub len: usize,
}

impl<'b> Block<'b> {
    /// Reads the block at the start of `bytes`.
    ///
    /// # Errors
    /// Fails for invalid counts and sizes, and for a marker that differs from the file's; with
    /// [`Category::Eof`] if the bytes end inside the block.
    pub fn read(bytes: &'b [u8], sync: &SyncMarker) -> Result<Block<'b>> {
        let mut reader = Reader::new(bytes);
        block(&mut reader, sync).map_err(|error| error.with_format(Format::Avro))
    }
}

fn block<'b>(reader: &mut Reader<'b>, sync: &SyncMarker) -> Result<Block<'b>> {
    let count = read_long(reader, "the count of a block")?;
    let count = u64::try_from(count).map_err(|_| {
        Error::syntax(0, format_args!("invalid block count {count}: expected 0 or more"))
    })?;
    let data = read_bytes(reader, "the data of a block")?;
    let at = reader.offset();
    let found: SyncMarker = reader.array("the marker behind a block")?;
    if found != *sync {
        let message = "the marker behind the block is not that of the file: the block is not as \
                       long as it says, or the file is damaged";
        return Err(Error::syntax(at, message));
    }
    Ok(Block { count, data, head: at - data.len(), len: reader.offset() })
}

/// The minimum size, in bytes, at which collected datums are written as a block: the initial size
/// of Apache's own writers, and small enough for a reader to hold many blocks.
const BLOCK_BYTES: usize = 64 << 10;

/// Writes the bytes of a container file.
pub struct Writer {
    blocks: BlockCodec,
    sync: SyncMarker,
    datums: Vec<u8>,
    count: usize,
    data: Vec<u8>,
}

impl Writer {
    /// Creates a writer for datums of `schema` and appends the file's header to `out`. The marker
    /// ends every block. It must not be predictable if readers search for it in untrusted files.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`](crate::Category) if the compression was not compiled
    /// in.
    pub fn new(
        schema: &str,
        compression: Compression,
        sync: SyncMarker,
        out: &mut Vec<u8>,
    ) -> Result<Writer> {
        let blocks = BlockCodec::new(compression)?;
        let metadata = [("avro.schema", schema), ("avro.codec", compression.name())];
        out.extend_from_slice(&MAGIC);
        write_len(out, metadata.len());
        for part in metadata.into_iter().flat_map(|(name, value)| [name, value]) {
            write_len(out, part.len());
            out.extend_from_slice(part.as_bytes());
        }
        write_long(out, 0);
        out.extend_from_slice(&sync);
        Ok(Writer { blocks, sync, datums: Vec::new(), count: 0, data: Vec::new() })
    }

    /// Adds a datum that was encoded by the schema, and appends a block to `out` once there are
    /// enough.
    ///
    /// # Errors
    /// Same as [`flush`](Self::flush).
    pub fn push(&mut self, datum: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.datums.extend_from_slice(datum);
        self.count += 1;
        if self.datums.len() >= BLOCK_BYTES { self.flush(out) } else { Ok(()) }
    }

    /// Appends the datums that have not been written, if there are any.
    ///
    /// # Errors
    /// Fails if the library of the compression runs out of memory, or if the block is too large for
    /// it.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        self.data.clear();
        self.blocks.close(&self.datums, &mut self.data)?;
        write_len(out, self.count);
        write_len(out, self.data.len());
        out.extend_from_slice(&self.data);
        out.extend_from_slice(&self.sync);
        self.datums.clear();
        self.count = 0;
        Ok(())
    }
}

/// Compresses and decompresses blocks and reuses its working memory.
pub struct BlockCodec(CodecKind);

enum CodecKind {
    Null,
    #[cfg(feature = "gzip")]
    Deflate(Box<(crate::coding::Inflate, crate::coding::Deflate)>),
    #[cfg(feature = "zstd")]
    Zstandard(Box<(crate::coding::Decoder, crate::coding::Encoder)>),
    #[cfg(feature = "snappy")]
    Snappy(Box<self::snappy::Snappy>),
    #[cfg(feature = "bzip2")]
    Bzip2,
    #[cfg(feature = "xz")]
    Xz,
}

impl BlockCodec {
    /// Creates a codec for this compression.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`] if the compression was not compiled in.
    pub fn new(compression: Compression) -> Result<Self> {
        Ok(BlockCodec(match compression {
            Compression::Null => CodecKind::Null,
            #[cfg(feature = "gzip")]
            Compression::Deflate => {
                use crate::coding::{Deflate, Inflate};
                let level = manywire_format::Coding::Deflate.default_level();
                CodecKind::Deflate(Box::new((Inflate::new(), Deflate::new(level, false))))
            }
            #[cfg(feature = "zstd")]
            Compression::Zstandard => {
                use crate::coding::{Decoder, Encoder};
                use manywire_format::Coding;
                let decoder = Decoder::new(Coding::Zstd, LIMITS)?;
                let encoder = Encoder::new(Coding::Zstd.into())?;
                CodecKind::Zstandard(Box::new((decoder, encoder)))
            }
            #[cfg(feature = "snappy")]
            Compression::Snappy => CodecKind::Snappy(Box::new(self::snappy::Snappy::new())),
            #[cfg(feature = "bzip2")]
            Compression::Bzip2 => CodecKind::Bzip2,
            #[cfg(feature = "xz")]
            Compression::Xz => CodecKind::Xz,
            #[allow(unreachable_patterns, reason = "reached when a codec is not compiled in")]
            compression => {
                let message = format_args!("{} was not compiled in", compression.name());
                return Err(Error::unsupported(message));
            }
        }))
    }

    /// Returns the datums of a block: `data` itself if it is not compressed, otherwise the content
    /// of `out`.
    ///
    /// # Errors
    /// Fails for data that is invalid in its compression, ends early, or decompresses to more than
    /// 200 times its size and 4 MiB.
    pub fn open<'o>(&mut self, data: &'o [u8], out: &'o mut Vec<u8>) -> Result<&'o [u8]> {
        out.clear();
        match &mut self.0 {
            CodecKind::Null => Ok(data),
            #[cfg(feature = "gzip")]
            CodecKind::Deflate(both) => both.0.decode_raw(data, LIMITS, out).map(|()| &**out),
            #[cfg(feature = "zstd")]
            CodecKind::Zstandard(both) => both.0.decode(data, out).map(|()| &**out),
            #[cfg(feature = "snappy")]
            CodecKind::Snappy(snappy) => snappy.decode(data, out).map(|()| &**out),
            #[cfg(feature = "bzip2")]
            CodecKind::Bzip2 => self::bzip2::decode(data, out).map(|()| &**out),
            #[cfg(feature = "xz")]
            CodecKind::Xz => self::xz::decode(data, out).map(|()| &**out),
        }
    }

    /// Appends the compressed datums to `out`.
    fn close(&mut self, datums: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match &mut self.0 {
            CodecKind::Null => out.extend_from_slice(datums),
            #[cfg(feature = "gzip")]
            CodecKind::Deflate(both) => both.1.encode(datums, out)?,
            #[cfg(feature = "zstd")]
            CodecKind::Zstandard(both) => both.1.encode(datums, out)?,
            #[cfg(feature = "snappy")]
            CodecKind::Snappy(snappy) => snappy.encode(datums, out)?,
            #[cfg(feature = "bzip2")]
            CodecKind::Bzip2 => self::bzip2::encode(datums, out)?,
            #[cfg(feature = "xz")]
            CodecKind::Xz => self::xz::encode(datums, out)?,
        }
        Ok(())
    }
}
