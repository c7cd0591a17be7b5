//! HTTP Archives ([HAR 1.2]) that browsers record: their bodies are payloads.
//!
//! An archive has every request of a page, including those for images. Payloads are the bodies of
//! successful responses and, if selected, of requests, in a selected format. Other bodies of
//! responses and of selected requests are counted and reported, as are binary bodies that were
//! recorded as characters. Invalid entries are errors.
//!
//! [HAR 1.2]: http://www.softwareishard.com/blog/har-12-spec/

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use manywire_codec::json;
use manywire_format::{Form, Format, MediaType};
use manywire_shape::{Arena, Value};

use crate::payload::{InputError, InputPosition, LIMITS, PayloadSource, RecordedBody, Source};

/// A recorded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The endpoint: `GET /v1/hotels/{id}`. Segments that are numbers, UUIDs or long hexadecimal numbers
    /// become `{id}`. The host is included if the archive has several hosts.
    pub endpoint: String,
    /// The endpoint with a number if it has several bodies: `GET /v1/hotels/{id} #2`.
    pub name: String,
    /// The form that the media type of the body gives.
    pub form: Form,
    /// The body without content coding.
    pub bytes: Vec<u8>,
}

impl Body {
    /// Returns the body as a source, with the name of the archive for messages.
    pub fn found_in(self, archive: &str) -> PayloadSource {
        let Body { endpoint, name, form, bytes } = self;
        let source = Source::of_bytes(&format!("{archive}: {name}"), bytes);
        PayloadSource { source, form, recorded: Some(RecordedBody { endpoint, name }) }
    }
}

/// The content of an archive.
#[derive(Debug, Default)]
pub struct Har {
    /// The bodies, in the order of the archive.
    pub bodies: Vec<Body>,
    /// The counts of entries that are not payloads.
    pub left_out: SkippedEntries,
    /// The errors of entries that violate the specification.
    pub errors: Vec<InvalidEntry>,
}

/// The error of an entry that violates the specification.
#[derive(Clone, Debug)]
pub struct InvalidEntry {
    /// The endpoint, as in [`Body::endpoint`], if the entry has one. The host is included if there are
    /// bodies of other hosts.
    pub endpoint: Option<String>,
    /// The error, with its path in the archive.
    pub error: InputError,
}

/// The selection of bodies of an archive.
#[derive(Clone, Copy, Debug)]
pub struct HarSelection {
    /// Includes the bodies of requests.
    pub requests: bool,
    /// Selects the forms to include.
    pub reads: fn(Form) -> bool,
}

/// Reads an archive.
///
/// # Errors
/// Fails for invalid JSON, and for JSON that is not an archive. Errors of single entries are in
/// [`Har::errors`]; the other entries are still read.
pub fn read(file: &str, bytes: &[u8], wanted: HarSelection) -> Result<Har, InputError> {
    // Some recorders begin their files with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let arena = Arena::new();
    let whole = json::read_value(bytes, &arena, LIMITS)
        .map_err(|error| InputError::decode(file, bytes, Format::Json, &error))?;
    let entries = whole.get("log").and_then(|log| log.get("entries"));
    let Some(Value::Array(entries)) = entries else {
        let message = "no HTTP archive: expected an object with an array log.entries (HAR 1.2)";
        return Err(InputError::whole(file, message));
    };
    let (mut recorded, mut invalid) = (Vec::new(), Vec::new());
    let mut har = Har::default();
    for (index, entry) in entries.iter().enumerate() {
        let mut record = EntryReader { entry, wanted, left_out: &mut har.left_out };
        let mut errors = Vec::new();
        record.bodies(&mut recorded, &mut errors);
        invalid.extend(errors.into_iter().map(|error| (index, error)));
    }
    let hosts = hosts(&recorded);
    let is_elsewhere = |place: &Endpoint| hosts.iter().any(|host| *host != place.host);
    let located = |(index, error): (usize, EntryError)| InvalidEntry {
        endpoint: error.place.map(|place| place.endpoint(is_elsewhere(&place))),
        error: InputError {
            file: file.into(),
            value: 0,
            place: InputPosition::Whole,
            path: format!("$.log.entries[{index}]{}", error.path).into(),
            message: error.message,
        },
    };
    har.errors = invalid.into_iter().map(located).collect();
    har.bodies = name_bodies(recorded);
    Ok(har)
}

/// The error of an entry.
struct EntryError {
    /// The endpoint, if it is known.
    place: Option<Endpoint>,
    /// The path in the entry.
    path: &'static str,
    message: String,
}

/// A body that has no name yet.
struct UnnamedBody {
    place: Endpoint,
    form: Form,
    bytes: Vec<u8>,
}

/// A reader of one entry.
struct EntryReader<'r, 'v> {
    entry: &'r Value<'v>,
    wanted: HarSelection,
    left_out: &'r mut SkippedEntries,
}

/// The body of a request or a response with its form, if it is selected.
type EntryBody = Result<Option<(Form, Vec<u8>)>, EntryError>;

