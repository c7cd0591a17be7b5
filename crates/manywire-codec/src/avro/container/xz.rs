//! Blocks compressed by xz, each one xz stream (Apache Avro 1.12, "Optional Codecs").

use std::fmt::Display;
use std::io::Write;

use lzma_rust2::{XzOptions, XzReader, XzWriter};

use super::limits::read_within;
use crate::core::error::{Category, Error, Result};

/// The maximum memory that data may require for decompression, in KiB: as much as the highest level
/// of xz requires of readers, a dictionary of 64 MiB and its surroundings.
const MEMORY_KIB_MAX: u32 = 66 << 10;

/// The default level of xz.
const LEVEL: u32 = 6;

/// The smallest dictionary, in bytes.
const DICTIONARY_BYTES_MIN: u32 = 4 << 10;

pub(super) fn decode(data: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut decoder = XzReader::new_mem_limit(data, false, MEMORY_KIB_MAX);
    read_within(&mut decoder, |decoder| decoder.inner().len(), out, wrong)?;
    match decoder.into_inner() {
        [] => Ok(()),
        rest => Err(wrong(&format_args!("{} bytes follow its end", rest.len()))),
    }
}

pub(super) fn encode(datums: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut options = XzOptions::with_preset(LEVEL);
    // A dictionary larger than the datums gains nothing, but readers would have to allocate it.
    let needed = u32::try_from(datums.len()).unwrap_or(u32::MAX).max(DICTIONARY_BYTES_MIN);
    let dictionary = &mut options.lzma_options.dict_size;
    *dictionary = needed.min(*dictionary);
    let written = XzWriter::new(out, options).and_then(|mut encoder| {
        encoder.write_all(datums)?;
        encoder.finish()
    });
    written.map(drop).map_err(Error::unsupported)
}

#[cold]
fn wrong(what: &dyn Display) -> Error {
    Error::new(Category::Syntax, format_args!("invalid xz data: {what}"))
}
