//! The content coding `gzip` (RFC 1952): members of a header, compressed data and a trailer.

use flate2::Crc;
use manywire_format::Coding;

use super::deflate::{Deflate, Inflate};
use super::error::{TRAILING_BYTES, corrupt, truncated};
use super::limits::OutputBudget;
use crate::core::error::Result;

const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// The only compression method of the format.
const DEFLATE: u8 = 8;

// Flags of the header (section 2.3.1).
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0xE0;

/// The size of the header in bytes. Method, flags, time, extra flags and system follow the magic
/// number.
const HEADER_BYTES: usize = 10;

/// The size of the trailer in bytes: a checksum and a length, four bytes each.
const TRAILER_BYTES: usize = 8;

pub(super) struct Encoder {
    deflate: Deflate,
    header: [u8; HEADER_BYTES],
}

impl Encoder {
    pub(super) fn new(level: u8) -> Self {
        // No time and an unknown system, so that equal messages have equal encodings.
        let effort = match level {
            9 => 2,
            1 => 4,
            _ => 0,
        };
        let header = [MAGIC[0], MAGIC[1], DEFLATE, 0, 0, 0, 0, 0, effort, 0xFF];
        Encoder { deflate: Deflate::new(level, false), header }
    }

    pub(super) fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.header);
        self.deflate.encode(bytes, out)?;
        let mut crc = Crc::new();
        crc.update(bytes);
        out.extend_from_slice(&crc.sum().to_le_bytes());
        // The length modulo 2^32 (section 2.3.1).
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        Ok(())
    }
}

pub(super) struct Decoder(Inflate);

impl Decoder {
    pub(super) fn new() -> Self {
        Decoder(Inflate::new())
    }

    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        budget: &OutputBudget,
    ) -> Result<()> {
        let mut at = 0;
        loop {
            let data = header_end(bytes, at)?;
            let start = out.len();
            let end = self.0.inflate(bytes, data, false, Coding::Gzip, out, budget)?;
            at = trailer_end(bytes, end, out.get(start..).unwrap_or_default())?;
            if at == bytes.len() {
                return Ok(());
            }
        }
    }
}

/// Returns the end of the header that starts at `start`.
fn header_end(bytes: &[u8], start: usize) -> Result<usize> {
    let rest = bytes.get(start..).unwrap_or_default();
    if !rest.iter().zip(&MAGIC).all(|(found, expected)| found == expected) {
        let what = if start == 0 { "missing the magic number 1f 8b" } else { TRAILING_BYTES };
        return Err(corrupt(Coding::Gzip, start, what));
    }
    let Some(header) = rest.first_chunk::<HEADER_BYTES>() else {
        return Err(truncated(bytes.len(), Coding::Gzip));
    };
    let [_, _, method, flags, ..] = *header;
    if method != DEFLATE {
        return Err(corrupt(Coding::Gzip, start + 2, "unknown compression method"));
    }
    if flags & RESERVED != 0 {
        return Err(corrupt(Coding::Gzip, start + 3, "reserved flags in the header"));
    }
    let mut at = start + HEADER_BYTES;
    if flags & EXTRA != 0 {
        at += 2 + usize::from(u16::from_le_bytes(array(bytes, at)?));
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let rest = bytes.get(at..).unwrap_or_default();
            match rest.iter().position(|byte| *byte == 0) {
                Some(length) => at += length + 1,
                None => return Err(truncated(bytes.len(), Coding::Gzip)),
            }
        }
    }
    if flags & HEADER_CRC != 0 {
        let stated = u16::from_le_bytes(array(bytes, at)?);
        let mut crc = Crc::new();
        crc.update(bytes.get(start..at).unwrap_or_default());
        if crc.sum() as u16 != stated {
            return Err(corrupt(Coding::Gzip, at, "header checksum mismatch"));
        }
        at += 2;
    }
    Ok(at)
}

/// Returns the end of the trailer that starts at `at`, after checking it against `data`.
fn trailer_end(bytes: &[u8], at: usize, data: &[u8]) -> Result<usize> {
    let [crc, length] = [at, at + 4].map(|at| array(bytes, at).map(u32::from_le_bytes));
    let mut found = Crc::new();
    found.update(data);
    if found.sum() != crc? {
        return Err(corrupt(Coding::Gzip, at, "checksum mismatch"));
    }
    if data.len() as u32 != length? {
        return Err(corrupt(Coding::Gzip, at + 4, "length mismatch in the trailer"));
    }
    Ok(at + TRAILER_BYTES)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.first_chunk().copied().ok_or_else(|| truncated(bytes.len(), Coding::Gzip))
}
