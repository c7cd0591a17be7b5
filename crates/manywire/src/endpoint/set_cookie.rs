//! The `Set-Cookie` header field.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;

use crate::cookies::{is_attribute_value, is_cookie_value, is_token};

/// A cookie for the client to store and to send with later requests (RFC 6265, section 4.1).
/// [`Endpoint::cookie`](crate::Endpoint::cookie) reads it.
///
/// ```
/// use std::time::Duration;
/// use manywire::{Reply, SameSite, SetCookie};
///
/// let cookie = SetCookie::new("session", "8a7f")?
///     .with_path("/")?
///     .with_max_age(Duration::from_secs(3_600))
///     .secure()
///     .http_only()
///     .same_site(SameSite::Lax);
/// let reply = Reply::new("welcome").with_cookie(&cookie);
/// # drop(reply);
/// # Ok::<(), manywire::InvalidCookie>(())
/// ```
///
/// Without attributes the cookie lasts until the browser is closed, and is sent to the host that
/// set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCookie {
    /// The value of the header field. Every part was validated.
    text: String,
}

/// The cross-site requests that carry a cookie (RFC 6265bis, section 4.1.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameSite {
    /// No cross-site requests.
    Strict,
    /// Cross-site requests that navigate to this site.
    Lax,
    /// All cross-site requests. Browsers require [`SetCookie::secure`] for it.
    None,
}

impl SetCookie {
    /// Creates a cookie.
    ///
    /// # Errors
    /// Fails for a name that is not a token, and for a value with spaces, quotes, commas,
    /// semicolons, backslashes or non-ASCII characters. Encode such a value in base64 or
    /// percent-encoding.
    pub fn new(name: &str, value: &str) -> Result<SetCookie, InvalidCookie> {
        if !is_token(name) {
            return Err(InvalidCookie { what: "name", found: name.to_owned() });
        }
        if !is_cookie_value(value) {
            return Err(InvalidCookie { what: "value", found: value.to_owned() });
        }
        Ok(SetCookie { text: format!("{name}={value}") })
    }

    /// Creates a cookie that deletes another. Its path and domain must be those of the cookie to
    /// delete.
    ///
    /// # Errors
    /// Fails for a name that is not a token.
    pub fn forgotten(name: &str) -> Result<SetCookie, InvalidCookie> {
        Ok(SetCookie::new(name, "")?.with_max_age(Duration::ZERO))
    }

    /// Restricts the cookie to this path and those below it.
    ///
    /// # Errors
    /// Fails for a path that does not begin with a slash, or that has a semicolon or control
    /// characters.
    pub fn with_path(self, path: &str) -> Result<SetCookie, InvalidCookie> {
        if !path.starts_with('/') || !is_attribute_value(path) {
            return Err(InvalidCookie { what: "path", found: path.to_owned() });
        }
        Ok(self.with(format_args!("Path={path}")))
    }

    /// Extends the cookie to this domain and those below it.
    ///
    /// # Errors
    /// Fails for an invalid host name.
    pub fn with_domain(self, domain: &str) -> Result<SetCookie, InvalidCookie> {
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        if domain.is_empty() || !domain.bytes().all(is_host) {
            return Err(InvalidCookie { what: "domain", found: domain.to_owned() });
        }
        Ok(self.with(format_args!("Domain={domain}")))
    }

    /// Sets the lifetime, in whole seconds.
    #[must_use]
    pub fn with_max_age(self, age: Duration) -> SetCookie {
        self.with(format_args!("Max-Age={}", age.as_secs()))
    }

    /// Restricts the cookie to encrypted connections.
    #[must_use]
    pub fn secure(self) -> SetCookie {
        self.with(format_args!("Secure"))
    }

    /// Hides the cookie from scripts.
    #[must_use]
    pub fn http_only(self) -> SetCookie {
        self.with(format_args!("HttpOnly"))
    }

    /// Sets which cross-site requests carry the cookie.
    #[must_use]
    pub fn same_site(self, same_site: SameSite) -> SetCookie {
        self.with(format_args!("SameSite={same_site:?}"))
    }

    fn with(mut self, attribute: fmt::Arguments<'_>) -> SetCookie {
        self.text.push_str(&format!("; {attribute}"));
        self
    }

    /// Returns the value of the `Set-Cookie` field.
    pub(super) fn field(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.text).ok()
    }
}

impl fmt::Display for SetCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The error for an invalid part of a cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidCookie {
    what: &'static str,
    found: String,
}

impl fmt::Display for InvalidCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidCookie { what, found } = self;
        write!(f, "a cookie cannot have the {what} {found:?} (RFC 6265, section 4.1.1)")
    }
}

impl std::error::Error for InvalidCookie {}
