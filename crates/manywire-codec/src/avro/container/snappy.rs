//! Blocks compressed by Snappy: its raw format, then the CRC-32 of the datums, big-endian (Apache
//! Avro 1.12, "Optional Codecs").

use crate::core::error::{Category, Error, Result};

/// Compresses and decompresses with the same working memory.
pub(super) struct Snappy {
    decoder: snap::raw::Decoder,
    encoder: snap::raw::Encoder,
}

/// The highest possible ratio: three bytes copy at most 64, so data that state a greater length are
/// invalid.
const RATIO_MAX: usize = 22;

/// The largest length that Snappy represents, and so the largest block.
const BLOCK_MAX: usize = u32::MAX as usize;

impl Snappy {
    pub(super) fn new() -> Self {
        Snappy { decoder: snap::raw::Decoder::new(), encoder: snap::raw::Encoder::new() }
    }

    pub(super) fn decode(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let Some((data, sum)) = data.split_last_chunk::<4>() else {
            return Err(syntax("a block of Snappy data is too short for its CRC-32 of 4 bytes"));
        };
        let wrong = |error: snap::Error| syntax(&format!("invalid Snappy data: {error}"));
        let claimed = snap::raw::decompress_len(data).map_err(wrong)?;
        if claimed > data.len().saturating_mul(RATIO_MAX) {
            return Err(syntax(&format!(
                "invalid Snappy data: {} bytes cannot decompress to the stated {claimed} bytes",
                data.len()
            )));
        }
        out.resize(claimed, 0);
        self.decoder.decompress(data, out).map_err(wrong)?;
        if crc32(out) == u32::from_be_bytes(*sum) {
            Ok(())
        } else {
            Err(syntax("CRC-32 mismatch: the block is damaged"))
        }
    }

    pub(super) fn encode(&mut self, datums: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let too_long = || {
            let message = format_args!("{} bytes are too much for Snappy", datums.len());
            Error::unsupported(message)
        };
        if datums.len() > BLOCK_MAX {
            return Err(too_long());
        }
        let start = out.len();
        out.resize(start + snap::raw::max_compress_len(datums.len()), 0);
        let packed = self.encoder.compress(datums, &mut out[start..]).map_err(|_| too_long())?;
        out.truncate(start + packed);
        out.extend_from_slice(&crc32(datums).to_be_bytes());
        Ok(())
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[cold]
fn syntax(message: &str) -> Error {
    Error::new(Category::Syntax, message)
}