impl<'v> EntryReader<'_, 'v> {
    /// Adds the bodies of the entry, and its errors. An error of the request does not hide the
    /// response, which belongs to another endpoint.
    fn bodies(&mut self, recorded: &mut Vec<UnnamedBody>, errors: &mut Vec<EntryError>) {
        let (method, url) = match self.target() {
            Ok(target) => target,
            Err(error) => return errors.push(error),
        };
        let request = if self.wanted.requests { self.request() } else { Ok(None) };
        for (is_request, body) in [(true, request), (false, self.response())] {
            let place = Endpoint::of(method, url, is_request);
            match body {
                Ok(None) => {}
                Ok(Some((form, bytes))) => recorded.push(UnnamedBody { place, form, bytes }),
                Err(error) => errors.push(EntryError { place: Some(place), ..error }),
            }
        }
    }

    /// Returns the method and the URL.
    fn target(&self) -> Result<(&'v str, &'v str), EntryError> {
        let request = self.entry.get("request").ok_or(missing(".request", "an object"))?;
        let method = text(&request, "method").filter(|method| is_token(method));
        let method = method.ok_or(missing(".request.method", "a method such as GET"))?;
        let url = text(&request, "url").ok_or(missing(".request.url", "a text"))?;
        Ok((method, url))
    }

    fn request(&mut self) -> EntryBody {
        let data = self.entry.get("request").and_then(|request| request.get("postData"));
        data.map_or(Ok(None), |data| self.body(&data, ".request.postData.text"))
    }

    fn response(&mut self) -> EntryBody {
        let response = self.entry.get("response").ok_or(missing(".response", "an object"))?;
        let status = match response.get("status") {
            Some(Value::I64(status)) => status,
            _ => return Err(missing(".response.status", "an integer")),
        };
        if !(200..300).contains(&status) {
            self.left_out.status(status);
            return Ok(None);
        }
        let content = response.get("content").ok_or(missing(".response.content", "an object"))?;
        self.body(&content, ".response.content.text")
    }

    /// Returns the body in a `content` or a `postData`, if it is selected.
    fn body(&mut self, content: &Value<'_>, path: &'static str) -> EntryBody {
        let Some(body) = text(content, "text").filter(|text| !text.is_empty()) else {
            self.left_out.without_body += 1;
            return Ok(None);
        };
        let media_type = text(content, "mimeType").unwrap_or_default();
        let media_type = MediaType::parse(media_type).ok();
        let form = media_type.as_ref().and_then(Form::from_media_type);
        let Some(form) = form.filter(|form| (self.wanted.reads)(*form)) else {
            let name = media_type.as_ref().map_or("no type at all", MediaType::essence);
            self.left_out.other_type(name);
            return Ok(None);
        };
        let is_base64 =
            text(content, "encoding").is_some_and(|name| name.eq_ignore_ascii_case("base64"));
        if is_base64 {
            let digits: Vec<u8> =
                body.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
            let bytes = BASE64.decode(digits).map_err(|error| EntryError {
                place: None,
                path,
                message: format!("invalid base64: {error}"),
            })?;
            return Ok(Some((form, bytes)));
        }
        if !form.format.row().text {
            // The recorder decoded the bytes as characters, so they are lost.
            self.left_out.garbled += 1;
            return Ok(None);
        }
        Ok(Some((form, body.as_bytes().to_vec())))
    }
}

/// A decoder that accepts base64 with or without padding, because recorders differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn text<'v>(object: &Value<'v>, key: &str) -> Option<&'v str> {
    match object.get(key) {
        Some(Value::Str(text)) => Some(text),
        _ => None,
    }
}

/// Returns whether a text is a token (RFC 9110, section 5.6.2), which methods must be.
fn is_token(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(known)
}

#[cold]
fn missing(path: &'static str, what: &str) -> EntryError {
    EntryError { place: None, path, message: format!("expected {what} (HAR 1.2), found none") }
}

/// The endpoint that a body was sent to or came from.
struct Endpoint {
    method: String,
    host: String,
    path: String,
    is_request: bool,
}

impl Endpoint {
    fn of(method: &str, url: &str, is_request: bool) -> Endpoint {
        let (host, path) = split(url);
        let path: Vec<&str> = path.split('/').map(template).collect();
        Endpoint {
            method: visible(method),
            host: visible(host),
            path: visible(&path.join("/")),
            is_request,
        }
    }

    fn endpoint(&self, with_host: bool) -> String {
        let Endpoint { method, host, path, is_request } = self;
        let host = if with_host { host.as_str() } else { "" };
        let what = if *is_request { " (request)" } else { "" };
        format!("{method} {host}{path}{what}")
    }
}

/// Returns the hosts of the bodies.
fn hosts(recorded: &[UnnamedBody]) -> BTreeSet<&str> {
    recorded.iter().map(|body| body.place.host.as_str()).collect()
}

