//! Content codings: bytes made smaller for the way, and back.
//!
//! An [`Encoder`] or [`Decoder`] is made once and used for many messages: the working memory of
//! gzip, deflate and zstd is kept, which at the size of an API's messages is most of the cost.
//! brotli's is made anew each time, because its library offers no way to reset it.
//!
//! [`stream`] does the same for streams of any length.
//!
//! What is decoded comes from outside: see [`DecodeLimits`]. Input that ends early, or goes on
//! after its end, is an error. Offsets in errors are those of the coded bytes.

#[cfg(feature = "br")]
mod brotli;
#[cfg(feature = "gzip")]
mod deflate;
#[cfg(feature = "gzip")]
mod gzip;
mod limits;
pub mod stream;
#[cfg(feature = "zstd")]
mod zstd;

use std::fmt;

use manywire_format::{Coding, CodingLevel};

use self::limits::Room;
use crate::core::error::{Category, Error, Result};

#[cfg(feature = "gzip")]
pub(crate) use self::deflate::{Deflating, Inflating};
pub use self::limits::DecodeLimits;

/// The library has no code for this coding: its feature is off.
#[allow(dead_code, reason = "not called when every coding is compiled in")]
#[cold]
#[inline(never)]
fn not_compiled_in(coding: Coding) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("the content coding {coding} was not compiled in"),
    )
}

/// Coded bytes that break the rules of their coding.
#[cold]
#[inline(never)]
fn corrupt(coding: Coding, offset: usize, what: impl std::fmt::Display) -> Error {
    Error::at(Category::Syntax, offset, format_args!("these bytes are not {coding}: {what}"))
}

/// Coded bytes that end before their end.
#[cold]
#[inline(never)]
fn truncated(offset: usize, coding: Coding) -> Error {
    Error::at(Category::Eof, offset, format_args!("the bytes end here, in the middle of {coding}"))
}

/// Applies one coding at one level to messages, each whole and on its own.
pub struct Encoder {
    level: CodingLevel,
    inner: EncoderKind,
}

enum EncoderKind {
    #[cfg(feature = "gzip")]
    Gzip(self::gzip::Encoder),
    #[cfg(feature = "gzip")]
    Deflate(self::deflate::Deflate),
    #[cfg(feature = "zstd")]
    Zstd(self::zstd::Encoder),
    #[cfg(feature = "br")]
    Brotli(self::brotli::Encoder),
}

impl Encoder {
    /// An encoder of this coding at this level.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not compiled in.
    pub fn new(level: CodingLevel) -> Result<Self> {
        let inner = match level.coding() {
            #[cfg(feature = "gzip")]
            Coding::Gzip => EncoderKind::Gzip(self::gzip::Encoder::new(level.level())),
            #[cfg(feature = "gzip")]
            Coding::Deflate => {
                EncoderKind::Deflate(self::deflate::Deflate::new(level.level(), Coding::Deflate))
            }
            #[cfg(feature = "zstd")]
            Coding::Zstd => EncoderKind::Zstd(self::zstd::Encoder::new(level.level())?),
            #[cfg(feature = "br")]
            Coding::Brotli => EncoderKind::Brotli(self::brotli::Encoder::new(level.level())),
            #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
            coding => return Err(not_compiled_in(coding)),
        };
        Ok(Encoder { level, inner })
    }

    /// The coding and level.
    pub fn level(&self) -> CodingLevel {
        self.level
    }

    /// Appends the coded message.
    ///
    /// # Errors
    /// Only when the coding's library fails, for want of memory. `out` is then as it was.
    pub fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let result = match &mut self.inner {
            #[cfg(feature = "gzip")]
            EncoderKind::Gzip(encoder) => encoder.encode(bytes, out),
            #[cfg(feature = "gzip")]
            EncoderKind::Deflate(encoder) => encoder.encode(bytes, out),
            #[cfg(feature = "zstd")]
            EncoderKind::Zstd(encoder) => encoder.encode(bytes, out),
            #[cfg(feature = "br")]
            EncoderKind::Brotli(encoder) => encoder.encode(bytes, out),
        };
        result.inspect_err(|_| out.truncate(start))
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("level", &self.level).finish_non_exhaustive()
    }
}

/// Takes one coding off messages, each whole and on its own.
pub struct Decoder {
    coding: Coding,
    limits: DecodeLimits,
    inner: DecoderKind,
}

enum DecoderKind {
    #[cfg(feature = "gzip")]
    Gzip(self::gzip::Decoder),
    #[cfg(feature = "gzip")]
    Deflate(self::deflate::Inflate),
    #[cfg(feature = "zstd")]
    Zstd(self::zstd::Decoder),
    #[cfg(feature = "br")]
    Brotli,
}

impl Decoder {
    /// A decoder of this coding that keeps to these limits.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not compiled in.
    pub fn new(coding: Coding, limits: DecodeLimits) -> Result<Self> {
        let inner = match coding {
            #[cfg(feature = "gzip")]
            Coding::Gzip => DecoderKind::Gzip(self::gzip::Decoder::new()),
            #[cfg(feature = "gzip")]
            Coding::Deflate => DecoderKind::Deflate(self::deflate::Inflate::new()),
            #[cfg(feature = "zstd")]
            Coding::Zstd => DecoderKind::Zstd(self::zstd::Decoder::new(limits.window_bytes)?),
            #[cfg(feature = "br")]
            Coding::Brotli => DecoderKind::Brotli,
            #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
            coding => return Err(not_compiled_in(coding)),
        };
        Ok(Decoder { coding, limits, inner })
    }

    /// The coding.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Appends the decoded message. `deflate` may be in the zlib format, as RFC 9110 has it, or
    /// bare, as some send it; gzip may have several members, zstd several frames.
    ///
    /// # Errors
    /// [`Category::Eof`](crate::Category::Eof) where the message ends early,
    /// [`Category::Syntax`](crate::Category::Syntax) where it is not of the coding or goes on
    /// after its end, [`Category::Limit`](crate::Category::Limit) where it goes beyond a limit.
    /// `out` is then as it was.
    pub fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let room = Room::new(self.limits, bytes.len(), out);
        let result = match &mut self.inner {
            #[cfg(feature = "gzip")]
            DecoderKind::Gzip(decoder) => decoder.decode(bytes, out, &room),
            #[cfg(feature = "gzip")]
            DecoderKind::Deflate(decoder) => decoder.decode(bytes, out, &room),
            #[cfg(feature = "zstd")]
            DecoderKind::Zstd(decoder) => decoder.decode(bytes, out, &room),
            #[cfg(feature = "br")]
            DecoderKind::Brotli => self::brotli::decode(bytes, out, &room),
        };
        result.inspect_err(|_| out.truncate(start))
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("coding", &self.coding)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
