use manywire_codec::Result;

use super::{Found, wrong};

/// A varint has at most ten bytes.
const VARINT_BYTES_MAX: usize = 10;

/// The next of the Protocol Buffers messages that stand behind their lengths.
pub(super) fn next(bytes: &[u8]) -> Result<Found> {
    let mut length = 0_u64;
    for (index, byte) in bytes.iter().take(VARINT_BYTES_MAX).enumerate() {
        let bits = u64::from(byte & 0x7F);
        if index == VARINT_BYTES_MAX - 1 && bits > 1 {
            break;
        }
        length |= bits << (7 * index);
        if byte & 0x80 == 0 {
            let start = index + 1;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let end = start.saturating_add(length);
            return Ok(match end <= bytes.len() {
                true => Found::Value { range: start..end, taken: end },
                false => Found::More,
            });
        }
    }
    if bytes.len() < VARINT_BYTES_MAX {
        return Ok(Found::More);
    }
    Err(wrong(0, "expected the length of a message, a varint of at most ten bytes"))
}
