use std::fmt;

use manywire_format::{Coding, CodingLevel};

use crate::core::error::Result;

/// Applies one coding at one level to messages, each whole and on its own.
pub struct Encoder {
    level: CodingLevel,
    inner: Inner,
}

enum Inner {
    #[cfg(feature = "gzip")]
    Gzip(super::gzip::Encoder),
    #[cfg(feature = "gzip")]
    Deflate(super::deflate::Deflate),
    #[cfg(feature = "zstd")]
    Zstd(super::zstd::Encoder),
    #[cfg(feature = "br")]
    Brotli(super::brotli::Encoder),
}

impl Encoder {
    /// An encoder of this coding at this level.
    ///
    /// # Errors
    /// [`Category::Unsupported`](crate::Category::Unsupported) if the coding was not compiled in.
    pub fn new(level: CodingLevel) -> Result<Self> {
        let inner = match level.coding() {
            #[cfg(feature = "gzip")]
            Coding::Gzip => Inner::Gzip(super::gzip::Encoder::new(level.level())),
            #[cfg(feature = "gzip")]
            Coding::Deflate => {
                Inner::Deflate(super::deflate::Deflate::new(level.level(), Coding::Deflate))
            }
            #[cfg(feature = "zstd")]
            Coding::Zstd => Inner::Zstd(super::zstd::Encoder::new(level.level())?),
            #[cfg(feature = "br")]
            Coding::Brotli => Inner::Brotli(super::brotli::Encoder::new(level.level())),
            #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
            coding => return Err(super::not_compiled_in(coding)),
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
            Inner::Gzip(encoder) => encoder.encode(bytes, out),
            #[cfg(feature = "gzip")]
            Inner::Deflate(encoder) => encoder.encode(bytes, out),
            #[cfg(feature = "zstd")]
            Inner::Zstd(encoder) => encoder.encode(bytes, out),
            #[cfg(feature = "br")]
            Inner::Brotli(encoder) => encoder.encode(bytes, out),
        };
        result.inspect_err(|_| out.truncate(start))
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("level", &self.level).finish_non_exhaustive()
    }
}
