//! Writes documents in the layout for the tests of lanes: `lane_documents FOLDER FILE…`. A file
//! `events.ndjson` becomes the folder `events`, with its schemas and each line in every format.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::slice;

use manywire_tools::payload::{self, reader::Reader};
use manywire_tools::weigh::lanes;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("usage: lane_documents FOLDER FILE…")?;
    for file in arguments {
        let name = file.file_stem().ok_or("a file without a name")?;
        let mut reader = Reader::default();
        let found = payload::find(slice::from_ref(&file), None, |_| true);
        let payloads = reader.read_all(&found.into_iter().collect::<Result<Vec<_>, _>>()?);
        if let Some(error) = reader.errors.first() {
            return Err(error.to_string().into());
        }
        lanes::write_documents(&folder.join(Path::new(name)), &payloads)?;
    }
    Ok(())
}
