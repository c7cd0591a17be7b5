//! `--reverse`: what `--uncut` or `--json` printed, back to its bytes.
//!
//! Every row says where it stands, so rows that are missing or in another order are found, and
//! bytes that were cut short are refused rather than left out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use super::Ended;
use crate::exit::Exit;

/// What a line says of the bytes.
enum Line {
    /// Some of them, from an offset on.
    Bytes(usize, Vec<u8>),
    /// Nothing.
    None,
}

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
    let mut written = 0;
    let mut rows = 0;
    for (number, line) in reader.lines().enumerate() {
        let failed = |error: io::Error| (Exit::Failed, format!("{name}: {error}"));
        let line = line.map_err(failed)?;
        let refuse = |message: String| {
            let number = number + 1;
            Ended::Refused(Exit::Failed, format!("{name}, line {number}: {message}"))
        };
        let plain = without_colors(&line);
        let read = if plain.starts_with('{') { json(&plain) } else { row(&plain) };
        let Line::Bytes(offset, bytes) = read.map_err(refuse)? else { continue };
        if offset != written {
            return Err(refuse(format!(
                "this row stands at byte {offset}, but {written} bytes come before it: rows are \
                 missing, as --at, --path, --depth and --items leave some out"
            )));
        }
        writer.write_all(&bytes)?;
        written += bytes.len();
        rows += 1;
    }
    match rows {
        0 => {
            let message = format!("{name}: no rows that `explain --uncut` or `--json` printed");
            Err((Exit::Failed, message).into())
        }
        _ => Ok(Exit::Done),
    }
}

/// A row of the table: the offset, two spaces, bytes with a space between them.
fn row(line: &str) -> Result<Line, String> {
    let line = line.trim_start();
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let (Ok(offset), Some(cells)) = (line[..digits].parse(), line[digits..].strip_prefix("  "))
    else {
        return Ok(Line::None);
    };
    let cell = cells.split("  ").next().unwrap_or_default();
    if cell.contains('…') {
        let advice = "print the rows with `explain --uncut`, which leaves none out";
        return Err(format!("the bytes are cut short: {advice}"));
    }
    let mut bytes = Vec::new();
    for pair in cell.split_whitespace() {
        bytes.push(byte(pair)?);
    }
    // A row without bytes is a fault, or a value that its key says already.
    Ok(if bytes.is_empty() { Line::None } else { Line::Bytes(offset, bytes) })
}

/// A line of JSON. What was unpacked is in the bytes it was packed into.
fn json(line: &str) -> Result<Line, String> {
    let line: serde_json::Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if line.get("inside").is_some() || matches!(line["role"].as_str(), Some("fault" | "remark")) {
        return Ok(Line::None);
    }
    let (Some(offset), Some(hex)) = (line["offset"].as_u64(), line["bytes"].as_str()) else {
        return Err(String::from("expected the members offset and bytes, as --json writes them"));
    };
    let pairs = hex.as_bytes().chunks(2).map(|pair| byte(&String::from_utf8_lossy(pair)));
    Ok(Line::Bytes(usize::try_from(offset).unwrap_or(usize::MAX), pairs.collect::<Result<_, _>>()?))
}

fn byte(pair: &str) -> Result<u8, String> {
    let digits = pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u8::from_str_radix(pair, 16) {
        Ok(byte) if digits => Ok(byte),
        _ => Err(format!("expected two hexadecimal digits for a byte, found {pair:?}")),
    }
}

/// The text without what colours it.
fn without_colors(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find("\x1b[") {
        plain.push_str(&rest[..start]);
        let behind = &rest[start + 2..];
        let end = behind.find('m').map_or(behind.len(), |end| end + 1);
        rest = &behind[end..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests;
