//! The `Set-Cookie` header field.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;

use crate::input::{is_attribute_value, is_cookie_name, is_cookie_value};

/// A cookie for the client to keep, and to send with its next requests (RFC 6265, section 4.1):
/// what [`Endpoint::cookie`](crate::Endpoint::cookie) takes.
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
/// Without attributes it lasts until the browser is closed, and goes to the host that set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCookie {
    /// As the field has it: every piece was looked at.
    text: String,
}

/// To which requests of other sites a browser adds a cookie (RFC 6265bis, section 4.1.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameSite {
    /// To none.
    Strict,
    /// To those that lead to this site.
    Lax,
    /// To all: browsers ask for [`SetCookie::secure`] then.
    None,
}

impl SetCookie {
    /// A cookie of this name and value.
    ///
    /// # Errors
    /// A name that is no token; a value with spaces, quotes, commas, semicolons, backslashes, or
    /// what is not ASCII: write such a value in base64 or percent-encoding.
    pub fn new(name: &str, value: &str) -> Result<SetCookie, InvalidCookie> {
        if !is_cookie_name(name) {
            return Err(InvalidCookie { what: "name", found: name.to_owned() });
        }
        if !is_cookie_value(value) {
            return Err(InvalidCookie { what: "value", found: value.to_owned() });
        }
        Ok(SetCookie { text: format!("{name}={value}") })
    }

    /// What makes the client forget a cookie: its path and domain must be those it was set with.
    ///
    /// # Errors
    /// A name that is no token.
    pub fn forgotten(name: &str) -> Result<SetCookie, InvalidCookie> {
        Ok(SetCookie::new(name, "")?.with_max_age(Duration::ZERO))
    }

    /// For paths at this one and below it alone.
    ///
    /// # Errors
    /// A path that does not begin with a slash, or has a semicolon or control characters.
    pub fn with_path(self, path: &str) -> Result<SetCookie, InvalidCookie> {
        if !path.starts_with('/') || !is_attribute_value(path) {
            return Err(InvalidCookie { what: "path", found: path.to_owned() });
        }
        Ok(self.with(format_args!("Path={path}")))
    }

    /// For this domain and those below it.
    ///
    /// # Errors
    /// What is no name of a host.
    pub fn with_domain(self, domain: &str) -> Result<SetCookie, InvalidCookie> {
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        if domain.is_empty() || !domain.bytes().all(is_host) {
            return Err(InvalidCookie { what: "domain", found: domain.to_owned() });
        }
        Ok(self.with(format_args!("Domain={domain}")))
    }

    /// For so long, in whole seconds.
    #[must_use]
    pub fn with_max_age(self, age: Duration) -> SetCookie {
        self.with(format_args!("Max-Age={}", age.as_secs()))
    }

    /// For encrypted connections alone.
    #[must_use]
    pub fn secure(self) -> SetCookie {
        self.with(format_args!("Secure"))
    }

    /// Out of the reach of scripts.
    #[must_use]
    pub fn http_only(self) -> SetCookie {
        self.with(format_args!("HttpOnly"))
    }

    /// Whether requests that other sites cause have it.
    #[must_use]
    pub fn same_site(self, same_site: SameSite) -> SetCookie {
        self.with(format_args!("SameSite={same_site:?}"))
    }

    fn with(mut self, attribute: fmt::Arguments<'_>) -> SetCookie {
        self.text.push_str(&format!("; {attribute}"));
        self
    }

    /// The value of `Set-Cookie`.
    pub(super) fn field(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.text).ok()
    }
}

impl fmt::Display for SetCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What no cookie can have.
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
