use std::borrow::Cow;

/// Text without its percent-encoding (RFC 3986, section 2.1); in a form, `+` is a space.
///
/// # Errors
/// Where a percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
pub(crate) fn decode(text: &str, is_form: bool) -> Result<Cow<'_, str>, NotPercentEncoded> {
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
                    return Err(NotPercentEncoded);
                };
                (high * 16 + low) as u8
            }
            b'+' if is_form => b' ',
            other => *other,
        });
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| NotPercentEncoded)
}

/// Text whose percent-encoding is broken, or that is not UTF-8 without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPercentEncoded;

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
