use std::fmt;

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
