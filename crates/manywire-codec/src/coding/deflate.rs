//! The content coding `deflate`: the compressed data format DEFLATE (RFC 1951), raw or in the zlib
//! format (RFC 1950).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use manywire_format::Coding;

use super::error::{TRAILING_BYTES, corrupt, truncated};
use super::limits::{DecodeLimits, OutputBudget};
use crate::core::error::{Error, Result};

/// Compresses messages and reuses its tables.
pub(crate) struct Deflate(Compress);

impl Deflate {
    /// Creates a compressor to the zlib format, or to raw data.
    pub(crate) fn new(level: u8, zlib: bool) -> Self {
        Deflate(Compress::new(Compression::new(u32::from(level)), zlib))
    }

    pub(crate) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.0.reset();
        out.reserve(bound(bytes.len()));
        loop {
            let read = usize::try_from(self.0.total_in()).unwrap_or(usize::MAX);
            let rest = bytes.get(read..).unwrap_or_default();
            match self.0.compress_vec(rest, out, FlushCompress::Finish) {
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(_) => out.reserve(bound(rest.len())),
                Err(error) => return Err(Error::unsupported(error)),
            }
        }
    }
}

/// An upper bound of the compressed size: stored blocks cost at most five bytes for each 16 KiB,
/// and the frame a few more.
fn bound(bytes: usize) -> usize {
    bytes + bytes / 1_024 + 64
}

/// Decompresses messages and reuses its window.
pub(crate) struct Inflate(Decompress);

impl Inflate {
    pub(crate) fn new() -> Self {
        Inflate(Decompress::new(false))
    }

    /// Decodes a whole message of the coding `deflate`.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        budget: &OutputBudget,
    ) -> Result<()> {
        self.decode_whole(bytes, is_zlib(bytes), out, budget)
    }

    /// Appends the decompressed form of raw data, within limits.
    pub(crate) fn decode_raw(
        &mut self,
        bytes: &[u8],
        limits: DecodeLimits,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let budget = OutputBudget::new(limits, bytes.len(), out);
        self.decode_whole(bytes, false, out, &budget)
    }

    fn decode_whole(
        &mut self,
        bytes: &[u8],
        zlib: bool,
        out: &mut Vec<u8>,
        budget: &OutputBudget,
    ) -> Result<()> {
        let end = self.inflate(bytes, 0, zlib, Coding::Deflate, out, budget)?;
        if end < bytes.len() {
            return Err(corrupt(Coding::Deflate, end, TRAILING_BYTES));
        }
        Ok(())
    }

    /// Decompresses the data that starts at `start` and returns its end.
    pub(super) fn inflate(
        &mut self,
        bytes: &[u8],
        start: usize,
        zlib: bool,
        coding: Coding,
        out: &mut Vec<u8>,
        budget: &OutputBudget,
    ) -> Result<usize> {
        self.0.reset(zlib);
        let mut at = start;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let (status, is_full) = budget.decode_step(out, at - start, |out| {
                self.0.decompress_vec(rest, out, FlushDecompress::None)
            })?;
            let read = usize::try_from(self.0.total_in()).unwrap_or(usize::MAX);
            at = start.saturating_add(read).min(bytes.len());
            match status {
                Ok(Status::StreamEnd) => {
                    budget.check(out)?;
                    return Ok(at);
                }
                // The library stops when the output is full, otherwise when it lacks input.
                Ok(_) if is_full => {}
                Ok(_) if at == bytes.len() => return Err(truncated(at, coding)),
                Ok(_) => return Err(corrupt(coding, at, "the stream does not advance")),
                Err(error) => {
                    return Err(corrupt(coding, at, error.message().unwrap_or("invalid")));
                }
            }
        }
    }
}

/// Checks whether the bytes begin like the zlib format (RFC 1950, section 2.2). Raw data would have
/// to begin with a stored block whose unused bits are not zero, which no encoder writes.
fn is_zlib(bytes: &[u8]) -> bool {
    match bytes {
        [method, flags, ..] => {
            method & 0x0F == 8
                && method >> 4 <= 7
                && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        // Fewer than two bytes are too short for either format. The zlib decoder reports them as
        // truncated.
        _ => true,
    }
}
