//! Content codings and their levels.

use std::fmt;
use std::str::FromStr;

/// A content coding, as named in `Content-Encoding` (RFC 9110, section 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coding {
    /// `gzip`, RFC 1952.
    Gzip,
    /// `deflate`: the zlib format of RFC 1950. It is read but never offered.
    Deflate,
    /// `zstd`, RFC 8878, with the window limit of RFC 9659.
    Zstd,
    /// `br`, RFC 7932.
    Brotli,
}

impl Coding {
    /// Every coding.
    pub const ALL: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Zstd, Coding::Brotli];

    /// Returns the registered token.
    pub fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Zstd => "zstd",
            Coding::Brotli => "br",
        }
    }

    /// Returns the levels of the coding, lowest first.
    pub fn levels(self) -> std::ops::RangeInclusive<u8> {
        match self {
            Coding::Gzip | Coding::Deflate => 1..=9,
            Coding::Zstd => 1..=22,
            Coding::Brotli => 0..=11,
        }
    }

    /// Returns the coding of files with this extension, in any letter case and without the dot.
    pub fn from_extension(extension: &str) -> Option<Coding> {
        let extensions = [("gz", Coding::Gzip), ("zst", Coding::Zstd), ("br", Coding::Brotli)];
        extensions
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(extension))
            .map(|(_, coding)| coding)
    }

    /// Returns the names in the lines of a `Content-Encoding` field, the last applied first. Empty
    /// members and `identity`, which stands for no coding, are left out (RFC 9110, sections 5.6.1
    /// and 12.5.3).
    pub fn listed<'l, L>(lines: L) -> impl Iterator<Item = &'l str>
    where
        L: IntoIterator<Item = &'l str, IntoIter: DoubleEndedIterator>,
    {
        let members = lines.into_iter().rev().flat_map(|line| line.rsplit(',')).map(str::trim);
        members.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
    }

    /// Returns the level for responses that a server compresses on the fly.
    pub fn default_level(self) -> u8 {
        match self {
            Coding::Gzip | Coding::Deflate => 6,
            Coding::Zstd => 3,
            Coding::Brotli => 4,
        }
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Coding {
    type Err = InvalidCoding;

    /// Parses a token in any letter case; `x-gzip` is `gzip` (RFC 9110, section 8.4.1.3).
    fn from_str(token: &str) -> Result<Self, Self::Err> {
        if token.eq_ignore_ascii_case("x-gzip") {
            return Ok(Coding::Gzip);
        }
        Coding::ALL.into_iter().find(|coding| coding.name().eq_ignore_ascii_case(token)).ok_or_else(
            || {
                InvalidCoding(format!(
                    "unknown content coding {token:?}: expected gzip, zstd, br or deflate"
                ))
            },
        )
    }
}

/// A coding with a level, written `gzip:9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodingLevel {
    coding: Coding,
    level: u8,
}

impl CodingLevel {
    /// Returns a coding with a level, or an error if the coding does not have the level.
    pub fn new(coding: Coding, level: u8) -> Result<Self, InvalidCoding> {
        let levels = coding.levels();
        if levels.contains(&level) {
            return Ok(CodingLevel { coding, level });
        }
        Err(InvalidCoding(format!(
            "{coding} has levels {} to {}, not {level}",
            levels.start(),
            levels.end()
        )))
    }

    /// Returns the coding.
    pub fn coding(self) -> Coding {
        self.coding
    }

    /// Returns the level, within [`Coding::levels`].
    pub fn level(self) -> u8 {
        self.level
    }
}

impl From<Coding> for CodingLevel {
    fn from(coding: Coding) -> Self {
        CodingLevel { coding, level: coding.default_level() }
    }
}

impl fmt::Display for CodingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}:{}", self.coding, self.level))
    }
}

impl FromStr for CodingLevel {
    type Err = InvalidCoding;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((token, level)) = text.split_once(':') else {
            return Ok(text.parse::<Coding>()?.into());
        };
        let coding = token.parse()?;
        let number = level.parse().map_err(|_| {
            InvalidCoding(format!("the level of {coding} must be a number, not {level:?}"))
        })?;
        CodingLevel::new(coding, number)
    }
}

/// The error for an unknown coding or an invalid level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidCoding(String);

impl fmt::Display for InvalidCoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidCoding {}
