//! The type of a property.

use manywire_format::Format;

use crate::choices::Choices;

/// The reason why a property does not hold for some bytes.
#[derive(Debug)]
pub struct Violation(pub(crate) String);

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}

/// The result of checking a property.
pub(crate) type CheckResult = Result<(), Violation>;

/// Returns an error with a message unless the condition is true.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::target::Violation(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

/// The kind of code that a property checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// One format's codec: bytes to values.
    Decoder,
    /// One format's walker: bytes to spans.
    Walker,
    /// A codec and a walker compared with each other.
    Agree,
    /// A content coding: compressed bytes to bytes.
    Coding,
    /// A schema reader: text to a shape.
    Schema,
    /// Text that is not a payload, from people or other programs.
    Text,
    /// Sequences of values, read and walked one by one.
    Stream,
    /// A value of one format converted to the others and back.
    Transcoder,
}

/// A property.
#[derive(Debug)]
pub struct Target {
    /// The name of the property, of its fuzz target and of its regression file.
    pub name: &'static str,
    /// The kind of code that the property checks.
    pub kind: TargetKind,
    /// The format of the inputs, if they have one.
    pub format: Option<Format>,
    pub(crate) check: fn(&[u8]) -> CheckResult,
    pub(crate) generate: fn(&mut Choices<'_>, &mut Vec<u8>),
}

impl Target {
    /// Checks the property for these bytes.
    ///
    /// # Errors
    /// Returns the expected and the actual result if the property does not hold.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Violation> {
        (self.check)(bytes)
    }

    /// Appends a typical input for the property: mostly valid, in forms that a careful writer would
    /// not choose.
    pub fn generate(&self, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
        (self.generate)(choices, out);
    }
}
