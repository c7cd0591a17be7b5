//! `--reverse`: reads the output of `--uncut` or `--json`, and writes the original bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use manywire_tools::payload::text::Annotated;

use super::resolve::ExplainError;
use crate::exit::{Exit, failed, usage};

/// Reads the annotated text and writes the bytes.
pub(super) fn write(words: &[PathBuf], writer: &mut dyn Write) -> Result<Exit, ExplainError> {
    let [path] = words else {
        return Err(usage("--reverse reads one file, or - for standard input").into());
    };
    let name = path.display().to_string();
    let reader: Box<dyn BufRead> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => {
            let file = File::open(path).map_err(|error| failed(format!("{name}: {error}")))?;
            Box::new(BufReader::new(file))
        }
    };
    write_bytes(&name, reader, writer)
}

/// Writes the bytes of every row.
fn write_bytes(
    name: &str,
    reader: Box<dyn BufRead + '_>,
    writer: &mut dyn Write,
) -> Result<Exit, ExplainError> {
    let mut annotated = Annotated::default();
    for (number, line) in reader.lines().enumerate() {
        let line = line.map_err(|error| failed(format!("{name}: {error}")))?;
        let bytes = annotated.line(&line).map_err(|error| {
            let number = number + 1;
            failed(format!("{name}, line {number}: {error}"))
        })?;
        writer.write_all(&bytes)?;
    }
    match annotated.rows() {
        0 => {
            let message = format!("{name}: no rows that `explain --uncut` or `--json` printed");
            Err(failed(message).into())
        }
        _ => Ok(Exit::Done),
    }
}

#[cfg(test)]
mod tests {
    //! Round trips: for any bytes in any form, the rows reverse to the same bytes.
    use std::path::{Path, PathBuf};

    use manywire_format::{FORMATS, Form};
    use manywire_inspect::{Options, walk_from};
    use manywire_tools::walk;
    use serde_json::Value as Json;

    use super::super::{json_lines, table::Table};
    use super::*;

    /// Collects all byte strings in a folder: its files, and the hex strings in its JSON.
    fn samples(folder: &Path, samples: &mut Vec<Vec<u8>>) {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self::samples(&path, samples);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a file");
            for line in bytes.split(|byte| *byte == b'\n') {
                if let Ok(json) = serde_json::from_slice(line) {
                    collect_hex(&json, samples);
                }
            }
            if let Ok(json) = serde_json::from_slice(&bytes) {
                collect_hex(&json, samples);
            }
            // Longer files are collections of cases, which were collected above.
            if bytes.len() <= 300_000 {
                samples.push(bytes);
            }
        }
    }

    fn collect_hex(json: &Json, samples: &mut Vec<Vec<u8>>) {
        match json {
            Json::String(text) => {
                let digits: Vec<u8> = text.bytes().filter(|byte| !b" -".contains(byte)).collect();
                let digits = std::str::from_utf8(&digits).expect("text, less what is ASCII");
                samples.extend(manywire_tools::payload::text::hex(digits));
            }
            Json::Array(items) => items.iter().for_each(|item| collect_hex(item, samples)),
            Json::Object(members) => members.values().for_each(|value| collect_hex(value, samples)),
            _ => {}
        }
    }

    /// Explains bytes in a form, as a table or as JSON Lines.
    fn explained(bytes: &[u8], form: Form, json: bool, color: bool) -> Vec<u8> {
        let mut text = Vec::new();
        let mut table = Table::new(Some(bytes.len()), color, true);
        let options = Options { read_avro: Some(walk::read_avro), ..Options::DEFAULT };
        walk_from(&mut &bytes[..], form, options, &mut |event| {
            let written = match json {
                true => json_lines::write(&event, None, &mut text),
                false => table.add(&event, None, &mut text),
            };
            written.expect("memory");
        })
        .expect("memory");
        if !json {
            table.flush(&mut text).expect("memory");
        }
        text
    }

    fn reversed(text: &[u8]) -> Result<Vec<u8>, String> {
        let mut found = Vec::new();
        match write_bytes("text", Box::new(text), &mut found) {
            Ok(_) => Ok(found),
            Err(ExplainError::Command(_, message)) => Err(message),
            Err(ExplainError::OutputClosed) => Err(String::from("closed")),
        }
    }

    fn check_round_trip(bytes: &[u8], json: bool, color: bool) {
        for form in FORMATS.iter().flat_map(|row| Form::all_of(row.format)) {
            if bytes.is_empty() {
                continue;
            }
            let text = explained(bytes, form, json, color);
            let found = reversed(&text);
            assert!(found.as_deref() == Ok(bytes), "{form}: {}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn reverses_every_vector() {
        let mut found = Vec::new();
        samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors"), &mut found);
        assert!(found.len() > 500, "{}", found.len());
        for (index, bytes) in found.iter().enumerate() {
            check_round_trip(bytes, index % 2 == 0, index % 3 == 0);
        }
    }

    #[test]
    fn reverses_every_suite_file() {
        let Some(root) = std::env::var_os("MANYWIRE_SUITES").map(PathBuf::from) else {
            println!("skipped: no suites");
            return;
        };
        let mut found = Vec::new();
        for suite in ["avro", "bson", "cbor", "json", "msgpack", "protobuf"] {
            samples(&root.join(suite), &mut found);
        }
        assert!(found.len() > 2_500, "{}", found.len());
        for (index, bytes) in found.iter().enumerate() {
            check_round_trip(bytes, index % 2 == 0, false);
        }
    }

    #[test]
    fn reverses_random_bytes() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..300 {
            let length = random() % 80;
            let bytes: Vec<u8> = (0..length).map(|_| (random() >> 24) as u8).collect();
            check_round_trip(&bytes, round % 2 == 0, round % 3 == 0);
        }
    }
}
