//! Object container files (Apache Avro 1.12, "Object Container Files"): a header with the schema,
//! then blocks of datums, each with a marker behind it.
//!
//! [`Header`] and [`Block`] are read from the bytes that are there so far: what ends early is
//! [`Category::Eof`], and may be tried again with more. [`Writer`] makes the
//! bytes of a file as datums are pushed.

#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "xz")]
mod xz;

use manywire_format::Format;

use super::wire::{Blocks, read_bytes, read_long, read_text, write_len, write_long};
use crate::core::error::{Category, Error, Result};
use crate::core::reader::{Reader, utf8};

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

/// What a container file says of itself before its first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The schema of every datum, as JSON.
    pub schema: String,
    /// How the blocks are compressed.
    pub compression: Compression,
    /// The marker behind every block.
    pub sync: Sync,
    /// How many bytes the header takes.
    pub len: usize,
}

impl Header {
    /// Reads the header at the start of a file.
    ///
    /// # Errors
    /// Bytes that begin no container file, metadata without a schema, a compression that is not
    /// known; [`Category::Eof`] where the bytes end before the header does.
    pub fn read(bytes: &[u8]) -> Result<Header> {
        header(bytes).map_err(|error| error.with_format(Format::Avro))
    }
}

fn header(bytes: &[u8]) -> Result<Header> {
    let mut reader = Reader::new(bytes);
    for expected in MAGIC {
        let offset = reader.offset();
        if reader.byte("the header of a container file")? != expected {
            let message = "no Avro container file: one begins with \"Obj\" and 01";
            return Err(Error::at(Category::Syntax, offset, message));
        }
    }
    let (mut schema, mut compression) = (None, Compression::Null);
    // A map of bytes, in blocks as any other.
    let mut blocks = Blocks::START;
    loop {
        if !blocks.take() {
            blocks.open(&mut reader, None)?;
            if blocks.is_done() {
                break;
            }
            continue;
        }
        let name = read_text(&mut reader)?;
        let offset = reader.offset();
        let value = read_bytes(&mut reader, "the value of metadata")?;
        let text = || {
            utf8(value).ok_or_else(|| {
                Error::at(Category::Syntax, offset, format_args!("{name} is not UTF-8"))
            })
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
    let schema = schema.ok_or_else(|| {
        Error::at(Category::Syntax, MAGIC.len(), "the metadata has no \"avro.schema\"")
    })?;
    Ok(Header { schema, compression, sync, len: reader.offset() })
}

/// Datums that stand together in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'b> {
    /// How many datums there are.
    pub count: u64,
    /// Their bytes, compressed as the header says.
    pub data: &'b [u8],
    /// How many bytes stand before the data.
    pub head: usize,
    /// How many bytes the block takes, its marker included.
    pub len: usize,
}

impl<'b> Block<'b> {
    /// Reads the block that begins here.
    ///
    /// # Errors
    /// Counts and sizes that are none, a marker that is not the file's; [`Category::Eof`] where
    /// the bytes end before the block does.
    pub fn read(bytes: &'b [u8], sync: &Sync) -> Result<Block<'b>> {
        let mut reader = Reader::new(bytes);
        block(&mut reader, sync).map_err(|error| error.with_format(Format::Avro))
    }
}

fn block<'b>(reader: &mut Reader<'b>, sync: &Sync) -> Result<Block<'b>> {
    let count = read_long(reader, "the count of a block")?;
    let count = u64::try_from(count).map_err(|_| {
        Error::at(Category::Syntax, 0, format_args!("a block of {count} datums is none"))
    })?;
    let data = read_bytes(reader, "the data of a block")?;
    let at = reader.offset();
    let found: Sync = reader.array("the marker behind a block")?;
    if found != *sync {
        let message = "the marker behind the block is not that of the file: the block is not as \
                       long as it says, or the file is damaged";
        return Err(Error::at(Category::Syntax, at, message));
    }
    Ok(Block { count, data, head: at - data.len(), len: reader.offset() })
}

/// Datums are gathered up to this size before they are written as a block: what Apache's own
/// writers begin with, and small enough for a reader to hold many.
const BLOCK_BYTES: usize = 64 << 10;

/// Makes the bytes of a container file.
pub struct Writer {
    blocks: BlockCodec,
    sync: Sync,
    datums: Vec<u8>,
    count: usize,
    data: Vec<u8>,
}

impl Writer {
    /// A writer of a file of this schema, whose header is appended to `out`. The marker ends every
    /// block; it must not be predictable where readers look for it in files they do not trust.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category) if the compression was not compiled in.
    pub fn new(
        schema: &str,
        compression: Compression,
        sync: Sync,
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

    /// Adds a datum that was encoded by the schema, and appends a block to `out` once enough of
    /// them are there.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn push(&mut self, datum: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.datums.extend_from_slice(datum);
        self.count += 1;
        if self.datums.len() >= BLOCK_BYTES { self.flush(out) } else { Ok(()) }
    }

