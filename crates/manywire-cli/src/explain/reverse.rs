//! `--reverse`: what `--uncut` or `--json` printed, back to its bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use manywire_payload::text::Annotated;

use super::Ended;
use crate::exit::Exit;

/// Reads the annotated text and writes the bytes.
pub(super) fn write(words: &[PathBuf], writer: &mut dyn Write) -> Result<Exit, Ended> {
    let [path] = words else {
        let message = "--reverse reads one file, or - for standard input";
        return Err((Exit::Usage, message.to_owned()).into());
    };
    let name = path.display().to_string();
    let failed = |error: io::Error| Ended::Refused(Exit::Failed, format!("{name}: {error}"));
    let reader: Box<dyn BufRead> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(path).map_err(failed)?)),
    };
    bytes(&name, reader, writer)
}

/// Writes the bytes of every row.
fn bytes(name: &str, reader: Box<dyn BufRead + '_>, writer: &mut dyn Write) -> Result<Exit, Ended> {
    let mut annotated = Annotated::default();
    for (number, line) in reader.lines().enumerate() {
        let line = line.map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
        let bytes = annotated.line(&line).map_err(|error| {
            let number = number + 1;
            Ended::Refused(Exit::Failed, format!("{name}, line {number}: {error}"))
        })?;
        writer.write_all(&bytes)?;
    }
    match annotated.rows() {
        0 => {
            let message = format!("{name}: no rows that `explain --uncut` or `--json` printed");
            Err((Exit::Failed, message).into())
        }
        _ => Ok(Exit::Done),
    }
}

#[cfg(test)]
mod tests;
