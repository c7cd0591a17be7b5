//! What a browser recorded: HTTP Archives ([HAR 1.2]), whose bodies are payloads.
//!
//! An archive has everything a page asked for, images and all. What is of use here are the bodies
//! of answers that succeeded, in a format that is known; the rest is counted and told, never
//! passed over in silence.
//!
//! [HAR 1.2]: http://www.softwareishard.com/blog/har-12-spec/

mod endpoint;
mod left_out;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use manywire_codec::json;
use manywire_format::{Form, Format, MediaType};
use manywire_shape::{Arena, Value};

use crate::payload::{Found, InputError, LIMITS, Place, Recorded as Named, Source};

pub use left_out::LeftOut;

/// A body that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// What it answers: `GET /v1/hotels/{id}`. Segments that are numbers, UUIDs or long hexadecimal
    /// numbers stand for others like them; the host is in it where there are several.
    pub endpoint: String,
    /// Which of the endpoint's: `GET /v1/hotels/{id} #2`; the endpoint itself where it is the only one.
    pub name: String,
    /// What the body's media type says that it holds.
    pub form: Form,
    /// The body, as the program at the other end of the connection had it.
    pub bytes: Vec<u8>,
}

impl Body {
    /// The body as a source of its own, by the name of its archive for messages.
    pub fn found_in(self, archive: &str) -> Found {
        let Body { endpoint, name, form, bytes } = self;
        let source = Source::of_bytes(&format!("{archive}: {name}"), bytes);
        Found { source, form, recorded: Some(Named { endpoint, name }) }
    }
}

/// The bodies of an archive, and what else there was.
#[derive(Debug, Default)]
pub struct Har {
    /// In the order they were recorded.
    pub bodies: Vec<Body>,
    /// What was not taken.
    pub left_out: LeftOut,
    /// Entries that are not what the specification says.
    pub errors: Vec<InputError>,
}

/// What to take of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The bodies of requests, beside those of answers.
    pub requests: bool,
    /// Forms that whoever reads the bodies can read.
    pub reads: fn(Form) -> bool,
}

/// Reads an archive.
///
/// # Errors
/// Bytes that are no JSON, or JSON that is no archive. What is wrong with single entries is in
/// [`Har::errors`], and the others are read all the same.
pub fn read(file: &str, bytes: &[u8], wanted: Wanted) -> Result<Har, InputError> {
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
    let mut recorded = Vec::new();
    let mut har = Har::default();
    for (index, entry) in entries.iter().enumerate() {
        let mut record = Record { entry, wanted, left_out: &mut har.left_out };
        match record.bodies(&mut recorded) {
            Ok(()) => {}
            Err(Fault { path, message }) => har.errors.push(InputError {
                file: file.into(),
                value: 0,
                place: Place::Whole,
                path: format!("$.log.entries[{index}]{path}").into(),
                message,
            }),
        }
    }
    har.bodies = endpoint::named(recorded);
    Ok(har)
}

/// What is wrong with an entry, and where in it.
struct Fault {
    path: &'static str,
    message: String,
}

/// A body whose name is still to be found.
struct Recorded {
    place: endpoint::Place,
    form: Form,
    bytes: Vec<u8>,
}

/// An entry that is being read.
struct Record<'r, 'v> {
    entry: &'r Value<'v>,
    wanted: Wanted,
    left_out: &'r mut LeftOut,
}

impl Record<'_, '_> {
    fn bodies(&mut self, recorded: &mut Vec<Recorded>) -> Result<(), Fault> {
        let request = self.entry.get("request").ok_or(missing(".request", "an object"))?;
        let method = text(&request, "method").filter(|method| is_token(method));
        let method = method.ok_or(missing(".request.method", "a method such as GET"))?;
        let url = text(&request, "url").ok_or(missing(".request.url", "a text"))?;
        let place = |is_request| endpoint::Place::of(method, url, is_request);
        if self.wanted.requests
            && let Some(data) = request.get("postData")
            && let Some((form, bytes)) = self.body(&data, ".request.postData.text")?
        {
            recorded.push(Recorded { place: place(true), form, bytes });
        }
        let response = self.entry.get("response").ok_or(missing(".response", "an object"))?;
        let status = match response.get("status") {
            Some(Value::I64(status)) => status,
            _ => return Err(missing(".response.status", "an integer")),
        };
        if !(200..300).contains(&status) {
            self.left_out.status(status);
            return Ok(());
        }
        let content = response.get("content").ok_or(missing(".response.content", "an object"))?;
        if let Some((form, bytes)) = self.body(&content, ".response.content.text")? {
            recorded.push(Recorded { place: place(false), form, bytes });
        }
        Ok(())
    }

    /// The body of a `content` or a `postData`, where it is one that is wanted.
    fn body(
        &mut self,
        content: &Value<'_>,
        path: &'static str,
    ) -> Result<Option<(Form, Vec<u8>)>, Fault> {
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
            let bytes = BASE64
                .decode(digits)
                .map_err(|error| Fault { path, message: format!("no base64: {error}") })?;
            return Ok(Some((form, bytes)));
        }
        if !form.format.row().text {
            // Its bytes were read as characters, and are not to be had back.
            self.left_out.garbled += 1;
            return Ok(None);
        }
        Ok(Some((form, body.as_bytes().to_vec())))
    }
}

/// Recorders differ in whether they pad.
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

/// Whether a text is a token (RFC 9110, section 5.6.2), as methods are.
fn is_token(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(known)
}

#[cold]
fn missing(path: &'static str, what: &str) -> Fault {
    Fault { path, message: format!("expected {what} (HAR 1.2), found none") }
}
