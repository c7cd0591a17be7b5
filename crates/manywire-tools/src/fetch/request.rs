//! What a caller gives for a request: header fields and limits; and the error that it may get.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use http::{HeaderName, HeaderValue};

/// A header field of requests, as it is written: `Authorization: Bearer …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

/// Why a text is no header field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidHeader(String);

impl Header {
    /// Its name, in lower case.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Its value, for whoever sends it on; what is no UTF-8 in it is replaced.
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
            InvalidHeader(format!("{:?} is no name of a header field", name.trim()))
        })?;
        // The value may be a secret, and is not repeated.
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| {
            InvalidHeader(format!("the value of {name} has characters it cannot have"))
        })?;
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

#[cfg(test)]
mod tests {
    use super::Header;

    #[test]
    fn fields_are_read_and_secrets_kept() {
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

/// What one fetch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Redirects that are followed.
    pub redirects: usize,
    /// Until there is a connection, name and TLS included.
    pub connect: Duration,
    /// Without a byte of the answer.
    pub idle: Duration,
    /// For everything.
    pub total: Duration,
    /// Bytes of the body as they come.
    pub body_bytes: usize,
    /// Bytes of the body without its codings.
    pub decoded_bytes: usize,
}

impl Limits {
    /// For a payload that somebody is waiting for.
    pub const DEFAULT: Limits = Limits {
        // What browsers follow is 20; real services redirect once or twice.
        redirects: 10,
        connect: Duration::from_secs(10),
        idle: Duration::from_secs(30),
        total: Duration::from_secs(300),
        // All of it is held; larger ones are for a file.
        body_bytes: 256 << 20,
        decoded_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// Why there is no content: what failed, at which URL, in words for whoever asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    /// The URL, without a password and without its query.
    pub name: String,
    /// What was wrong, and what to do.
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
