//! gzip at level 6, the usual default.

use std::cell::RefCell;

use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::Coding;

use crate::error::Result;

/// The limits for decoding. Payloads are the user's own, so only memory limits them.
const LIMITS: DecodeLimits =
    DecodeLimits::DEFAULT.with_bytes(usize::MAX / 2).with_ratio(usize::MAX / 2, usize::MAX / 2);

thread_local! {
    /// A reused compressor, as in the `manywire` server: creating one costs more than compressing.
    static ENCODER: RefCell<Option<Encoder>> = const { RefCell::new(None) };
    static DECODER: RefCell<Option<Decoder>> = const { RefCell::new(None) };
}

/// Compresses.
pub(crate) fn deflate(plain: &[u8]) -> Result<Vec<u8>> {
    ENCODER.with_borrow_mut(|kept| {
        let encoder = match kept {
            Some(encoder) => encoder,
            None => kept.insert(Encoder::new("gzip:6".parse()?)?),
        };
        let mut packed = Vec::new();
        encoder.encode(plain, &mut packed)?;
        Ok(packed)
    })
}

/// Decompresses.
pub(crate) fn inflate(packed: &[u8]) -> Result<Vec<u8>> {
    DECODER.with_borrow_mut(|kept| {
        let decoder = match kept {
            Some(decoder) => decoder,
            None => kept.insert(Decoder::new(Coding::Gzip, LIMITS)?),
        };
        let mut plain = Vec::new();
        decoder.decode(packed, &mut plain)?;
        Ok(plain)
    })
}
