//! The syntax of cookies (RFC 6265), for inputs, credentials and `Set-Cookie`.

use std::str::Utf8Error;

use http::header::{COOKIE, HeaderMap, HeaderValue};

use crate::negotiate::token_length;

/// Returns the value of a cookie without its quotes, or nothing if the request has no such cookie.
///
/// # Errors
/// Fails if the value is not UTF-8.
pub(crate) fn find<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Utf8Error> {
    // cookie-string = name "=" value *( ";" SP name "=" value ) (RFC 6265, section 4.2.1). The line
    // is split as bytes, since cookies of other applications may not be text. If several cookies
    // have the same name, the first is used, which has the longest path (section 5.4).
    let value = headers
        .get_all(COOKIE)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'))
        .filter_map(|pair| pair.split_at_checked(pair.iter().position(|byte| *byte == b'=')?))
        .find(|(known, _)| known.trim_ascii() == name.as_bytes())
        .map(|(_, value)| value.get(1..).unwrap_or_default().trim_ascii());
    let unquoted = |value: &'h [u8]| {
        let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
        std::str::from_utf8(inner.unwrap_or(value))
    };
    value.map(unquoted).transpose()
}

/// Appends a cookie to the `Cookie` field of a request.
///
/// # Errors
/// Fails with a message if the name or the value is invalid.
pub(crate) fn append(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), &'static str> {
    if !is_token(name) {
        return Err("invalid cookie name: expected a token, such as session-id");
    }
    if !is_cookie_value(value) {
        return Err(
            "invalid cookie value: expected printable ASCII without spaces, quotes, commas, semicolons, backslashes",
        );
    }
    let before = headers.get(COOKIE).and_then(|value| value.to_str().ok());
    let pair = format!("{name}={value}");
    let line = before.map_or(pair.clone(), |before| format!("{before}; {pair}"));
    let line = HeaderValue::try_from(line).map_err(|_| "invalid cookie")?;
    headers.insert(COOKIE, line);
    Ok(())
}

/// Returns whether a text is a token (RFC 9110, section 5.6.2), such as the name of a cookie.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && token_length(text.as_bytes()) == text.len()
}

/// Returns whether a cookie value is valid: cookie-octets only.
pub(crate) fn is_cookie_value(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte))
}

/// Returns whether the value of a cookie attribute is valid: no control characters and no
/// semicolon.
pub(crate) fn is_attribute_value(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b';')
}
