//! Decompression of the blocks of Avro container files.

use std::io::Read;

use lzma_rust2::XzReader;

/// The maximum length, in bytes, to which a block may unpack at any ratio: zeros pack 1000:1, and
/// so do compression bombs.
const ANY_RATIO_MAX: usize = 1 << 20;

/// The maximum ratio for blocks that unpack to more than [`ANY_RATIO_MAX`].
const RATIO_MAX: usize = 200;

/// The compression codecs of container files (Apache Avro 1.12, "Required Codecs" and "Optional
/// Codecs").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    /// Raw deflate (RFC 1951).
    Deflate,
    /// Snappy's raw format, followed by the big-endian CRC-32 of the unpacked bytes.
    Snappy,
    /// Zstandard (RFC 8878).
    Zstandard,
    /// bzip2.
    Bzip2,
    /// xz, the container of LZMA2.
    Xz,
}

impl Compression {
    /// Returns the codec with this name in the metadata of a file.
    pub(super) fn from_name(name: &str) -> Option<Compression> {
        match name {
            "deflate" => Some(Compression::Deflate),
            "snappy" => Some(Compression::Snappy),
            "zstandard" => Some(Compression::Zstandard),
            "bzip2" => Some(Compression::Bzip2),
            "xz" => Some(Compression::Xz),
            _ => None,
        }
    }

    /// Unpacks to at most `length_max` bytes, and beyond [`ANY_RATIO_MAX`] to at most [`RATIO_MAX`]
    /// times the packed length. The error is a phrase to follow "expected".
    pub(super) fn unpack(self, packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
        let length_max = packed.len().saturating_mul(RATIO_MAX).max(ANY_RATIO_MAX).min(length_max);
        match self {
            Compression::Deflate => deflate(packed, length_max),
            Compression::Snappy => snappy(packed, length_max),
            Compression::Zstandard => zstandard(packed, length_max),
            Compression::Bzip2 => {
                let mut decoder = bzip2::bufread::BzDecoder::new(packed);
                let unpacked = stream(&mut decoder, "bzip2 data", length_max)?;
                nothing_left(decoder.into_inner(), "bzip2 data", unpacked)
            }
            Compression::Xz => {
                let mut decoder = XzReader::new_mem_limit(packed, false, XZ_MEMORY_KIB_MAX);
                let unpacked = stream(&mut decoder, "xz data", length_max)?;
                nothing_left(decoder.into_inner(), "xz data", unpacked)
            }
        }
    }
}

#[cold]
fn too_long(length_max: usize) -> String {
    format!("no more than {length_max} bytes in a block once it is unpacked")
}

/// The maximum memory of an xz stream, which the decoder requests before it unpacks anything. The
/// highest level needs 65 MiB.
const XZ_MEMORY_KIB_MAX: u32 = 66 * 1_024;

/// Reads all bytes of a decoder.
fn stream(decoder: &mut impl Read, name: &str, length_max: usize) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    match decoder.take(length_max as u64 + 1).read_to_end(&mut unpacked) {
        Ok(_) if unpacked.len() > length_max => Err(too_long(length_max)),
        Ok(_) => Ok(unpacked),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

fn nothing_left(rest: &[u8], name: &str, unpacked: Vec<u8>) -> Result<Vec<u8>, String> {
    match rest.len() {
        0 => Ok(unpacked),
        surplus => Err(format!(
            "the end of the {name} at the end of the block, not {surplus} bytes before it"
        )),
    }
}

fn deflate(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    let mut decoder = flate2::bufread::DeflateDecoder::new(packed);
    let unpacked = stream(&mut decoder, "deflate data (RFC 1951)", length_max)?;
    nothing_left(decoder.into_inner(), "deflate data", unpacked)
}

/// Unpacks a frame at once, which needs no memory for the window that the frame requests.
fn zstandard(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    zstd::bulk::decompress(packed, length_max).map_err(|error| {
        format!("Zstandard data (RFC 8878) that unpack to at most {length_max} bytes: {error}")
    })
}

/// The maximum ratio of Snappy: three bytes copy at most 64.
const SNAPPY_RATIO_MAX: usize = 22;

fn snappy(packed: &[u8], length_max: usize) -> Result<Vec<u8>, String> {
    let Some((data, sum)) = packed.split_last_chunk::<4>() else {
        return Err(format!("Snappy data and a CRC-32 of 4 bytes, found {} bytes", packed.len()));
    };
    let wrong = |error: snap::Error| format!("Snappy data: {error}");
    let claimed = snap::raw::decompress_len(data).map_err(wrong)?;
    if claimed > length_max {
        return Err(too_long(length_max));
    }
    if claimed > data.len().saturating_mul(SNAPPY_RATIO_MAX) {
        return Err(format!(
            "Snappy data that decompress to their stated length of {claimed} bytes"
        ));
    }
    let unpacked = snap::raw::Decoder::new().decompress_vec(data).map_err(wrong)?;
    let mut checksum = flate2::Crc::new();
    checksum.update(&unpacked);
    let (computed, stated) = (checksum.sum(), u32::from_be_bytes(*sum));
    if computed == stated {
        Ok(unpacked)
    } else {
        Err(format!(
            "the CRC-32 of the unpacked data, {computed:08x}, at the end, not {stated:08x}"
        ))
    }
}
