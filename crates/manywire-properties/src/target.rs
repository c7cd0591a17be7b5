//! What a property is.

use manywire_format::Format;

use crate::choices::Choices;

/// Why a property does not hold, for whoever looks at the bytes that show it.
#[derive(Debug)]
pub struct Broken(pub(crate) String);

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Whether a property holds.
pub(crate) type Holds = Result<(), Broken>;

/// Fails with a message unless something is so.
macro_rules! hold {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::target::Broken(format!($($message)+)));
        }
    };
}
pub(crate) use hold;

/// What a property is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes to values, one format's codec by itself.
    Decoder,
    /// Bytes to spans, one format's walker by itself.
    Walker,
    /// A codec and a walker held against each other.
    Agree,
    /// Compressed bytes to bytes.
    Coding,
    /// The text of a schema to a shape.
    Schema,
    /// What people write, or other programs: text that is not a payload.
    Text,
    /// Values behind each other, handed out and walked one by one.
    Stream,
    /// A value of one format to the others and back.
    Transcoder,
}

/// One property.
#[derive(Debug)]
pub struct Target {
    /// Its name, which is that of its fuzz target and of its folder of regressions.
    pub name: &'static str,
    /// What it is about.
    pub kind: Kind,
    /// The format of its bytes, where they are of one.
    pub format: Option<Format>,
    pub(crate) check: fn(&[u8]) -> Holds,
    pub(crate) generate: fn(&mut Choices<'_>, &mut Vec<u8>),
}

impl Target {
    /// Checks the property on these bytes.
    ///
    /// # Errors
    /// What was expected and what was found, where it does not hold.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Broken> {
        (self.check)(bytes)
    }

    /// Appends bytes that are near to what the property is about: valid, mostly, in forms that a
    /// careful writer would not choose.
    pub fn generate(&self, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
        (self.generate)(choices, out);
    }
}
