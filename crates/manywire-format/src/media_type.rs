//! Media types: a lenient parser and the formats that they belong to.

use std::fmt;
use std::str::FromStr;

use crate::{FORMATS, Format};

/// A media type as in `Content-Type` (RFC 9110, section 8.3.1): `text/html; charset=utf-8`.
///
/// Type, subtype and parameter names are in lower case; values are unchanged. Parsing is as lenient
/// as the [WHATWG standard] requires of browsers: malformed and duplicate parameters are ignored,
/// and only an invalid type or subtype is an error. Lenient parsing is safe for the type of a body.
/// `Accept` is parsed by its strict grammar instead.
///
/// [WHATWG standard]: https://mimesniff.spec.whatwg.org/#parsing-a-mime-type
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MediaType {
    essence: String,
    slash: usize,
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Parses a media type. Bytes beyond ASCII must be passed as the characters U+0080 to U+00FF.
    ///
    /// # Errors
    /// Fails if the type or the subtype is not a token.
    pub fn parse(text: &str) -> Result<MediaType, InvalidMediaType> {
        let text = text.trim_matches(is_space);
        let (essence, rest) = text.split_once(';').unwrap_or((text, ""));
        let essence = essence.trim_end_matches(is_space);
        let slash = essence.find('/').ok_or_else(|| InvalidMediaType::new(text, "a slash"))?;
        if !is_token(&essence[..slash]) {
            return Err(InvalidMediaType::new(text, "a type before the slash"));
        }
        if !is_token(&essence[slash + 1..]) {
            return Err(InvalidMediaType::new(text, "a subtype after the slash"));
        }
        let mut media_type =
            MediaType { essence: essence.to_ascii_lowercase(), slash, parameters: Vec::new() };
        let mut rest = rest;
        while !rest.is_empty() {
            rest = media_type.read_parameter(rest);
        }
        Ok(media_type)
    }

    /// Parses the parameter at the start of `text`, and returns the text after the next `;`.
    fn read_parameter<'t>(&mut self, text: &'t str) -> &'t str {
        let text = text.trim_start_matches(is_space);
        let name_end = text.find([';', '=']).unwrap_or(text.len());
        let (name, rest) = text.split_at(name_end);
        let Some(value) = rest.strip_prefix('=') else {
            return rest.get(1..).unwrap_or_default();
        };
        let (value, rest) = match value.strip_prefix('"') {
            Some(quoted) => {
                let (value, rest) = unquoted(quoted);
                (Some(value), rest)
            }
            None => {
                let bare = value.split(';').next().unwrap_or_default();
                let trimmed = bare.trim_end_matches(is_space);
                let value = (!trimmed.is_empty()).then(|| trimmed.to_owned());
                (value, value_end(text, bare))
            }
        };
        let name = name.to_ascii_lowercase();
        if let Some(value) = value
            && is_token(&name)
            && value.chars().all(is_quotable)
            && self.parameter(&name).is_none()
        {
            self.parameters.push((name, value));
        }
        match rest.find(';') {
            Some(at) => &rest[at + 1..],
            None => "",
        }
    }

    /// Returns type and subtype with the slash between them: `application/json`.
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// Returns the type: `application`.
    pub fn kind(&self) -> &str {
        &self.essence[..self.slash]
    }

    /// Returns the subtype: `problem+json`.
    pub fn subtype(&self) -> &str {
        &self.essence[self.slash + 1..]
    }

    /// Returns the structured syntax suffix (RFC 6838, section 4.2.8): `json` of `problem+json`.
    pub fn suffix(&self) -> Option<&str> {
        self.subtype().rsplit_once('+').map(|(_, suffix)| suffix)
    }

    /// Returns the parameters in order, with names in lower case.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the value of a parameter, by its name in lower case.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Adds a parameter, unless there is one with this name.
    #[must_use]
    pub fn with_parameter(mut self, name: &str, value: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if self.parameter(&name).is_none() {
            self.parameters.push((name, value.to_owned()));
        }
        self
    }

    /// Returns the first format in the table with this media type or with its suffix: `+json` is
    /// JSON (RFC 6839), `+cbor` is CBOR (RFC 8949, section 9.5).
    pub fn format(&self) -> Option<Format> {
        Format::from_media_type(&self.essence).or_else(|| {
            let suffix = self.suffix()?;
            FORMATS.iter().find(|row| row.suffix == Some(suffix)).map(|row| row.format)
        })
    }
}

impl From<Format> for MediaType {
    /// Returns the media type for sending a format, without parameters.
    fn from(format: Format) -> Self {
        let essence = format.row().media_type;
        let slash = essence.find('/').unwrap_or(essence.len());
        MediaType { essence: essence.to_owned(), slash, parameters: Vec::new() }
    }
}

impl FromStr for MediaType {
    type Err = InvalidMediaType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        MediaType::parse(text)
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.essence)?;
        for (name, value) in self.parameters() {
            write!(f, ";{name}=")?;
            if is_token(value) {
                f.write_str(value)?;
            } else {
                write!(f, "\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))?;
            }
        }
        Ok(())
    }
}

/// The error for an invalid media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidMediaType {
    text: String,
    expected: &'static str,
}

impl InvalidMediaType {
    #[cold]
    fn new(text: &str, expected: &'static str) -> Self {
        InvalidMediaType { text: text.to_owned(), expected }
    }
}

impl fmt::Display for InvalidMediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid media type {:?}: expected {}, as in application/json",
            self.text, self.expected
        )
    }
}

impl std::error::Error for InvalidMediaType {}

/// Unescapes a quoted string after its opening quote. Returns the string and the text after the
/// closing quote. An unterminated string ends with the text.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.push(characters.next().map_or('\\', |(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

/// Returns the part of `text` after the unquoted value `bare`.
fn value_end<'t>(text: &'t str, bare: &str) -> &'t str {
    let start = text.find('=').map_or(text.len(), |at| at + 1);
    &text[start + bare.len()..]
}

/// Returns whether this is HTTP whitespace by the WHATWG standard.
fn is_space(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\t' | ' ')
}

/// Returns whether a text is a token (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Returns whether a quoted string may contain this: visible ASCII, space, tab, and bytes beyond
/// ASCII.
fn is_quotable(character: char) -> bool {
    matches!(character, '\t' | ' '..='~' | '\u{80}'..='\u{FF}')
}
