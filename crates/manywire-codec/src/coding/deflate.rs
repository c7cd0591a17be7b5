//! The compressed data format DEFLATE (RFC 1951), bare or in the zlib format (RFC 1950).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use manywire_format::Coding;

use super::limits::{DecodeLimits, Room};
use super::{corrupt, truncated};
use crate::core::error::{Category, Error, Result};

/// Compresses, again and again with the same tables.
pub(super) struct Deflate(Compress);

impl Deflate {
    /// For `deflate` in the zlib format, for `gzip` bare: its frame is written around it.
    pub(super) fn new(level: u8, coding: Coding) -> Self {
        Deflate(Compress::new(Compression::new(u32::from(level)), coding == Coding::Deflate))
    }

    pub(super) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.0.reset();
        out.reserve(bound(bytes.len()));
        loop {
            let read = usize::try_from(self.0.total_in()).unwrap_or(usize::MAX);
            let rest = bytes.get(read..).unwrap_or_default();
            match self.0.compress_vec(rest, out, FlushCompress::Finish) {
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(_) => out.reserve(bound(rest.len())),
                Err(error) => return Err(Error::new(Category::Unsupported, error)),
            }
        }
    }
}

/// Room that is always enough at once: stored blocks cost five bytes for each 16 KiB at worst,
/// beside the few of the frame.
fn bound(bytes: usize) -> usize {
    bytes + bytes / 1_024 + 64
}

/// Decompresses, again and again with the same window.
pub(super) struct Inflate(Decompress);

impl Inflate {
    pub(super) fn new() -> Self {
        Inflate(Decompress::new(false))
    }

    /// A whole message of the coding `deflate`.
    pub(super) fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>, room: &Room) -> Result<()> {
        let end = self.inflate(bytes, 0, is_zlib(bytes), Coding::Deflate, out, room)?;
        if end < bytes.len() {
            return Err(corrupt(Coding::Deflate, end, "more bytes follow its end"));
        }
        Ok(())
    }

    /// The compressed data that starts at `start`; returns its end.
    pub(super) fn inflate(
        &mut self,
        bytes: &[u8],
        start: usize,
        zlib: bool,
        coding: Coding,
        out: &mut Vec<u8>,
        room: &Room,
    ) -> Result<usize> {
        self.0.reset(zlib);
        let mut at = start;
        loop {
            room.make(out, at - start)?;
            let rest = bytes.get(at..).unwrap_or_default();
            let status = self.0.decompress_vec(rest, out, FlushDecompress::None);
            let read = usize::try_from(self.0.total_in()).unwrap_or(usize::MAX);
            at = start.saturating_add(read).min(bytes.len());
            match status {
                Ok(Status::StreamEnd) => {
                    room.check(out)?;
                    return Ok(at);
                }
                // Stopped for want of room, or else for want of input.
                Ok(_) if out.len() == out.capacity() => {}
                Ok(_) if at == bytes.len() => return Err(truncated(at, coding)),
                Ok(_) => return Err(corrupt(coding, at, "it does not go on")),
                Err(error) => {
                    return Err(corrupt(coding, at, error.message().unwrap_or("invalid")));
                }
            }
        }
    }
}

/// Whether these bytes begin as the zlib format does (RFC 1950, section 2.2). Bare data would
/// have to begin with a stored block whose unused bits are not zero, which nobody writes.
fn is_zlib(bytes: &[u8]) -> bool {
    match bytes {
        [method, flags, ..] => {
            method & 0x0F == 8
                && method >> 4 <= 7
                && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        // Too short for either: as zlib it is told to be cut off.
        _ => true,
    }
}

/// Takes bare data apart, with no frame around it: how Avro compresses its blocks.
pub(crate) struct Inflating(Inflate);

impl Inflating {
    pub(crate) fn new() -> Self {
        Inflating(Inflate::new())
    }

    /// Appends what the data holds, within limits.
    pub(crate) fn decode(
        &mut self,
        bytes: &[u8],
        limits: DecodeLimits,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let room = Room::new(limits, bytes.len(), out);
        let end = self.0.inflate(bytes, 0, false, Coding::Deflate, out, &room)?;
        if end < bytes.len() {
            return Err(corrupt(Coding::Deflate, end, "more bytes follow its end"));
        }
        Ok(())
    }
}

/// Makes bare data.
pub(crate) struct Deflating(Deflate);

impl Deflating {
    pub(crate) fn new() -> Self {
        // Of the two codings it is gzip whose data is bare.
        Deflating(Deflate::new(Coding::Gzip.default_level(), Coding::Gzip))
    }

    pub(crate) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.0.encode(bytes, out)
    }
}
