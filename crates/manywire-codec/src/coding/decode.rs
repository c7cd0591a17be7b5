use std::fmt;

use manywire_format::Coding;

use super::limits::{DecodeLimits, Room};
use crate::core::error::Result;

/// Takes one coding off messages, each whole and on its own.
pub struct Decoder {
    coding: Coding,
    limits: DecodeLimits,
    inner: Inner,
}

enum Inner {
    #[cfg(feature = "gzip")]
    Gzip(super::gzip::Decoder),
    #[cfg(feature = "gzip")]
    Deflate(super::deflate::Inflate),
    #[cfg(feature = "zstd")]
    Zstd(super::zstd::Decoder),
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
            Coding::Gzip => Inner::Gzip(super::gzip::Decoder::new()),
            #[cfg(feature = "gzip")]
            Coding::Deflate => Inner::Deflate(super::deflate::Inflate::new()),
            #[cfg(feature = "zstd")]
            Coding::Zstd => Inner::Zstd(super::zstd::Decoder::new(limits.window_bytes)?),
            #[cfg(feature = "br")]
            Coding::Brotli => Inner::Brotli,
            #[allow(unreachable_patterns, reason = "reached when a coding is not compiled in")]
            coding => return Err(super::not_compiled_in(coding)),
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
            Inner::Gzip(decoder) => decoder.decode(bytes, out, &room),
            #[cfg(feature = "gzip")]
            Inner::Deflate(decoder) => decoder.decode(bytes, out, &room),
            #[cfg(feature = "zstd")]
            Inner::Zstd(decoder) => decoder.decode(bytes, out, &room),
            #[cfg(feature = "br")]
            Inner::Brotli => super::brotli::decode(bytes, out, &room),
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
