//! Strings: RFC 8259, section 7.

use std::borrow::Cow;

use manywire_shape::Value;

use super::Walker;
use crate::Role;
use crate::trail::{Stop, Walked};

impl Walker<'_, '_, '_> {
    pub(super) fn string(&mut self) -> Walked {
        let bytes = self.bytes;
        let start = self.at;
        let scanned = self.scan_string(start + 1);
        let (Ok(end) | Err(Ill { offset: end, .. })) = scanned;
        let raw = &bytes[start + 1..end];
        // The first fault is reported first. What is not UTF-8 spoils this string and nothing
        // behind it; where another follows in the string, the walk ends.
        let lone = lone_surrogate(raw).map(|offset| start + 1 + offset);
        let utf8 = std::str::from_utf8(raw);
        let invalid = utf8.err().map(|error| start + 1 + error.valid_up_to());
        // A character that the end of the bytes cuts in two.
        let begun = utf8.is_err_and(|error| error.error_len().is_none()) && end == bytes.len();
        if let Some(offset) = invalid.filter(|offset| lone.is_none_or(|lone| *offset < lone)) {
            match begun {
                true => self.trail.cut(offset, format_args!("UTF-8")),
                false => self.trail.fault(offset, format_args!("UTF-8")),
            };
        }
        if let Some(offset) = lone {
            let expected = format_args!("surrogates in pairs, high before low");
            // The other half may be yet to come.
            return Err(match end == bytes.len() {
                true => self.trail.cut(offset, expected),
                false => self.trail.fault(offset, expected),
            });
        }
        if let Err(Ill { offset, expected }) = scanned {
            // That has been reported already.
            return Err(match begun {
                true => Stop,
                false => self.trail.fault(offset, format_args!("{expected}")),
            });
        }
        let text = utf8.map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed);
        let text = if raw.contains(&b'\\') { unescaped(&text).into() } else { text };
        self.at = end + 1;
        let length = text.len();
        let name = format_args!("{length}-byte string");
        self.trail.scalar(start..self.at, 2, Role::Value, name, Value::Str(&text));
        Ok(())
    }

    /// Where the string whose content begins at `at` ends: at its closing quote.
    fn scan_string(&self, mut at: usize) -> Result<usize, Ill> {
        loop {
            match self.bytes.get(at) {
                Some(b'"') => return Ok(at),
                Some(b'\\') => at = self.escape(at)?,
                Some(0x00..0x20) => {
                    let expected = "an escape: control characters cannot stand here";
                    return Err(Ill { offset: at, expected });
                }
                Some(_) => at += 1,
                None => return Err(Ill { offset: at, expected: "a closing quote" }),
            }
        }
    }

    /// The end of the escape that begins at `at`. Whether surrogates are in pairs is for
    /// [`lone_surrogate`] to say.
    fn escape(&self, at: usize) -> Result<usize, Ill> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                let digit = |index: &usize| {
                    !self.bytes.get(*index).is_some_and(|byte| byte.is_ascii_hexdigit())
                };
                match (at + 2..at + 6).find(digit) {
                    None => Ok(at + 6),
                    Some(offset) => Err(Ill { offset, expected: "four hexadecimal digits" }),
                }
            }
            _ => Err(Ill { offset: at + 1, expected: "one of \" \\ / b f n r t u behind \\" }),
        }
    }
}

/// Something in a string that cannot stand there.
struct Ill {
    offset: usize,
    expected: &'static str,
}

/// The first escape that is one half of a surrogate pair without the other (RFC 8259, section 7).
/// An escape that the bytes end within is not looked at.
fn lone_surrogate(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(index) = raw[at..].iter().position(|byte| *byte == b'\\') {
        at += index;
        at += match code_unit(raw, at) {
            None => 2.min(raw.len() - at),
            Some(0xd800..0xdc00) if raw.get(at + 6..at + 8) == Some(b"\\u") => {
                match code_unit(raw, at + 6) {
                    Some(0xdc00..0xe000) => 12,
                    Some(_) => return Some(at),
                    None => return None,
                }
            }
            // Cut off before the other half could stand there.
            Some(0xd800..0xe000) => return Some(at),
            Some(_) => 6,
        };
    }
    None
}

/// The number of the `\uXXXX` that stands here.
fn code_unit(raw: &[u8], at: usize) -> Option<u32> {
    let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The text that a string with escapes stands for, all of which are known to be well formed.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(index) = rest.find('\\') {
        plain.push_str(&rest[..index]);
        let escape = &rest[index + 1..];
        let (character, length) = match escape.as_bytes().first() {
            Some(b'u') => code_point(escape).unwrap_or(('\u{fffd}', 5)),
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(&other) => (char::from(other), 1),
            None => break,
        };
        plain.push(character);
        rest = &escape[length..];
    }
    plain.push_str(rest);
    plain
}

/// The character of `u` and four digits, or of a pair of such escapes, and how long it is.
fn code_point(escape: &str) -> Option<(char, usize)> {
    let unit = |from: usize| u32::from_str_radix(escape.get(from..from + 4)?, 16).ok();
    let high = unit(1)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 5));
    }
    let low = (high < 0xdc00 && escape.get(5..7) == Some("\\u")).then(|| unit(7)).flatten()?;
    let paired = (0xdc00..0xe000).contains(&low);
    let code = 0x10000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?;
    char::from_u32(code).filter(|_| paired).map(|character| (character, 11))
}
