//! Content codings: compression of whole messages and of streams.
//!
//! Create an [`Encoder`] or [`Decoder`] once and use it for many messages: the working memory of
//! gzip, deflate and zstd is reused, and allocating it is most of the cost at the size of an API's
//! messages. Brotli's memory is allocated for each message, because its library offers no way to
//! reset it.
//!
//! [`stream`] encodes and decodes streams of any length.
//!
//! Coded input is untrusted: see [`DecodeLimits`]. Input that ends early or continues after its end
//! is an error. Offsets in errors count coded bytes.

#[cfg(feature = "br")]
mod brotli;
#[cfg(feature = "gzip")]
mod deflate;
mod error;
#[cfg(feature = "gzip")]
mod gzip;
mod limits;
pub mod stream;
#[cfg(feature = "zstd")]
mod zstd;

use std::fmt;

use manywire_format::{Coding, CodingLevel};

use self::error::not_compiled_in;
use crate::core::error::Result;

#[cfg(feature = "gzip")]
pub(crate) use self::deflate::{Deflate, Inflate};
pub use self::limits::DecodeLimits;
pub(crate) use self::limits::OutputBudget;

/// Encodes whole messages in one coding at one level.
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
    /// Creates an encoder for the coding and level.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not
    /// compiled in, or if its library runs out of memory.
    pub fn new(level: CodingLevel) -> Result<Self> {
        let inner = match level.coding() {
            #[cfg(feature = "gzip")]
            Coding::Gzip => EncoderKind::Gzip(self::gzip::Encoder::new(level.level())),
            #[cfg(feature = "gzip")]
            Coding::Deflate => {
                EncoderKind::Deflate(self::deflate::Deflate::new(level.level(), true))
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

    /// Returns the coding and level.
    pub fn level(&self) -> CodingLevel {
        self.level
    }

    /// Appends the coded message to `out`.
    ///
    /// # Errors
    /// Fails if the coding's library runs out of memory. `out` is then unchanged.
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

/// Decodes whole messages of one coding.
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
    /// Creates a decoder for the coding, with these limits.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not
    /// compiled in, or if its library runs out of memory.
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

    /// Returns the coding.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Appends the decoded message to `out`. `deflate` may be in the zlib format, as RFC 9110
    /// requires, or raw, as some clients send it. gzip may have several members, zstd several
    /// frames.
    ///
    /// # Errors
    /// Fails with [`Category::Eof`](crate::Category::Eof) if the message ends early, with
    /// [`Category::Syntax`](crate::Category::Syntax) if it is invalid or continues after its end,
    /// and with [`Category::Limit`](crate::Category::Limit) if it exceeds a limit. `out` is then
    /// unchanged.
    pub fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let budget = OutputBudget::new(self.limits, bytes.len(), out);
        let result = match &mut self.inner {
            #[cfg(feature = "gzip")]
            DecoderKind::Gzip(decoder) => decoder.decode(bytes, out, &budget),
            #[cfg(feature = "gzip")]
            DecoderKind::Deflate(decoder) => decoder.decode(bytes, out, &budget),
            #[cfg(feature = "zstd")]
            DecoderKind::Zstd(decoder) => decoder.decode(bytes, out, &budget),
            #[cfg(feature = "br")]
            DecoderKind::Brotli => self::brotli::decode(bytes, out, &budget),
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
