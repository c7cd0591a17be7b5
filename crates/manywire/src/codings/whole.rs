//! Messages that are there whole.

use std::cell::RefCell;
use std::io::{BufRead, Read};

use manywire_codec::Result;
use manywire_codec::coding::stream::reader_within;
use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::{Coding, CodingLevel};

use crate::server::Limits;

// The working memory of a coding is most of its cost at the size of an answer, so each thread
// keeps one of each; what is being used is taken out meanwhile.
thread_local! {
    static ENCODERS: RefCell<Vec<Encoder>> = const { RefCell::new(Vec::new()) };
    static DECODERS: RefCell<Vec<(DecodeLimits, Decoder)>> = const { RefCell::new(Vec::new()) };
}

fn code(coding: Coding, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
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

/// Content without one coding, within limits of size and time.
///
/// # Errors
/// Bytes that are not of the coding, and what goes beyond a limit or the usual ratio.
pub(crate) fn decode(coding: Coding, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let limits =
        DecodeLimits::DEFAULT.with_bytes(limits.decoded_bytes).with_time(limits.inflate_timeout);
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

/// An answer in a coding; nothing if that makes it no smaller.
pub(crate) fn encode(coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() / 2);
    code(coding, bytes, &mut out)
        .inspect_err(|error| tracing::error!(%error, %coding, "an answer could not be coded"))
        .ok()?;
    Some(out)
}

/// How many decoded bytes one coded byte may stand for, beyond how many bytes.
pub(super) const RATIO: (usize, usize) =
    (DecodeLimits::DEFAULT.ratio, DecodeLimits::DEFAULT.ratio_free_bytes);

/// A stream without one coding.
///
/// # Errors
/// A coding that was not compiled in.
pub(super) fn reader(
    coding: Coding,
    input: impl BufRead + Send + 'static,
) -> Result<Box<dyn Read + Send>> {
    reader_within(DecodeLimits::DEFAULT.window_bytes, coding, input)
}
