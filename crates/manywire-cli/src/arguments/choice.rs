//! Values that several commands take.

use clap::ValueEnum;
use manywire_format::{Coding, CodingLevel};

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

/// The coding that an input has, or none, whatever it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputCoding {
    /// The bytes as they are.
    None,
    /// To be taken off.
    Of(Coding),
}

impl std::str::FromStr for InputCoding {
    type Err = manywire_format::InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(InputCoding::None) } else { text.parse().map(InputCoding::Of) }
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
