//! Limits on decompressed blocks.

#[cfg(any(feature = "bzip2", feature = "xz"))]
use std::fmt::Display;
#[cfg(any(feature = "bzip2", feature = "xz"))]
use std::io::Read;

use crate::coding::DecodeLimits;
#[cfg(any(feature = "bzip2", feature = "xz"))]
use crate::coding::OutputBudget;
#[cfg(any(feature = "bzip2", feature = "xz"))]
use crate::core::error::{Error, Result};

/// The limits on a decompressed block: any size up to 4 MiB, and above that at most 200 times the
/// bytes that were read of the block so far, so that a small file cannot fill the memory. Writers
/// end a block after some ten thousand bytes.
pub(super) const LIMITS: DecodeLimits =
    DecodeLimits::UNLIMITED.with_ratio(200, 4 << 20).with_ratio_of_prefixes();

/// The number of bytes decompressed at a time.
#[cfg(any(feature = "bzip2", feature = "xz"))]
const PIECE_BYTES: usize = 16 << 10;

/// Appends everything that `reader` decompresses, within the limits of a block. `unread` returns the
/// number of bytes of the block that `reader` has not read.
///
/// # Errors
/// Fails if `reader` fails, or if a limit is exceeded.
#[cfg(any(feature = "bzip2", feature = "xz"))]
pub(super) fn read_within<R: Read>(
    reader: &mut R,
    unread: impl Fn(&R) -> usize,
    out: &mut Vec<u8>,
    wrong: impl FnOnce(&dyn Display) -> Error,
) -> Result<()> {
    let data_bytes = unread(reader);
    let budget = OutputBudget::new(LIMITS, data_bytes, out);
    loop {
        let room = budget.reserve(out, data_bytes - unread(reader))?;
        let start = out.len();
        out.resize(start + room.min(PIECE_BYTES), 0);
        let read = match reader.read(&mut out[start..]) {
            Ok(read) => read,
            Err(error) => return Err(wrong(&error)),
        };
        out.truncate(start + read);
        if read == 0 {
            return Ok(());
        }
    }
}
