//! The syntax of negotiation fields (RFC 9110, section 5.6): tokens, quoted strings, lists, quality
//! values. All functions work on bytes and copy nothing.

use std::fmt;

/// A quality value (RFC 9110, section 12.4.2), in thousandths: from 0, "not acceptable", to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quality(u16);

impl Quality {
    /// Not acceptable.
    pub const ZERO: Quality = Quality(0);
    /// The value of a member without a weight.
    pub const ONE: Quality = Quality(1_000);

    /// Returns the value in thousandths.
    pub fn thousandths(self) -> u16 {
        self.0
    }

    /// Returns whether the value is above zero.
    pub fn is_acceptable(self) -> bool {
        self.0 != 0
    }

    /// Parses `0` or `1`, optionally followed by a point and up to three digits. Values above 1 are
    /// invalid.
    #[inline]
    pub(super) fn parse(text: &[u8]) -> Option<Quality> {
        let (whole, digits) = match text {
            [whole] => (*whole, &[][..]),
            [whole, b'.', digits @ ..] => (*whole, digits),
            _ => return None,
        };
        let Quality(thousandths) = Quality::parse_digits(&mut digits.iter())?;
        match whole {
            b'0' => Some(Quality(thousandths)),
            b'1' if thousandths == 0 => Some(Quality::ONE),
            _ => None,
        }
    }

    /// Parses up to three digits after the point, and then the end of the text or the comma that
    /// ends the member, which is consumed.
    #[inline(always)]
    pub(super) fn parse_digits(text: &mut std::slice::Iter<'_, u8>) -> Option<Quality> {
        let mut thousandths = 0;
        for weight in [100, 10, 1] {
            match text.next() {
                None | Some(b',') => return Some(Quality(thousandths)),
                Some(digit @ b'0'..=b'9') => thousandths += u16::from(digit - b'0') * weight,
                Some(_) => return None,
            }
        }
        matches!(text.next(), None | Some(b',')).then_some(Quality(thousandths))
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1_000, self.0 % 1_000) {
            (whole, 0) => write!(f, "{whole}"),
            (whole, thousandths) => {
                let digits = format!("{thousandths:03}");
                write!(f, "{whole}.{}", digits.trim_end_matches('0'))
            }
        }
    }
}

/// Indicates whether a token may contain each byte. A table is used because every byte of a header
/// is looked up.
static TOKEN: [bool; 256] = {
    let others = b"!#$%&'*+-.^_`|~";
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut index = 0;
    while index < others.len() {
        table[others[index] as usize] = true;
        index += 1;
    }
    table
};

/// Returns the length of the token at the start, which may be zero.
#[inline]
pub(crate) fn token_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !TOKEN[usize::from(*byte)]).unwrap_or(bytes.len())
}

/// Skips optional white space.
#[inline]
pub(crate) fn after_space(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// Returns the length of the quoted string at the start, including its quotes. Returns nothing if
/// the string is not closed or contains a control character.
fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if is_quotable(*bytes.get(at + 1)?) => at += 2,
            byte if is_quotable(byte) && byte != b'\\' => at += 1,
            _ => return None,
        }
    }
}

fn is_quotable(byte: u8) -> bool {
    byte == b'\t' || byte >= b' ' && byte != 0x7F
}

/// Splits a list at its next comma outside quotes. A member with an unclosed quote extends to the
/// end.
pub(super) fn member(list: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(byte) = list.get(at) {
        match byte {
            b',' => return (&list[..at], &list[at + 1..]),
            b'"' => at += quoted_length(&list[at..]).unwrap_or(list.len() - at),
            _ => at += 1,
        }
    }
    (list, &[])
}

/// Parses the parameter at the start of `text`, which begins after a `;`, and returns the parameter
/// and the text after it. The parameter is `None` if it is empty, which section 5.6.6 allows.
/// Returns nothing for a malformed parameter.
#[inline]
#[allow(clippy::type_complexity, reason = "a name would be longer than the type")]
pub(crate) fn parameter(text: &[u8]) -> Option<(Option<(&[u8], &[u8])>, &[u8])> {
    let text = after_space(text);
    let name_length = token_length(text);
    if name_length == 0 {
        return Some((None, text));
    }
    let (name, rest) = text.split_at(name_length);
    let [b'=', rest @ ..] = rest else { return None };
    let value_length = match rest {
        [b'"', ..] => quoted_length(rest)?,
        _ => token_length(rest),
    };
    if value_length == 0 {
        return None;
    }
    let (value, rest) = rest.split_at(value_length);
    Some((Some((name, value)), rest))
}

/// Returns whether the value of a parameter, as it was sent, equals this text.
pub(super) fn value_is(sent: &[u8], value: &[u8], any_case: bool) -> bool {
    let is_equal =
        |sent: &u8, known: &u8| sent == known || any_case && sent.eq_ignore_ascii_case(known);
    match sent {
        [b'"', inner @ .., b'"'] => {
            let mut known = value.iter();
            let mut inner = inner.iter();
            while let Some(mut byte) = inner.next() {
                if *byte == b'\\' {
                    byte = inner.next().unwrap_or(byte);
                }
                if !known.next().is_some_and(|known| is_equal(byte, known)) {
                    return false;
                }
            }
            known.next().is_none()
        }
        bare => bare.len() == value.len() && bare.iter().zip(value).all(|(a, b)| is_equal(a, b)),
    }
}

/// Returns the next member of a list, parsed by `read`, or the raw text of the member if `read`
/// fails. `rest` becomes the text after the member. Empty members are skipped (section 5.6.1.2).
#[inline]
pub(super) fn next_member<'h, T>(
    rest: &mut &'h [u8],
    read: impl FnOnce(&'h [u8]) -> Option<(T, &'h [u8])>,
) -> Option<Result<T, &'h [u8]>> {
    loop {
        *rest = after_space(rest);
        match *rest {
            [] => return None,
            [b',', behind @ ..] => *rest = behind,
            _ => break,
        }
    }
    let (found, behind) = match read(rest) {
        Some((found, behind)) => (Ok(found), behind),
        None => {
            let (whole, behind) = member(rest);
            (Err(whole), behind)
        }
    };
    *rest = behind;
    Some(found)
}
