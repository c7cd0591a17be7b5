//! What lanes are given, on disk: a lane's own tests need it without an orchestrator.

use std::fs;
use std::io;
use std::path::Path;

use manywire_format::{FORMATS, Format};

use super::Given;
use crate::weigh::payload::Payload;

/// Writes what lanes are given of some payloads into a folder: `schema.json`, the request;
/// `descriptors`, the frame that follows it; and for each payload `0.document`, as it came, and
/// `0.json`, `0.msgpack` and so on by our own codecs, in the formats that hold all of them.
///
/// # Errors
///
/// A schema that cannot be made, or a file that cannot be written.
pub fn write_documents(folder: &Path, payloads: &[Payload]) -> io::Result<()> {
    let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).collect();
    let given = Given::new(payloads, None, &formats).map_err(io::Error::other)?;
    let (request, descriptors) = &given.schema;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("schema.json"), request.to_string())?;
    fs::write(folder.join("descriptors"), descriptors)?;
    for (index, payload) in payloads.iter().enumerate() {
        fs::write(folder.join(format!("{index}.document")), &payload.bytes)?;
    }
    for format in formats {
        let Ok(encoded) = given.format(format) else { continue };
        for (index, bytes) in encoded.bytes.iter().enumerate() {
            fs::write(folder.join(format!("{index}.{format}")), bytes)?;
        }
    }
    Ok(())
}
