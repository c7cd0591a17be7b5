//! Percent-encoding (RFC 3986), and the normal form of paths.

use std::borrow::Cow;

/// Decodes percent-encoded text (RFC 3986, section 2.1). In a form, `+` is a space.
///
/// # Errors
/// Fails if a percent sign is not followed by two hexadecimal digits, or if the decoded bytes are
/// not UTF-8.
pub(crate) fn decode(text: &str, is_form: bool) -> Result<Cow<'_, str>, InvalidPercentEncoding> {
    let special = |byte: u8| byte == b'%' || is_form && byte == b'+';
    let Some(first) = text.bytes().position(special) else { return Ok(Cow::Borrowed(text)) };
    let mut decoded = Vec::with_capacity(text.len());
    let (plain, rest) = text.as_bytes().split_at(first);
    decoded.extend_from_slice(plain);
    let mut bytes = rest.iter().copied();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => encoded_byte(&mut bytes)?,
            b'+' if is_form => b' ',
            other => other,
        });
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| InvalidPercentEncoding)
}

/// The error for invalid percent-encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidPercentEncoding;

/// Returns the byte that the two digits after a percent sign stand for.
fn encoded_byte(bytes: &mut impl Iterator<Item = u8>) -> Result<u8, InvalidPercentEncoding> {
    let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
    match (digit(), digit()) {
        (Some(high), Some(low)) => Ok((high * 16 + low) as u8),
        _ => Err(InvalidPercentEncoding),
    }
}

/// Appends a byte, percent-encoded unless it stays as it is.
fn push(byte: u8, stays: bool, out: &mut String) {
    if stays {
        out.push(char::from(byte));
    } else {
        out.push_str(&format!("%{byte:02X}"));
    }
}

/// Returns whether a byte is an unreserved character (RFC 3986, section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Appends percent-encoded text. Only the unreserved characters stay as they are, so the result is
/// valid in a path segment and in a query.
pub(crate) fn encode(text: &str, out: &mut String) {
    text.bytes().for_each(|byte| push(byte, is_unreserved(byte), out));
}

/// Returns a text with the characters that are invalid in a URI reference percent-encoded.
pub(crate) fn uri_reference(text: &str) -> String {
    let is_valid = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    let mut reference = String::with_capacity(text.len());
    text.bytes().for_each(|byte| push(byte, is_valid(byte), &mut reference));
    reference
}

/// Appends a name and its value to the percent-encoded pairs of a query or a form.
pub(crate) fn encode_pair(name: &str, value: &str, out: &mut String) {
    if !out.is_empty() {
        out.push('&');
    }
    encode(name, out);
    out.push('=');
    encode(value, out);
}

/// Returns the normal form of a path, in which paths are compared (RFC 3986, section 6.2.2):
/// unreserved characters are decoded, other percent-encodings have upper-case digits, and invalid
/// characters are percent-encoded. Patterns are normalized, too.
///
/// # Errors
/// Fails if a percent sign is not followed by two hexadecimal digits.
pub(crate) fn normalize(path: &str) -> Result<Cow<'_, str>, InvalidPercentEncoding> {
    if is_normal(path) {
        return Ok(Cow::Borrowed(path));
    }
    let mut out = String::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let byte = encoded_byte(&mut bytes)?;
            push(byte, is_unreserved(byte), &mut out);
        } else {
            push(byte, is_path_byte(byte), &mut out);
        }
    }
    Ok(Cow::Owned(out))
}

/// Returns whether a path has no percent-encoding and no invalid character, and is therefore in
/// normal form.
#[inline]
pub(crate) fn is_normal(path: &str) -> bool {
    // The loop has no early exit, so that the compiler unrolls it; nearly every path is normal.
    path.bytes().fold(true, |normal, byte| normal & is_path_byte(byte))
}

/// The bytes that are valid in a path unescaped (RFC 3986, section 3.3), including slashes. This is
/// a table because every request to an endpoint with captures is scanned.
const PATH_BYTES: [bool; 256] = {
    let known = b"-._~!$&'()*+,;=:@/";
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut index = 0;
    while index < known.len() {
        table[known[index] as usize] = true;
        index += 1;
    }
    table
};

#[inline]
fn is_path_byte(byte: u8) -> bool {
    PATH_BYTES[usize::from(byte)]
}
