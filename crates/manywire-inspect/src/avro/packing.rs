//! Unpacking blocks.

use std::io::Read;

/// What may unpack to any ratio: zeros pack 1000:1, and so do bombs.
const ANY_RATIO_MAX: usize = 1 << 20;

/// The greatest ratio of what is longer than that.
const RATIO_MAX: usize = 200;

/// How a codec of a container file packs its blocks (Apache Avro 1.12, "Required Codecs" and
/// "Optional Codecs").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// Raw deflate (RFC 1951).
    Deflate,
    /// Snappy's raw format, and behind it the CRC-32 of what it unpacks to, big-endian.
    Snappy,
    /// Zstandard (RFC 8878).
    Zstandard,
}

impl Packing {
    /// The packing of this name in the metadata of a file.
    pub(super) fn of(name: &str) -> Option<Packing> {
        match name {
            "deflate" => Some(Packing::Deflate),
            "snappy" => Some(Packing::Snappy),
            "zstandard" => Some(Packing::Zstandard),
            _ => None,
        }
    }

    /// Unpacks to no more than so many bytes; the error says what was expected instead.
    pub(super) fn unpack(self, packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
        let length_max = packed.len().saturating_mul(RATIO_MAX).max(ANY_RATIO_MAX).min(length_max);
        match self {
            Packing::Deflate => deflate(packed, length_max),
            Packing::Snappy => snappy(packed, length_max),
            Packing::Zstandard => zstandard(packed, length_max),
        }
    }
}

#[cold]
fn too_long(length_max: usize) -> String {
    format!("no more than {length_max} bytes in a block once it is unpacked")
}

fn deflate(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let mut decoder = flate2::bufread::DeflateDecoder::new(packed);
    let read = (&mut decoder).take(length_max as u64 + 1).read_to_end(&mut unpacked);
    match read {
        Ok(_) if unpacked.len() > length_max => Err(too_long(length_max)),
        Ok(_) if decoder.total_in() < packed.len() as u64 => {
            let surplus = packed.len() as u64 - decoder.total_in();
            Err(format!("the end of the deflate data, {surplus} bytes before that of the block"))
        }
        Ok(_) => Ok(unpacked),
        Err(error) => Err(format!("deflate data (RFC 1951): {error}")),
    }
}

/// Unpacked at once, a frame takes no memory for its window, whatever it asks for.
fn zstandard(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    zstd::bulk::decompress(packed, length_max).map_err(|error| {
        format!("Zstandard data (RFC 8878) that unpack to at most {length_max} bytes: {error}")
    })
}

/// Three bytes copy 64 at most, so a claim beyond this ratio is none.
const SNAPPY_RATIO_MAX: usize = 22;

fn snappy(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    let Some((data, sum)) = packed.split_last_chunk::<4>() else {
        return Err(format!("Snappy data and a checksum of 4 bytes, of {} in all", packed.len()));
    };
    let wrong = |error: snap::Error| format!("Snappy data: {error}");
    let claimed = snap::raw::decompress_len(data).map_err(wrong)?;
    if claimed > length_max {
        return Err(too_long(length_max));
    }
    if claimed > data.len().saturating_mul(SNAPPY_RATIO_MAX) {
        return Err(format!("Snappy data that unpack to the {claimed} bytes they claim"));
    }
    let unpacked = snap::raw::Decoder::new().decompress_vec(data).map_err(wrong)?;
    let mut found = flate2::Crc::new();
    found.update(&unpacked);
    let (found, said) = (found.sum(), u32::from_be_bytes(*sum));
    if found == said {
        Ok(unpacked)
    } else {
        Err(format!("the CRC-32 of what is unpacked, {found:08x}, at the end; there is {said:08x}"))
    }
}
