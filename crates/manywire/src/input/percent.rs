//! Percent-encoding (RFC 3986), and the normal form of paths.

use std::borrow::Cow;

/// Text without its percent-encoding (RFC 3986, section 2.1); in a form, `+` is a space.
///
/// # Errors
/// Where a percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
pub(crate) fn decode(text: &str, is_form: bool) -> Result<Cow<'_, str>, InvalidPercentEncoding> {
    let special = |byte: u8| byte == b'%' || is_form && byte == b'+';
    let Some(first) = text.bytes().position(special) else { return Ok(Cow::Borrowed(text)) };
    let mut decoded = Vec::with_capacity(text.len());
    let (plain, rest) = text.as_bytes().split_at(first);
    decoded.extend_from_slice(plain);
    let mut bytes = rest.iter();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || bytes.next().and_then(|byte| char::from(*byte).to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err(InvalidPercentEncoding);
                };
                (high * 16 + low) as u8
            }
            b'+' if is_form => b' ',
            other => *other,
        });
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| InvalidPercentEncoding)
}

/// Text whose percent-encoding is broken, or that is not UTF-8 without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidPercentEncoding;

/// Appends text in percent-encoding, all but the unreserved characters (RFC 3986, section 2.3): so
/// it may stand in a segment of a path and in a query.
pub(crate) fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// The text of a path in the form in which paths are compared (RFC 3986, section 6.2.2):
/// unreserved characters stand for themselves, other percent-encodings have their digits in upper
/// case, and what a path cannot hold is percent-encoded. So a path is written in a pattern, too.
///
/// # Errors
/// A percent sign that is not followed by two hexadecimal digits.
pub(crate) fn normalize(path: &str) -> Result<Cow<'_, str>, InvalidPercentEncoding> {
    if is_normal(path) {
        return Ok(Cow::Borrowed(path));
    }
    let mut out = String::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        let (byte, stays) = if byte == b'%' {
            let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
            let (Some(high), Some(low)) = (digit(), digit()) else {
                return Err(InvalidPercentEncoding);
            };
            let byte = (high * 16 + low) as u8;
            (byte, byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
        } else {
            (byte, is_path_byte(byte))
        };
        if stays {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(Cow::Owned(out))
}

/// Whether a path can be seen to be in that form without looking into percent-encodings.
#[inline]
pub(crate) fn is_normal(path: &str) -> bool {
    // To the end, since nearly every path is: without a way out of it the loop is unrolled.
    path.bytes().fold(true, |normal, byte| normal & is_path_byte(byte))
}

/// Which bytes may stand in a path as themselves (RFC 3986, section 3.3), slashes among them. A
/// table, because every request to an endpoint with captures is looked through.
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
