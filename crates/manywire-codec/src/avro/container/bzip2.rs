//! Blocks compressed by bzip2, each one bzip2 stream (Apache Avro 1.12, "Optional Codecs").
//!
//! The format limits the working memory to 4 MB, for any data.

use std::fmt::Display;
use std::io::Write;

use bzip2::Compression;
use bzip2::bufread::BzDecoder;
use bzip2::write::BzEncoder;

use super::limits::read_within;
use crate::core::error::{Category, Error, Result};

pub(super) fn decode(data: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut decoder = BzDecoder::new(data);
    read_within(&mut decoder, |decoder| decoder.get_ref().len(), out, wrong)?;
    match decoder.into_inner() {
        [] => Ok(()),
        rest => Err(wrong(&format_args!("{} bytes follow its end", rest.len()))),
    }
}

pub(super) fn encode(datums: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut encoder = BzEncoder::new(out, Compression::default());
    let written = encoder.write_all(datums).and_then(|()| encoder.finish());
    written.map(drop).map_err(Error::unsupported)
}

#[cold]
fn wrong(what: &dyn Display) -> Error {
    Error::new(Category::Syntax, format_args!("invalid bzip2 data: {what}"))
}
