//! HTTP Archives: every entry is accounted for, and each body equals the recorded one.

use std::collections::HashSet;

use manywire_codec::json;
use manywire_format::{Form, MediaType};
use manywire_shape::{Arena, Value};
use manywire_tools::payload::har::{self, Har, HarSelection};
use manywire_tools::payload::{InputPosition, LIMITS};

use crate::target::{CheckResult, Violation, ensure};
use crate::text::in_base64;

pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    for requests in [false, true] {
        archive(bytes, HarSelection { requests, reads: |_| true })?;
        archive(bytes, HarSelection { requests, reads: |form| !form.needs_schema() })?;
    }
    Ok(())
}

fn archive(bytes: &[u8], wanted: HarSelection) -> CheckResult {
    let arena = Arena::new();
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let entries = json::read_value(text, &arena, LIMITS).ok().and_then(|whole| {
        match whole.get("log")?.get("entries")? {
            Value::Array(entries) => Some(entries),
            _ => None,
        }
    });
    let read = har::read("archive", bytes, wanted);
    let (entries, har) = match (entries, read) {
        (None, Err(error)) => {
            ensure!(!error.message.is_empty(), "refused without a message");
            return Ok(());
        }
        (None, Ok(_)) => return Err(Violation("an invalid archive was accepted".to_owned())),
        (Some(_), Err(error)) => {
            return Err(Violation(format!("a valid archive was refused: {error}")));
        }
        (Some(entries), Ok(har)) => (entries, har),
    };
    let mut expected = Expected::default();
    for entry in entries {
        expected.entry(entry, wanted);
    }
    compare(&har, &expected)
}

/// Checks that everything in the archive is a body, left out, or an error.
fn compare(har: &Har, expected: &Expected) -> CheckResult {
    let left_out = har.left_out.count();
    ensure!(left_out == expected.left_out, "{left_out} left out, not {}", expected.left_out);
    ensure!(har.left_out.to_string().contains(&left_out.to_string()), "{}", har.left_out);
    let errors = har.errors.len();
    ensure!(errors == expected.errors, "{errors} entries have errors, not {}", expected.errors);
    let places = har.errors.iter().map(|error| (&error.place, &error.path));
    for (place, path) in places {
        let named = path.starts_with("$.log.entries[") && matches!(place, InputPosition::Whole);
        ensure!(named, "an error without the path of its entry: {path}");
    }
    let bodies = har.bodies.len();
    ensure!(bodies == expected.bodies.len(), "{bodies} bodies, not {}", expected.bodies.len());
    let mut names = HashSet::new();
    for (body, (form, content)) in har.bodies.iter().zip(&expected.bodies) {
        ensure!(body.form == *form, "{} is {}, not {form}", body.name, body.form);
        let same = match content {
            Content::Text(text) => body.bytes == text.as_bytes(),
            Content::Base64(digits) => {
                in_base64(&body.bytes).trim_end_matches('=') == digits.trim_end_matches('=')
            }
        };
        ensure!(same, "{} is {:02x?}, not {content:?}", body.name, body.bytes);
        ensure!(body.name.starts_with(&*body.endpoint), "{} of {}", body.name, body.endpoint);
        ensure!(names.insert(&body.name), "two bodies are named {}", body.name);
        ensure!(
            !body.name.contains(char::is_control),
            "{:?} is a name with control characters",
            body.name
        );
    }
    Ok(())
}

/// The expected content of an archive.
#[derive(Default)]
struct Expected {
    bodies: Vec<(Form, Content)>,
    left_out: u64,
    errors: usize,
}

/// A recorded body.
#[derive(Debug)]
enum Content {
    Text(String),
    /// Base64 without line breaks.
    Base64(String),
}

impl Expected {
    fn entry(&mut self, entry: &Value<'_>, wanted: HarSelection) {
        if self.try_entry(entry, wanted).is_none() {
            self.errors += 1;
        }
    }

    /// Reads an entry; returns `None` if the entry violates HAR 1.2.
    fn try_entry(&mut self, entry: &Value<'_>, wanted: HarSelection) -> Option<()> {
        let request = entry.get("request")?;
        let method = text(&request, "method")?;
        (!method.is_empty() && method.bytes().all(is_of_token)).then_some(())?;
        text(&request, "url")?;
        if let Some(data) = request.get("postData").filter(|_| wanted.requests) {
            self.content(&data, wanted)?;
        }
        let response = entry.get("response")?;
        let Value::I64(status) = response.get("status")? else { return None };
        if !matches!(status, 200..=299) {
            self.left_out += 1;
            return Some(());
        }
        self.content(&response.get("content")?, wanted)
    }

    fn content(&mut self, content: &Value<'_>, wanted: HarSelection) -> Option<()> {
        let body = text(content, "text").unwrap_or_default();
        let kind = text(content, "mimeType").and_then(|it| MediaType::parse(&it).ok());
        let form = kind.as_ref().and_then(Form::from_media_type).filter(|it| (wanted.reads)(*it));
        let Some(form) = form.filter(|_| !body.is_empty()) else {
            self.left_out += 1;
            return Some(());
        };
        let encoding = text(content, "encoding").unwrap_or_default();
        if encoding.eq_ignore_ascii_case("base64") {
            let digits: String = body.chars().filter(|it| !matches!(it, '\r' | '\n')).collect();
            is_base64(&digits).then_some(())?;
            self.bodies.push((form, Content::Base64(digits)));
        } else if form.format.row().text {
            self.bodies.push((form, Content::Text(body)));
        } else {
            self.left_out += 1;
        }
        Some(())
    }
}

/// Returns true for a character of a method (RFC 9110, section 5.6.2).
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Returns true for base64 with full, partial or no padding, and zeros in the unused bits (RFC
/// 4648, section 3.5).
fn is_base64(digits: &str) -> bool {
    let bare = digits.trim_end_matches('=');
    let padding = digits.len() - bare.len();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let last = bare.bytes().last().map_or(0, value);
    let over = match bare.len() % 4 {
        0 => return padding == 0 && bare.bytes().all(known),
        2 => (last & 0x0f, 2),
        3 => (last & 0x03, 1),
        _ => return false,
    };
    bare.bytes().all(known) && over.0 == 0 && padding <= over.1
}

fn text(object: &Value<'_>, key: &str) -> Option<String> {
    match object.get(key) {
        Some(Value::Str(text)) => Some(text.to_owned()),
        _ => None,
    }
}