    /// Appends the values that have not been written, if there are any.
    ///
    /// # Errors
    /// Only when the library of the compression fails, for want of memory.
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

/// What a block may unpack to: any size, but beyond 4 MiB no more than 200 times what has been read
/// of it by then, so that a small file cannot fill the memory. Writers close a block at some ten
/// thousand bytes.
#[cfg(any(feature = "gzip", feature = "zstd", feature = "bzip2", feature = "xz"))]
const LIMITS: crate::coding::DecodeLimits =
    crate::coding::DecodeLimits::UNLIMITED.with_ratio(200, 4 << 20).with_ratio_of_beginnings();

/// Takes the compression off blocks, and puts it on, with the same working memory for each.
pub struct BlockCodec(Inner);

enum Inner {
    Null,
    #[cfg(feature = "gzip")]
    Deflate(Box<(crate::coding::RawInflate, crate::coding::RawDeflate)>),
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
    /// For blocks of this compression.
    ///
    /// # Errors
    /// [`Category::Unsupported`] if it was not compiled in.
    pub fn new(compression: Compression) -> Result<Self> {
        Ok(BlockCodec(match compression {
            Compression::Null => Inner::Null,
            #[cfg(feature = "gzip")]
            Compression::Deflate => {
                use crate::coding::{RawDeflate, RawInflate};
                Inner::Deflate(Box::new((RawInflate::new(), RawDeflate::new())))
            }
            #[cfg(feature = "zstd")]
            Compression::Zstandard => {
                use crate::coding::{Decoder, Encoder};
                use manywire_format::Coding;
                let decoder = Decoder::new(Coding::Zstd, LIMITS)?;
                let encoder = Encoder::new(Coding::Zstd.into())?;
                Inner::Zstandard(Box::new((decoder, encoder)))
            }
            #[cfg(feature = "snappy")]
            Compression::Snappy => Inner::Snappy(Box::new(self::snappy::Snappy::new())),
            #[cfg(feature = "bzip2")]
            Compression::Bzip2 => Inner::Bzip2,
            #[cfg(feature = "xz")]
            Compression::Xz => Inner::Xz,
            #[allow(unreachable_patterns, reason = "reached when a codec is not compiled in")]
            compression => {
                let message = format_args!("{} was not compiled in", compression.name());
                return Err(Error::new(Category::Unsupported, message));
            }
        }))
    }

    /// The datums of a block: its data where that is not compressed, else what `out` then holds.
    ///
    /// # Errors
    /// Data that is not of the compression, ends early, or unpacks to more than 200 times its size
    /// and 4 MiB.
    pub fn open<'o>(&mut self, data: &'o [u8], out: &'o mut Vec<u8>) -> Result<&'o [u8]> {
        out.clear();
        match &mut self.0 {
            Inner::Null => Ok(data),
            #[cfg(feature = "gzip")]
            Inner::Deflate(both) => both.0.decode(data, LIMITS, out).map(|()| &**out),
            #[cfg(feature = "zstd")]
            Inner::Zstandard(both) => both.0.decode(data, out).map(|()| &**out),
            #[cfg(feature = "snappy")]
            Inner::Snappy(snappy) => snappy.decode(data, out).map(|()| &**out),
            #[cfg(feature = "bzip2")]
            Inner::Bzip2 => self::bzip2::decode(data, out).map(|()| &**out),
            #[cfg(feature = "xz")]
            Inner::Xz => self::xz::decode(data, out).map(|()| &**out),
        }
    }

    /// Appends the data of a block that holds these datums.
    fn close(&mut self, datums: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match &mut self.0 {
            Inner::Null => out.extend_from_slice(datums),
            #[cfg(feature = "gzip")]
            Inner::Deflate(both) => both.1.encode(datums, out)?,
            #[cfg(feature = "zstd")]
            Inner::Zstandard(both) => both.1.encode(datums, out)?,
            #[cfg(feature = "snappy")]
            Inner::Snappy(snappy) => snappy.encode(datums, out)?,
            #[cfg(feature = "bzip2")]
            Inner::Bzip2 => self::bzip2::encode(datums, out)?,
            #[cfg(feature = "xz")]
            Inner::Xz => self::xz::encode(datums, out)?,
        }
        Ok(())
    }
}

/// How much is unpacked at once, in bytes.
#[cfg(any(feature = "bzip2", feature = "xz"))]
const PIECE_BYTES: usize = 16 << 10;

/// Appends all that a reader unpacks from so many bytes of data, within the limits of a block.
///
/// # Errors
/// Those of the reader, and more than the limits allow.
#[cfg(any(feature = "bzip2", feature = "xz"))]
fn read_within(
    reader: &mut impl std::io::Read,
    data_bytes: usize,
    out: &mut Vec<u8>,
    wrong: impl FnOnce(&dyn std::fmt::Display) -> Error,
) -> Result<()> {
    let allowance = LIMITS.allowance(data_bytes);
    let mut piece = [0; PIECE_BYTES];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => out.extend_from_slice(&piece[..read]),
            Err(error) => return Err(wrong(&error)),
        }
        if out.len() > allowance {
            let message = format_args!(
                "the datums of a block of {data_bytes} bytes are more than {allowance}, which it \
                 may unpack to"
            );
            return Err(Error::new(Category::Limit, message));
        }
    }
}
