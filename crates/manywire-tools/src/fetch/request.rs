//! Requests with their header fields, limits and errors.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use manywire_format::Form;

/// A request for the content of a URL.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The URL.
    pub url: &'r str,
    /// The forms to accept, the preferred first.
    pub accept: &'r [Form],
    /// Header fields for the host of the URL. These fields replace default fields of the same name,
    /// and are not sent to another host after a redirect.
    pub headers: &'r [Header],
    /// The limits on time and size.
    pub limits: Limits,
}

/// A header field of a request, parsed from text such as `Authorization: Bearer …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

/// The error for an invalid header field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidHeader(String);

impl Header {
    /// Returns the name in lower case.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Returns the value. Invalid UTF-8 is replaced.
    pub fn value(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.value.as_bytes())
    }
}

impl FromStr for Header {
    type Err = InvalidHeader;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |what: &str| InvalidHeader(what.to_owned());
        let (name, value) = text.split_once(':').ok_or_else(|| {
            invalid("a header field is a name, a colon and a value, such as 'Accept-Language: de'")
        })?;
        let name = HeaderName::from_str(name.trim()).map_err(|_| {
            InvalidHeader(format!("invalid name of a header field {:?}", name.trim()))
        })?;
        // The value may be secret, so it is not in the message.
        let mut value = HeaderValue::from_str(value.trim())
            .map_err(|_| InvalidHeader(format!("the value of {name} has invalid characters")))?;
        value.set_sensitive(true);
        Ok(Header { name, value })
    }
}

impl fmt::Display for InvalidHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidHeader {}

/// The limits of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of redirects.
    pub redirects: usize,
    /// The time to resolve the name, and separately the time to connect, including TLS.
    pub connect: Duration,
    /// The time of a single read or write.
    pub idle: Duration,
    /// The time for the whole fetch, including redirects.
    pub total: Duration,
    /// The size of the body before decoding, in bytes.
    pub body_bytes: usize,
    /// The size of the body after decoding, in bytes.
    pub decoded_bytes: usize,
}

impl Limits {
    /// The limits for an interactive command.
    pub const DEFAULT: Limits = Limits {
        // Browsers follow 20; real services redirect once or twice.
        redirects: 10,
        connect: Duration::from_secs(10),
        idle: Duration::from_secs(30),
        total: Duration::from_secs(300),
        // The whole body is in memory; larger payloads should be saved to a file.
        body_bytes: 256 << 20,
        decoded_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// The error of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    /// The URL without user, password, query and fragment.
    pub name: String,
    /// The message: the error and what to do.
    pub message: String,
}

impl FetchError {
    #[cold]
    pub(crate) fn new(name: &str, message: impl fmt::Display) -> Self {
        FetchError { name: name.to_owned(), message: message.to_string() }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.message)
    }
}

impl std::error::Error for FetchError {}

#[cfg(test)]
mod tests {
    use super::Header;

    #[test]
    fn parses_fields_without_showing_secrets() {
        let header: Header = "Authorization:  Bearer a:b ".parse().unwrap();
        assert_eq!(header.name, "authorization");
        assert_eq!(header.value, "Bearer a:b");
        assert!(!format!("{header:?}").contains("Bearer"));
        assert!("Authorization".parse::<Header>().unwrap_err().to_string().contains("a colon"));
        assert!("a b: c".parse::<Header>().unwrap_err().to_string().contains("\"a b\""));
        let broken = "X-Token: se\ncret".parse::<Header>().unwrap_err().to_string();
        assert!(broken.contains("x-token") && !broken.contains("cret"), "{broken}");
    }
}
