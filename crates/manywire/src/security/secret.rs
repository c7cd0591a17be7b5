//! [`Secret`]: a text that no output shows.

use std::fmt;
use std::hint::black_box;

/// A text that `Debug` does not show: a token, a key, a password.
///
/// A secret cannot be compared by `==`, because the time that `==` takes shows how much of a guess
/// is right. Use [`Secret::matches`].
///
/// ```
/// use manywire::security::Secret;
///
/// let token = Secret::new("ada-7");
/// assert_eq!(format!("{token:?}"), "Secret(..)");
/// assert!(token.matches("ada-7"));
/// assert!(!token.matches("ada-8"));
/// ```
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// Returns the text, for a lookup or a verification.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether this is the expected text. The time depends on the lengths alone.
    pub fn matches(&self, expected: &str) -> bool {
        let (found, expected) = (self.0.as_bytes(), expected.as_bytes());
        let pairs = found.iter().zip(expected);
        let difference = pairs.fold(0, |difference, (a, b)| black_box(difference | (a ^ b)));
        found.len() == expected.len() && difference == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
