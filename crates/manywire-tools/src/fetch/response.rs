//! Responses: checks the status, decodes content codings, and reads the media type.

use std::fmt;
use std::path::Path;

use http::{HeaderMap, StatusCode, header};
use manywire_codec::coding::{DecodeLimits, Decoder};
use manywire_format::{Coding, Form, MediaType};
use url::Url;

use crate::fetch::urls;
use crate::fetch::{FetchError, Limits};

/// The content of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The URL after all redirects: scheme, host and path.
    pub name: String,
    /// The media type, if the server sent one.
    pub media_type: Option<MediaType>,
    /// The form that the media type gives, or else the extension of the path: some servers send
    /// `text/plain` or no media type.
    pub form: Option<Form>,
    /// The decoded content.
    pub bytes: Vec<u8>,
}

/// The largest number of content codings of a response. Real services use one.
const CODINGS_MAX: usize = 2;

/// The maximum number of characters of an error body that are shown.
const WORDS_MAX: usize = 200;

/// Returns the content of a response.
pub(crate) fn content(
    url: &Url,
    status: StatusCode,
    fields: &HeaderMap,
    body: Vec<u8>,
    limits: &Limits,
) -> Result<Content, FetchError> {
    let name = urls::name_of(url);
    let failed = |message: String| FetchError::new(&name, message);
    let decoded = decode(fields, body, limits).map_err(|error| failed(error.to_string()));
    if !status.is_success() {
        // The status matters more than an error body that cannot be decoded.
        return Err(failed(describe_failure(status, &decoded.unwrap_or_default())));
    }
    let bytes = decoded?;
    if status != StatusCode::OK {
        return Err(failed(format!("expected 200, found {status}: this is not the whole content")));
    }
    let media_type = fields.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| MediaType::parse(value).ok());
    let declared = media_type.as_ref().and_then(Form::from_media_type);
    let form = declared.or_else(|| Form::of_path(Path::new(url.path())).0);
    Ok(Content { name, media_type, form, bytes })
}

/// The reason that the content codings of a body cannot be removed.
enum CodingError {
    /// The body has this many codings, more than [`CODINGS_MAX`].
    TooMany(usize),
    /// A coding is unknown.
    Unknown(String),
    /// The body is not valid in its coding, or too large.
    Codec(manywire_codec::Error),
}

impl fmt::Display for CodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodingError::TooMany(count) => {
                write!(f, "too many nested content codings: {count}")
            }
            CodingError::Unknown(name) => {
                write!(f, "unsupported content coding {name:?}")
            }
            CodingError::Codec(error) => error.fmt(f),
        }
    }
}

/// Decodes the content codings of a body, the last applied first.
fn decode(fields: &HeaderMap, mut body: Vec<u8>, limits: &Limits) -> Result<Vec<u8>, CodingError> {
    for coding in codings(fields)? {
        let allowed = DecodeLimits::DEFAULT.with_bytes(limits.decoded_bytes);
        let mut decoded = Vec::new();
        Decoder::new(coding, allowed)
            .and_then(|mut decoder| decoder.decode(&body, &mut decoded))
            .map_err(CodingError::Codec)?;
        body = decoded;
    }
    Ok(body)
}

fn codings(fields: &HeaderMap) -> Result<Vec<Coding>, CodingError> {
    let lines = fields.get_all(header::CONTENT_ENCODING).iter();
    let lines = lines.map(|line| line.to_str().unwrap_or("unknown"));
    let names: Vec<&str> = Coding::listed(lines).collect();
    if names.len() > CODINGS_MAX {
        return Err(CodingError::TooMany(names.len()));
    }
    let known = |name: &str| name.parse().map_err(|_| CodingError::Unknown(name.to_owned()));
    names.into_iter().map(known).collect()
}

/// Describes a failed response: its status, the first line of its body, and a hint.
fn describe_failure(status: StatusCode, body: &[u8]) -> String {
    let head = String::from_utf8_lossy(&body[..body.len().min(8 * WORDS_MAX)]);
    let line = head.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let shown = |c: char| if c.is_control() || c == '\u{FFFD}' { '·' } else { c };
    let mut words: String = line.chars().take(WORDS_MAX).map(shown).collect();
    if line.chars().nth(WORDS_MAX).is_some() {
        words.push('…');
    }
    let mut message = format!("the server responded with {status}");
    if !words.is_empty() {
        message = format!("{message}: {words}");
    }
    if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        message.push_str("\nhint: --header 'Authorization: …' sends credentials");
    }
    message
}
