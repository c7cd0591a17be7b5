use std::io::Read;
use std::path::PathBuf;

use manywire_format::Format;

use crate::exit::Exit;

/// Bytes to explain, and the format that their file's extension says.
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Option<Format>,
}

/// Reads a file if there is one of that name; otherwise the words are the bytes.
pub(crate) fn read(words: &[PathBuf]) -> Result<Input, (Exit, String)> {
    if let [path] = words {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            let failed = |error| (Exit::Failed, format!("standard input: {error}"));
            return read.map(|_| Input { bytes, format: None }).map_err(failed);
        }
        if path.exists() {
            let failed = |error| (Exit::Failed, format!("{}: {error}", path.display()));
            let bytes = std::fs::read(path).map_err(failed)?;
            let extension = path.extension().and_then(|extension| extension.to_str());
            return Ok(Input { bytes, format: extension.and_then(Format::from_extension) });
        }
    }
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let text = words.join(" ");
    match hex(&text).or_else(|| base64(&text)) {
        Some(bytes) => Ok(Input { bytes, format: None }),
        None => Err((
            Exit::Usage,
            format!("{text}: there is no such file, and it is neither hex nor base64"),
        )),
    }
}

/// Bytes from hex; spaces, dashes, colons, commas and `0x` are free.
fn hex(text: &str) -> Option<Vec<u8>> {
    let separators = [' ', '\t', '\n', '\r', '-', ':', ','];
    let mut bytes = Vec::new();
    for word in text.split(separators) {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        if digits.len() % 2 == 1 {
            return None;
        }
        for pair in digits.as_bytes().chunks(2) {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            bytes.push((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Bytes from base64 in either alphabet of RFC 4648, with or without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let padded = padding == 0 || (padding < 3 && text.len().is_multiple_of(4));
    if digits.is_empty() || digits.len() % 4 == 1 || !padded {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for byte in digits.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    // Bits left over belong to no byte.
    (bits == 0).then_some(bytes)
}
