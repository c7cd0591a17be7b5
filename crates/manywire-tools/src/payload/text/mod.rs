//! Bytes that are written as text: hex, base64, and the rows of an annotation.

mod annotated;

pub use annotated::{Annotated, InvalidRow};

/// How long text must be that is taken for base64: words are not.
const BASE64_MIN: usize = 12;

/// Bytes from hex or base64, if text in a file is nothing else.
pub fn bytes_of(content: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(content).ok()?.trim();
    if !text.is_ascii() || text.len() < 4 {
        return None;
    }
    let long = text.len() >= BASE64_MIN && text.len().is_multiple_of(4);
    hex(text).or_else(|| base64(text).filter(|_| long))
}

/// Bytes from hex; spaces, dashes, colons, commas and `0x` are free.
pub fn hex(text: &str) -> Option<Vec<u8>> {
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
pub fn base64(text: &str) -> Option<Vec<u8>> {
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
