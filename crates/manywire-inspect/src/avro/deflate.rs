//! Unpacking blocks.

use std::io::Read;

/// What may unpack to any ratio: zeros pack 1000:1, and so do bombs.
const ANY_RATIO_MAX: usize = 1 << 20;

/// The greatest ratio of what is longer than that.
const RATIO_MAX: usize = 200;

/// Unpacks raw deflate (RFC 1951) of no more than `length_max` bytes; the error says what was
/// expected instead.
pub(super) fn unpack(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    let length_max = packed.len().saturating_mul(RATIO_MAX).max(ANY_RATIO_MAX).min(length_max);
    let mut unpacked = Vec::new();
    let mut decoder = flate2::bufread::DeflateDecoder::new(packed);
    let read = (&mut decoder).take(length_max as u64 + 1).read_to_end(&mut unpacked);
    match read {
        Ok(_) if unpacked.len() > length_max => {
            Err(format!("no more than {length_max} bytes in a block once it is unpacked"))
        }
        Ok(_) if decoder.total_in() < packed.len() as u64 => {
            let surplus = packed.len() as u64 - decoder.total_in();
            Err(format!("the end of the deflate data, {surplus} bytes before that of the block"))
        }
        Ok(_) => Ok(unpacked),
        Err(error) => Err(format!("deflate data (RFC 1951): {error}")),
    }
}