/// Names the bodies. The host is included only if there are several hosts, and a number only if an
/// endpoint has several bodies.
fn name_bodies(recorded: Vec<UnnamedBody>) -> Vec<Body> {
    let with_host = hosts(&recorded).len() > 1;
    let mut totals: BTreeMap<String, u64> = BTreeMap::new();
    for body in &recorded {
        *totals.entry(body.place.endpoint(with_host)).or_default() += 1;
    }
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let named = recorded.into_iter().map(|UnnamedBody { place, form, bytes }| {
        let endpoint = place.endpoint(with_host);
        let number = seen.entry(endpoint.clone()).or_default();
        *number += 1;
        let name = match totals[&endpoint] {
            1 => endpoint.clone(),
            _ => format!("{endpoint} #{number}"),
        };
        Body { endpoint, name, form, bytes }
    });
    named.collect()
}

/// Splits a URL into its host with port and its path. Drops user, query and fragment.
fn split(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (host, if path.is_empty() { "/" } else { path })
}

/// The minimum number of digits of a hexadecimal identifier: an ObjectId has 24, a hash 32 or more.
const HEX_DIGITS_MIN: usize = 16;

/// Returns `{id}` for a segment that is an identifier, and other segments unchanged.
fn template(segment: &str) -> &str {
    let digits = || segment.bytes().all(|byte| byte.is_ascii_digit());
    let hex = || segment.bytes().all(|byte| byte.is_ascii_hexdigit());
    let uuid = || {
        let lengths: Vec<usize> = segment.split('-').map(str::len).collect();
        let hex = segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        hex && lengths == [8, 4, 4, 4, 12]
    };
    let names_one = digits() || (segment.len() >= HEX_DIGITS_MIN && hex()) || uuid();
    if !segment.is_empty() && names_one { "{id}" } else { segment }
}

/// Replaces control characters, so that a terminal does not interpret them.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

/// The counts of archive entries that are not payloads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedEntries {
    /// Entries without a body: none was sent, or none was recorded.
    pub without_body: u64,
    /// Binary bodies that were recorded as characters.
    pub garbled: u64,
    statuses: BTreeMap<i64, u64>,
    types: BTreeMap<String, u64>,
}

/// The maximum number of media types that are listed; an archive of a page has about ten.
const TYPES_NAMED: usize = 8;

/// The maximum number of media types that are counted separately, so that an archive cannot fill
/// the memory with counters.
const TYPES_MAX: usize = 1_000;

impl SkippedEntries {
    /// Returns the number of skipped bodies and of entries without a body.
    pub fn count(&self) -> u64 {
        let others = self.statuses.values().chain(self.types.values());
        self.without_body + self.garbled + others.sum::<u64>()
    }

    fn status(&mut self, status: i64) {
        // Valid statuses have three digits; browsers write 0 for a request without a response.
        *self.statuses.entry(status.clamp(0, 1_000)).or_default() += 1;
    }

    fn other_type(&mut self, media_type: &str) {
        let known = self.types.len() < TYPES_MAX || self.types.contains_key(media_type);
        let name = if known { media_type } else { "others" };
        *self.types.entry(name.to_owned()).or_default() += 1;
    }
}

impl fmt::Display for SkippedEntries {
    /// Writes text such as `5 left out: 2 without a body, 3 of other types (image/png: 2,
    /// text/html: 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.without_body > 0 {
            parts.push(format!("{} without a body", self.without_body));
        }
        if !self.statuses.is_empty() {
            let all: u64 = self.statuses.values().sum();
            let each = self.statuses.iter().map(|(status, count)| format!("{status}: {count}"));
            let each: Vec<String> = each.collect();
            parts.push(format!("{all} with a status other than 2xx ({})", each.join(", ")));
        }
        if !self.types.is_empty() {
            let all: u64 = self.types.values().sum();
            let mut types: Vec<(&String, &u64)> = self.types.iter().collect();
            types.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
            let mut each: Vec<String> = types
                .iter()
                .take(TYPES_NAMED)
                .map(|(name, count)| format!("{name}: {count}"))
                .collect();
            if types.len() > TYPES_NAMED {
                each.push("…".to_owned());
            }
            parts.push(format!("{all} of other types ({})", each.join(", ")));
        }
        if self.garbled > 0 {
            parts.push(format!("{} with binary content recorded as text", self.garbled));
        }
        write!(f, "{} left out: {}", self.count(), parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{split, template};

    #[test]
    fn splits_urls_into_host_and_path() {
        for (url, expected) in [
            ("https://api.example.com/v1/a?key=secret#x", ("api.example.com", "/v1/a")),
            ("http://user:pass@[::1]:8080", ("[::1]:8080", "/")),
            ("http://h?q=/", ("h", "/")),
            ("/bare", ("", "/bare")),
        ] {
            assert_eq!(split(url), expected, "{url}");
        }
    }

    #[test]
    fn replaces_identifiers_in_paths() {
        for segment in ["7", "64b0c20058b2a2055bb55bcb", "123e4567-e89b-12d3-a456-426614174000"] {
            assert_eq!(template(segment), "{id}");
        }
        for segment in ["", "v1", "decade", "face", "7a", "hotels.json"] {
            assert_eq!(template(segment), segment);
        }
    }
}
