//! Content codings: a decoded message stays within its limits for any bytes.

use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::{Coding, CodingLevel};

use crate::target::{CheckResult, Violation, ensure};

/// Limits so small that a short input meets them.
const BYTES_MAX: usize = 64 << 10;
const FREE_BYTES: usize = 8 << 10;
const RATIO: usize = 20;

pub(crate) fn check(coding: Coding, bytes: &[u8]) -> CheckResult {
    let limits = DecodeLimits::DEFAULT
        .with_bytes(BYTES_MAX)
        .with_ratio(RATIO, FREE_BYTES)
        .with_window_bytes(1 << 20);
    let broken = |error: manywire_codec::Error| Violation(error.to_string());
    let mut decoder = Decoder::new(coding, limits).map_err(broken)?;
    let mut out = b"before".to_vec();
    match decoder.decode(bytes, &mut out) {
        Ok(()) => {}
        Err(error) => {
            ensure!(out == b"before", "{} bytes of output after an error: {error}", out.len());
            let offset = error.offset();
            ensure!(offset.is_none_or(|at| at <= bytes.len()), "an offset beyond the end: {error}");
            // A decoder must work after a failure.
            return round_trip(coding, &mut decoder, bytes);
        }
    }
    let decoded = &out[b"before".len()..];
    let allowance = BYTES_MAX.min(FREE_BYTES + RATIO * bytes.len());
    ensure!(decoded.len() <= allowance, "{} bytes, {allowance} allowed", decoded.len());
    ensure!(out.capacity() <= 4 * BYTES_MAX, "a capacity of {} bytes", out.capacity());
    let decoded = decoded[..decoded.len().min(FREE_BYTES)].to_vec();
    round_trip(coding, &mut decoder, &decoded)
}

/// Checks that encoded bytes decode to the original.
fn round_trip(coding: Coding, decoder: &mut Decoder, plain: &[u8]) -> CheckResult {
    let plain = &plain[..plain.len().min(512)];
    let broken = |error: manywire_codec::Error| Violation(format!("{plain:02x?}: {error}"));
    let (mut coded, mut back) = (Vec::new(), Vec::new());
    let level = CodingLevel::new(coding, 1).unwrap_or(coding.into());
    let mut encoder = Encoder::new(level).map_err(broken)?;
    encoder.encode(plain, &mut coded).map_err(broken)?;
    decoder.decode(&coded, &mut back).map_err(broken)?;
    ensure!(back == plain, "{plain:02x?} was read back as {back:02x?}");
    Ok(())
}
