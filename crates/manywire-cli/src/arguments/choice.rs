//! Values that several commands take.

use clap::ValueEnum;
use manywire_format::CodingLevel;

/// A coding, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodingChoice {
    /// The bytes as they are.
    None,
    /// Compressed.
    Level(CodingLevel),
}

impl std::str::FromStr for CodingChoice {
    type Err = manywire_format::InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(CodingChoice::None) } else { text.parse().map(CodingChoice::Level) }
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
