//! Content codings on their way in and out.

use manywire_codec::Result;
use manywire_format::Coding;

use crate::server::Limits;

/// The codings that bodies are read in.
pub(crate) fn read() -> impl Iterator<Item = Coding> {
    Coding::ALL.into_iter().filter(|coding| is_compiled_in(*coding))
}

/// Whether the library of a coding is there.
pub(crate) fn is_compiled_in(coding: Coding) -> bool {
    match coding {
        Coding::Gzip | Coding::Deflate => cfg!(feature = "gzip"),
        Coding::Zstd => cfg!(feature = "zstd"),
        Coding::Brotli => cfg!(feature = "br"),
    }
}

#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
mod contexts {
    use std::cell::RefCell;

    use manywire_codec::Result;
    use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
    use manywire_format::{Coding, CodingLevel};

    use crate::server::Limits;

    // The working memory of a coding is most of its cost at the size of an answer, so each thread
    // keeps one of each; what is being used is taken out meanwhile.
    thread_local! {
        static ENCODERS: RefCell<Vec<Encoder>> = const { RefCell::new(Vec::new()) };
        static DECODERS: RefCell<Vec<(DecodeLimits, Decoder)>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn encode(coding: Coding, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let level = CodingLevel::from(coding);
        let kept = ENCODERS.with_borrow_mut(|encoders| {
            let at = encoders.iter().position(|encoder| encoder.level() == level)?;
            Some(encoders.swap_remove(at))
        });
        let mut encoder = match kept {
            Some(encoder) => encoder,
            None => Encoder::new(level)?,
        };
        encoder.encode(bytes, out)?;
        ENCODERS.with_borrow_mut(|encoders| encoders.push(encoder));
        Ok(())
    }

    pub(super) fn decode(coding: Coding, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
        let limits = DecodeLimits::DEFAULT
            .with_bytes(limits.decoded_bytes)
            .with_time(limits.inflate_timeout);
        let kept = DECODERS.with_borrow_mut(|decoders| {
            let is_it = |(known, decoder): &(DecodeLimits, Decoder)| {
                *known == limits && decoder.coding() == coding
            };
            let at = decoders.iter().position(is_it)?;
            Some(decoders.swap_remove(at).1)
        });
        let mut decoder = match kept {
            Some(decoder) => decoder,
            None => Decoder::new(coding, limits)?,
        };
        let mut out = Vec::new();
        // What a broken message leaves behind in the context is not worth keeping.
        decoder.decode(bytes, &mut out)?;
        DECODERS.with_borrow_mut(|decoders| {
            decoders.retain(|(known, kept)| *known == limits && kept.coding() != coding);
            decoders.push((limits, decoder));
        });
        Ok(out)
    }
}

/// Content without one coding, within limits of size and time.
///
/// # Errors
/// Bytes that are not of the coding, and what goes beyond a limit or the usual ratio.
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
pub(crate) fn decode(coding: Coding, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    contexts::decode(coding, bytes, limits)
}

/// Content without one coding: none was compiled in.
#[cfg(not(any(feature = "gzip", feature = "zstd", feature = "br")))]
pub(crate) fn decode(coding: Coding, _bytes: &[u8], _limits: &Limits) -> Result<Vec<u8>> {
    let message = format_args!("the content coding {coding} was not compiled in");
    Err(manywire_codec::Error::new(manywire_codec::Category::Unsupported, message))
}

/// An answer in a coding; nothing if that makes it no smaller.
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
pub(crate) fn encode(coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() / 2);
    contexts::encode(coding, bytes, &mut out)
        .inspect_err(|error| tracing::error!(%error, %coding, "an answer could not be coded"))
        .ok()?;
    Some(out)
}

/// An answer in a coding: none was compiled in.
#[cfg(not(any(feature = "gzip", feature = "zstd", feature = "br")))]
pub(crate) fn encode(_coding: Coding, _bytes: &[u8]) -> Option<Vec<u8>> {
    None
}
