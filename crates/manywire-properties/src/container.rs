//! Avro container files: the reader and the walker, on whole files and in pieces.

use manywire_codec::avro::container::{Compression, Header};
use manywire_format::{Form, Format, Framing};
use manywire_tools::payload::InputPosition;

use crate::stream::pieces;
use crate::target::{CheckResult, ensure};

/// Longer inputs are cut off, because their blocks would meet different limits of reader and
/// walker.
const BYTES_MAX: usize = 1 << 10;

pub(crate) fn avro(bytes: &[u8]) -> CheckResult {
    let bytes = &bytes[..bytes.len().min(BYTES_MAX)];
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let (read, walk) = pieces(form, bytes, None)?;
    let compression = Header::read(bytes).map(|header| header.compression);
    // Reader and walker know different compression codecs.
    if matches!(compression, Ok(Compression::Zstandard)) {
        return Ok(());
    }
    let Some(failed) = &read.failed else {
        ensure!(
            walk.fault.is_none() && walk.values == read.values.len() as u64,
            "{} values are read; {} are walked, then {:?}",
            read.values.len(),
            walk.values,
            walk.fault
        );
        return Ok(());
    };
    // The walker reads the whole header before it interprets the metadata.
    let header = failed.message.starts_with("avro.");
    let unknown = header || failed.message.contains("compressed with");
    // The limits on zero-length items differ between reader and walker.
    let empty = |text: &str| text.contains("no bytes");
    let walked_empty = walk.events.iter().any(|event| event.contains("zero-length values"));
    if unknown || empty(&failed.message) || walked_empty {
        return Ok(());
    }
    ensure!(walk.fault.is_some(), "reading fails, walking does not: {failed}");
    // The walker continues after a fault in a block, and walks a block before the marker after it.
    // Offsets in unpacked bytes are separate.
    let place = match failed.place {
        InputPosition::Byte(at) if matches!(compression, Ok(Compression::Null)) => at,
        _ => return Ok(()),
    };
    ensure!(
        walk.faults.contains(&place),
        "reading fails at {place}: {failed}; walking at {:?}, {:?}",
        walk.faults,
        walk.fault
    );
    Ok(())
}
