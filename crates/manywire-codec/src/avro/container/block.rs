use super::Compression;
use crate::core::error::{Category, Error, Result};

/// What a block may unpack to: any size, but beyond 4 MiB no more than 200 times what has been read
/// of it by then, so that a small file cannot fill the memory. Writers close a block at some ten
/// thousand bytes.
#[cfg(any(feature = "gzip", feature = "zstd", feature = "bzip2", feature = "xz"))]
pub(super) const LIMITS: crate::coding::DecodeLimits =
    crate::coding::DecodeLimits::UNLIMITED.with_ratio(200, 4 << 20).with_ratio_of_beginnings();

/// Takes the compression off blocks, and puts it on, with the same working memory for each.
pub struct Blocks(Inner);

enum Inner {
    Null,
    #[cfg(feature = "gzip")]
    Deflate(Box<(crate::coding::Inflating, crate::coding::Deflating)>),
    #[cfg(feature = "zstd")]
    Zstandard(Box<(crate::coding::Decoder, crate::coding::Encoder)>),
    #[cfg(feature = "snappy")]
    Snappy(Box<super::snappy::Snappy>),
    #[cfg(feature = "bzip2")]
    Bzip2,
    #[cfg(feature = "xz")]
    Xz,
}

impl Blocks {
    /// For blocks of this compression.
    ///
    /// # Errors
    /// [`Category::Unsupported`] if it was not compiled in.
    pub fn new(compression: Compression) -> Result<Self> {
        Ok(Blocks(match compression {
            Compression::Null => Inner::Null,
            #[cfg(feature = "gzip")]
            Compression::Deflate => {
                use crate::coding::{Deflating, Inflating};
                Inner::Deflate(Box::new((Inflating::new(), Deflating::new())))
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
            Compression::Snappy => Inner::Snappy(Box::new(super::snappy::Snappy::new())),
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
            Inner::Bzip2 => super::bzip2::decode(data, out).map(|()| &**out),
            #[cfg(feature = "xz")]
            Inner::Xz => super::xz::decode(data, out).map(|()| &**out),
        }
    }

    /// Appends the data of a block that holds these datums.
    pub(super) fn close(&mut self, datums: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match &mut self.0 {
            Inner::Null => out.extend_from_slice(datums),
            #[cfg(feature = "gzip")]
            Inner::Deflate(both) => both.1.encode(datums, out)?,
            #[cfg(feature = "zstd")]
            Inner::Zstandard(both) => both.1.encode(datums, out)?,
            #[cfg(feature = "snappy")]
            Inner::Snappy(snappy) => snappy.encode(datums, out)?,
            #[cfg(feature = "bzip2")]
            Inner::Bzip2 => super::bzip2::encode(datums, out)?,
            #[cfg(feature = "xz")]
            Inner::Xz => super::xz::encode(datums, out)?,
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
pub(super) fn read_within(
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
