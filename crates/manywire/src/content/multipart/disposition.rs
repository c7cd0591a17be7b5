//! Parses `Content-Disposition: form-data; name="photo"; filename="a.png"` (RFC 7578, section 4.2).

use std::fmt;

use crate::negotiate::{after_space, parameter, token_length};
use crate::percent::decode as percent_decode;

/// The names of a part.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Disposition {
    /// The name of the field.
    pub(super) name: Option<String>,
    /// The file name on the client.
    pub(super) file_name: Option<String>,
}

/// The error for an invalid Content-Disposition.
#[derive(Debug, PartialEq)]
pub(super) struct InvalidDisposition {
    at: usize,
    expected: &'static str,
}

impl fmt::Display for InvalidDisposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidDisposition { at, expected } = self;
        write!(f, "expected {expected} at byte {at} of the Content-Disposition of a part")
    }
}

/// The known parameters; others are ignored. A parameter with an asterisk has its charset in the
/// value (RFC 8187). Browser forms never send such a parameter, but other clients do. The parameter
/// with an asterisk takes precedence over the one without (RFC 6266, section 4.3).
const KNOWN: [&str; 4] = ["name", "name*", "filename", "filename*"];

impl Disposition {
    /// Parses a `Content-Disposition` field.
    ///
    /// # Errors
    /// Fails with the position of invalid syntax, of a repeated name, or of text that is not UTF-8:
    /// another parser might find different names in such a field.
    pub(super) fn parse(field: &[u8]) -> Result<Disposition, InvalidDisposition> {
        let wrong = |rest: &[u8], expected| {
            Err(InvalidDisposition { at: field.len() - rest.len(), expected })
        };
        let text = after_space(field);
        let (kind, mut rest) = text.split_at(token_length(text));
        if !kind.eq_ignore_ascii_case(b"form-data") {
            return wrong(text, "form-data");
        }
        let mut found: [Option<String>; KNOWN.len()] = Default::default();
        loop {
            rest = after_space(rest);
            let begun = match rest {
                [] => break,
                [b';', begun @ ..] => after_space(begun),
                _ => return wrong(rest, "; or the end"),
            };
            let Some((parameter, behind)) = parameter(begun) else {
                return wrong(begun, "a parameter, as in name=\"photo\"");
            };
            rest = behind;
            let Some((name, value)) = parameter else { continue };
            let is_it = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
            let Some(place) = KNOWN.iter().position(|known| is_it(known)) else { continue };
            let text = match name.ends_with(b"*") {
                true => extended(value),
                false => plain(value).map(Some),
            };
            let Some(text) = text else { return wrong(begun, "a text in UTF-8") };
            let Some(slot) = found.get_mut(place) else { continue };
            if slot.is_some() {
                return wrong(begun, "each parameter once");
            }
            *slot = text;
        }
        let [name, extended_name, file_name, extended_file_name] = found;
        Ok(Disposition {
            name: extended_name.or(name),
            file_name: extended_file_name.or(file_name),
        })
    }
}

/// Returns a token or a quoted string as text, or `None` if it is not UTF-8.
fn plain(value: &[u8]) -> Option<String> {
    let [b'"', quoted @ .., b'"'] = value else { return text(value.to_vec()) };
    let mut unquoted = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        // Clients escape these two characters. A backslash before any other character is part of
        // the name, as in a Windows path.
        match (byte, bytes.peek()) {
            (b'\\', Some(b'"' | b'\\')) => unquoted.extend(bytes.next()),
            _ => unquoted.push(byte),
        }
    }
    let text = text(unquoted)?;
    // Browsers escape exactly these three characters (HTML, section 4.10.21.8).
    let is_escaped = text.contains('%');
    Some(match is_escaped {
        true => text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"),
        false => text,
    })
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

/// Parses a value with its charset in front. The inner option is `None` for charsets other than
/// UTF-8, the only one that must be supported (RFC 8187, section 3.2.1).
fn extended(value: &[u8]) -> Option<Option<String>> {
    let value = std::str::from_utf8(value).ok()?;
    let (charset, rest) = value.split_once('\'')?;
    let (_language, encoded) = rest.split_once('\'')?;
    if !charset.eq_ignore_ascii_case("utf-8") {
        return Some(None);
    }
    percent_decode(encoded, false).ok().map(|text| Some(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn names(field: &str) -> (String, Option<String>) {
        let found = Disposition::parse(field.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        (found.name.unwrap_or_default(), found.file_name)
    }

    #[test]
    fn reads_names_as_clients_write_them() {
        for (field, name, file_name) in [
            (r#"form-data; name="a""#, "a", None),
            (r#"Form-Data;NAME=a;FileName="b c.png""#, "a", Some("b c.png")),
            (r#"form-data; name="a; filename=\"b\"""#, r#"a; filename="b""#, None),
            (r#"form-data; name="x filename=y"; filename="z""#, "x filename=y", Some("z")),
            (r#"form-data; filename="name=\"b\""; name="a""#, "a", Some(r#"name="b""#)),
            (r#"form-data; name="a"; filename="C:\dir\é.txt""#, "a", Some(r"C:\dir\é.txt")),
            (r#"form-data; name="a\\b"; filename="""#, r"a\b", Some("")),
            (r#"form-data; name="%22a%22%0D%0A%41""#, "\"a\"\r\n%41", None),
            (
                r#"form-data; name="a"; filename="_.txt"; filename*=UTF-8''%E2%82%AC%20.txt"#,
                "a",
                Some("€ .txt"),
            ),
            ("form-data; name*=utf-8'en'%C3%A4", "ä", None),
            (r#"form-data; name="a"; filename*=koi8-r''%C1; x=y;"#, "a", None),
            ("form-data ; name=a ; ; filename=b ", "a", Some("b")),
            ("form-data", "", None),
        ] {
            let expected = (name.to_owned(), file_name.map(str::to_owned));
            assert_eq!(names(field), expected, "{field}");
        }
    }

    #[test]
    fn rejects_ambiguous_syntax_with_its_position() {
        for (field, at) in [
            (&b""[..], 0),
            (b"attachment; name=a", 0),
            (b"form-data name=a", 10),
            (b"form-data; name=\"a", 11),
            (b"form-data; name=\"a\"b", 19),
            (b"form-data; name=a, b", 17),
            (b"form-data; name", 11),
            (b"form-data; name=", 11),
            (b"form-data; name=a; name=b", 19),
            (b"form-data; name=\"\xFF\"", 11),
            (b"form-data; name*=UTF-8''%ZZ", 11),
            (b"form-data; name*=UTF-8''%FF", 11),
            (b"form-data; name*=\"a\"", 11),
            (b"form-data; name=\"a\x01\"", 11),
        ] {
            let found = Disposition::parse(field).map_err(|error| error.at);
            assert_eq!(found, Err(at), "{}", field.escape_ascii());
        }
    }
}
