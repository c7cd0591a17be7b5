//! Bytes as text: hex, base64, and the output of `explain`.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD as STANDARD_NO_PAD;
use manywire_codec::json;
use manywire_shape::{Arena, Value};

use crate::payload::LIMITS;

/// The minimum length of text that is read as base64. Shorter text is usually a word.
const BASE64_MIN: usize = 12;

/// Decodes a file that contains nothing but hex or base64. Returns `None` for other files and for
/// text that is too short.
pub fn bytes_of(content: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(content).ok()?.trim();
    if !text.is_ascii() || text.len() < 4 {
        return None;
    }
    let long = text.len() >= BASE64_MIN && text.len().is_multiple_of(4);
    hex(text).or_else(|| base64(text).filter(|_| long))
}

/// Decodes hex. Spaces, dashes, colons, commas and `0x` are ignored.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let separators = [' ', '\t', '\n', '\r', '-', ':', ','];
    let mut bytes = Vec::new();
    for word in text.split(separators) {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        for pair in digits.as_bytes().chunks(2) {
            bytes.push(byte(pair)?);
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Decodes base64 in either alphabet of RFC 4648, with or without padding.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let padded = padding == 0 || (padding < 3 && text.len().is_multiple_of(4));
    if digits.is_empty() || !padded {
        return None;
    }
    STANDARD_NO_PAD.decode(digits.replace('-', "+").replace('_', "/")).ok()
}

/// Reads the original bytes from the output of `explain --uncut` or `explain --json`, line by line.
///
/// Every row has its offset, so missing rows and a wrong order are detected. Shortened bytes are an
/// error.
#[derive(Debug, Default)]
pub struct Annotated {
    written: usize,
    rows: usize,
}

/// The error for a line that does not continue the previous rows.
#[derive(Debug)]
pub enum InvalidRow {
    /// The bytes are shortened.
    Cut,
    /// The text of a byte is not two hexadecimal digits.
    Digits(String),
    /// The line is invalid JSON.
    Json(manywire_codec::Error),
    /// The line of JSON has no offset or no bytes.
    Members,
    /// Rows are missing before the line.
    Missing {
        /// The offset of the line.
        offset: usize,
        /// The number of bytes in the lines before it.
        written: usize,
    },
}

impl fmt::Display for InvalidRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidRow::Cut => f.write_str(
                "the bytes are cut short: print the rows with `explain --uncut`, which leaves none out",
            ),
            InvalidRow::Digits(found) => {
                write!(f, "expected two hexadecimal digits for a byte, found {found:?}")
            }
            InvalidRow::Json(error) => error.fmt(f),
            InvalidRow::Members => {
                f.write_str("expected the members offset and bytes, as --json writes them")
            }
            InvalidRow::Missing { offset, written } => write!(
                f,
                "this row stands at byte {offset}, but {written} bytes come before it: rows are \
                 missing, as --at, --path, --depth and --items leave some out"
            ),
        }
    }
}

impl std::error::Error for InvalidRow {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InvalidRow::Json(error) => Some(error),
            _ => None,
        }
    }
}

/// The bytes in a line.
enum Line {
    /// Bytes at an offset.
    Bytes(usize, Vec<u8>),
    /// No bytes.
    None,
}

impl Annotated {
    /// Returns the bytes in the next line, which is passed without its line feed. A line may have none.
    ///
    /// # Errors
    /// Fails for shortened bytes, for invalid hexadecimal digits, and for missing rows before the
    /// line.
    pub fn line(&mut self, line: &str) -> Result<Vec<u8>, InvalidRow> {
        let plain = without_colors(line);
        let read = if plain.starts_with('{') { json(&plain) } else { row(&plain) };
        let Line::Bytes(offset, bytes) = read? else { return Ok(Vec::new()) };
        let written = self.written;
        if offset != written {
            return Err(InvalidRow::Missing { offset, written });
        }
        self.written += bytes.len();
        self.rows += 1;
        Ok(bytes)
    }

    /// Returns the number of lines with bytes.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// Parses a row of the table: the offset, two spaces, and bytes separated by single spaces.
fn row(line: &str) -> Result<Line, InvalidRow> {
    let line = line.trim_start();
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let (Ok(offset), Some(cells)) = (line[..digits].parse(), line[digits..].strip_prefix("  "))
    else {
        return Ok(Line::None);
    };
    let cell = cells.split("  ").next().unwrap_or_default();
    if cell.contains('…') {
        return Err(InvalidRow::Cut);
    }
    let mut bytes = Vec::new();
    for pair in cell.split_whitespace() {
        bytes.push(row_byte(pair.as_bytes())?);
    }
    // A row without bytes is a fault, or a value that is part of its key.
    Ok(if bytes.is_empty() { Line::None } else { Line::Bytes(offset, bytes) })
}

/// Parses a line of JSON. Lines about decompressed bytes are skipped: other lines have the
/// compressed bytes of the input.
fn json(line: &str) -> Result<Line, InvalidRow> {
    let arena = Arena::new();
    let line = json::read_value(line.as_bytes(), &arena, LIMITS);
    let line = line.map_err(InvalidRow::Json)?;
    let text = |name: &str| match line.get(name) {
        Some(Value::Str(text)) => Some(text),
        _ => None,
    };
    if line.get("inside").is_some() || matches!(text("role"), Some("fault" | "remark")) {
        return Ok(Line::None);
    }
    let offset = match line.get("offset") {
        Some(Value::I64(offset)) => usize::try_from(offset).ok(),
        _ => None,
    };
    let (Some(offset), Some(hex)) = (offset, text("bytes")) else {
        return Err(InvalidRow::Members);
    };
    let bytes: Result<Vec<u8>, InvalidRow> = hex.as_bytes().chunks(2).map(row_byte).collect();
    Ok(Line::Bytes(offset, bytes?))
}

fn row_byte(pair: &[u8]) -> Result<u8, InvalidRow> {
    byte(pair).ok_or_else(|| InvalidRow::Digits(String::from_utf8_lossy(pair).into_owned()))
}

/// Decodes two hexadecimal digits.
fn byte(pair: &[u8]) -> Option<u8> {
    let &[high, low] = pair else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

/// Removes escape sequences for colours.
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
