//! Limits on decompressed blocks.

#[cfg(any(feature = "bzip2", feature = "xz"))]
use std::fmt::Display;
#[cfg(any(feature = "bzip2", feature = "xz"))]
use std::io::Read;

use crate::coding::DecodeLimits;
#[cfg(any(feature = "bzip2", feature = "xz"))]
use crate::core::error::{Category, Error, Result};

/// The limits on a decompressed block: any size up to 4 MiB, and above that at most 200 times the
/// bytes that were read of the block so far, so that a small file cannot fill the memory. Writers
/// end a block after some ten thousand bytes.
pub(super) const LIMITS: DecodeLimits =
    DecodeLimits::UNLIMITED.with_ratio(200, 4 << 20).with_ratio_of_prefixes();

/// The number of bytes decompressed at a time.
#[cfg(any(feature = "bzip2", feature = "xz"))]
const PIECE_BYTES: usize = 16 << 10;

/// Appends everything that `reader` decompresses, within the limits of a block.
///
/// # Errors
/// Fails if `reader` fails, or if a limit is exceeded.
#[cfg(any(feature = "bzip2", feature = "xz"))]
pub(super) fn read_within(
    reader: &mut impl Read,
    data_bytes: usize,
    out: &mut Vec<u8>,
    wrong: impl FnOnce(&dyn Display) -> Error,
) -> Result<()> {
    let allowance = LIMITS.allowance(data_bytes);
    let mut piece = [0; PIECE_BYTES];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => out.extend_from_slice(&piece[..read]),
            Err(error) => return Err(wrong(&error)),
        }
        if out.len() > allowance {
            let message = format_args!(
                "a block of {data_bytes} bytes decompresses to more than the limit of {allowance} \
                 bytes"
            );
            return Err(Error::new(Category::Limit, message));
        }
    }
}
