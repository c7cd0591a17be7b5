//! What cookies are made of (RFC 6265, section 4.1.1).

/// Whether a cookie may have this name: a token (RFC 9110, section 5.6.2).
pub(crate) fn is_cookie_name(name: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_tchar)
}

/// Whether a cookie may have this value: cookie-octets alone.
pub(crate) fn is_cookie_value(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte))
}

/// Whether an attribute may have this value: no controls, and nothing that ends it.
pub(crate) fn is_attribute_value(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b';')
}
