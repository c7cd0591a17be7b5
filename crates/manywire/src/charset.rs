//! The charsets of text: their names, decoding and encoding.

use std::borrow::Cow;
use std::fmt;

use manywire_format::MediaType;

/// A supported charset of text (RFC 9110, section 8.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Charset {
    /// `utf-8`, and its subset `us-ascii`.
    Utf8,
    /// `utf-16`, with or without a byte order mark, in either order.
    Utf16,
    /// `utf-16le`.
    Utf16Le,
    /// `utf-16be`.
    Utf16Be,
    /// `utf-32`, with or without a byte order mark, in either order.
    Utf32,
    /// `utf-32le`.
    Utf32Le,
    /// `utf-32be`.
    Utf32Be,
    /// `iso-8859-1`: the value of each byte is its code point.
    Latin1,
    /// `windows-1252`: `iso-8859-1` with characters instead of 27 control codes.
    Windows1252,
}

/// All names. The first name of a charset is the one that is sent.
const NAMES: [(&str, Charset); 14] = [
    ("utf-8", Charset::Utf8),
    ("utf8", Charset::Utf8),
    ("us-ascii", Charset::Utf8),
    ("utf-16", Charset::Utf16),
    ("utf-16le", Charset::Utf16Le),
    ("utf-16be", Charset::Utf16Be),
    ("utf-32", Charset::Utf32),
    ("utf-32le", Charset::Utf32Le),
    ("utf-32be", Charset::Utf32Be),
    ("iso-8859-1", Charset::Latin1),
    ("iso_8859-1", Charset::Latin1),
    ("latin1", Charset::Latin1),
    ("windows-1252", Charset::Windows1252),
    ("cp1252", Charset::Windows1252),
];

/// The characters of windows-1252 from 0x80 to 0x9F. Unassigned bytes are control codes, as in the
/// WHATWG Encoding Standard.
const WINDOWS_1252: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2C6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2DC}', '\u{2122}', '\u{161}', '\u{203A}', '\u{153}', '\u{9D}', '\u{17E}', '\u{178}',
];

/// The byte order mark.
const BOM: char = '\u{FEFF}';

impl Charset {
    /// The charsets of text responses, the preferred first.
    pub(crate) const OFFERED: [Charset; 4] =
        [Charset::Utf8, Charset::Utf16, Charset::Latin1, Charset::Windows1252];

    /// Returns the charset with this name, in any letter case.
    pub fn from_name(name: &str) -> Option<Charset> {
        NAMES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, charset)| *charset)
    }

    /// Returns the charset that a media type names, or UTF-8 if it names none.
    ///
    /// # Errors
    /// Fails with the name of a charset that is not supported.
    pub(crate) fn of(media_type: &MediaType) -> Result<Charset, &str> {
        let Some(name) = media_type.parameter("charset") else { return Ok(Charset::Utf8) };
        Charset::from_name(name.trim()).ok_or(name)
    }

    /// Returns the name that the `charset` parameter of a message carries.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, charset)| *charset == self).map_or("utf-8", |(name, _)| name)
    }

    /// Converts text to UTF-8 without a byte order mark. UTF-8 input is borrowed and not validated.
    ///
    /// # Errors
    /// Fails with the offset of the first byte that is invalid in this charset.
    pub(crate) fn to_utf8(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>, usize> {
        let owned = |text: String| Ok(Cow::Owned(text.into_bytes()));
        match self {
            Charset::Utf8 => Ok(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).into()),
            Charset::Latin1 => owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Charset::Windows1252 => owned(bytes.iter().map(|byte| windows_1252(*byte)).collect()),
            Charset::Utf16Le => owned(utf_16(bytes, u16::from_le_bytes)?),
            Charset::Utf16Be => owned(utf_16(bytes, u16::from_be_bytes)?),
            Charset::Utf32Le => owned(utf_32(bytes, u32::from_le_bytes)?),
            Charset::Utf32Be => owned(utf_32(bytes, u32::from_be_bytes)?),
            Charset::Utf16 => match bytes {
                [0xFF, 0xFE, ..] => Charset::Utf16Le.to_utf8(bytes),
                // Without a mark the order is big-endian (RFC 2781, section 4.3), but many clients
                // send little-endian. The text of a format begins with ASCII, so the position of a
                // zero byte shows the order.
                [first, 0, ..] if *first != 0 => Charset::Utf16Le.to_utf8(bytes),
                _ => Charset::Utf16Be.to_utf8(bytes),
            },
            Charset::Utf32 => match bytes {
                [0xFF, 0xFE, 0, 0, ..] => Charset::Utf32Le.to_utf8(bytes),
                [first, 0, 0, 0, ..] if *first != 0 => Charset::Utf32Le.to_utf8(bytes),
                _ => Charset::Utf32Be.to_utf8(bytes),
            },
        }
    }

    /// Encodes text. Returns `None` for UTF-8, and if the charset lacks a character.
    pub(crate) fn encode(self, text: &str) -> Option<Vec<u8>> {
        let units = || std::iter::once(BOM as u16).chain(text.encode_utf16());
        match self {
            Charset::Utf8 => None,
            Charset::Latin1 => {
                text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
            }
            Charset::Windows1252 => text.chars().map(to_windows_1252).collect(),
            // Big-endian with a byte order mark (RFC 2781).
            Charset::Utf16 => Some(units().flat_map(u16::to_be_bytes).collect()),
            Charset::Utf16Be => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Charset::Utf16Le => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Charset::Utf32 | Charset::Utf32Be => Some(
                text.chars().flat_map(|character| u32::from(character).to_be_bytes()).collect(),
            ),
            Charset::Utf32Le => Some(
                text.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect(),
            ),
        }
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

fn windows_1252(byte: u8) -> char {
    let special = usize::from(byte).checked_sub(0x80).and_then(|index| WINDOWS_1252.get(index));
    special.copied().unwrap_or(char::from(byte))
}

fn to_windows_1252(character: char) -> Option<u8> {
    if let Some(index) = WINDOWS_1252.iter().position(|known| *known == character) {
        return u8::try_from(0x80 + index).ok();
    }
    u8::try_from(u32::from(character)).ok().filter(|byte| !(0x80..0xA0).contains(byte))
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, usize> {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut at = 0;
    for character in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
        let character = character.map_err(|_| at)?;
        at += character.len_utf16() * 2;
        text.push(character);
    }
    if rest.is_empty() { Ok(without_mark(text)) } else { Err(at) }
}

fn utf_32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Result<String, usize> {
    let (units, rest) = bytes.as_chunks::<4>();
    let mut text = String::with_capacity(units.len());
    for (index, bytes) in units.iter().enumerate() {
        text.push(char::from_u32(unit(*bytes)).ok_or(index * 4)?);
    }
    if rest.is_empty() { Ok(without_mark(text)) } else { Err(units.len() * 4) }
}

fn without_mark(mut text: String) -> String {
    if text.starts_with(BOM) {
        text.drain(..BOM.len_utf8());
    }
    text
}
