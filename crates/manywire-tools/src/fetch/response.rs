//! From a response to content: status, content codings, media type.

use std::path::Path;

use http::{HeaderMap, StatusCode, header};
use manywire_codec::coding::{DecodeLimits, Decoder};
use manywire_format::{Coding, Form, MediaType};
use url::Url;

use crate::fetch::urls;
use crate::fetch::{FetchError, Limits};

/// What a server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Where it came from, all redirects followed: scheme, host and path.
    pub name: String,
    /// What its media type is called, as it was sent; nothing where none was.
    pub media_type: Option<MediaType>,
    /// The form that the media type says, or else the extension of the path: what is sent as
    /// `text/plain` or without a word has to be called something.
    pub form: Option<Form>,
    /// The content, without its codings.
    pub bytes: Vec<u8>,
}

/// How many codings an answer may have; more are nobody's honest intention.
const CODINGS_MAX: usize = 2;

/// How much of the body of a failure is repeated.
const WORDS_MAX: usize = 200;

/// What is made of an answer.
pub(crate) fn content(
    url: &Url,
    status: StatusCode,
    fields: &HeaderMap,
    body: Vec<u8>,
    limits: &Limits,
) -> Result<Content, FetchError> {
    let name = urls::name_of(url);
    let failed = |message: String| FetchError::new(&name, message);
    let decoded = decode(fields, body, limits).map_err(&failed);
    if !status.is_success() {
        // Why there is a failure matters more than that its words cannot be read.
        return Err(failed(refusal(status, &decoded.unwrap_or_default())));
    }
    let bytes = decoded?;
    if status != StatusCode::OK {
        return Err(failed(format!("expected 200, found {status}, which is not the whole of it")));
    }
    let media_type = fields.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| MediaType::parse(value).ok());
    let told = media_type.as_ref().and_then(Form::from_media_type);
    let form = told.or_else(|| Form::of_path(Path::new(url.path())).0);
    Ok(Content { name, media_type, form, bytes })
}

/// The body without its codings, the last applied first.
fn decode(fields: &HeaderMap, mut body: Vec<u8>, limits: &Limits) -> Result<Vec<u8>, String> {
    for coding in codings(fields)? {
        let allowed = DecodeLimits::DEFAULT.with_bytes(limits.decoded_bytes);
        let mut decoded = Vec::new();
        Decoder::new(coding, allowed)
            .and_then(|mut decoder| decoder.decode(&body, &mut decoded))
            .map_err(|error| error.to_string())?;
        body = decoded;
    }
    Ok(body)
}

fn codings(fields: &HeaderMap) -> Result<Vec<Coding>, String> {
    let lines = fields.get_all(header::CONTENT_ENCODING).iter();
    let lines: Vec<&str> = lines.map(|line| line.to_str().unwrap_or("unknown")).collect();
    let names: Vec<&str> = lines
        .iter()
        .rev()
        .flat_map(|line| line.rsplit(','))
        .map(str::trim)
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
        .collect();
    if names.len() > CODINGS_MAX {
        return Err(format!("{} content codings one in the other are too many", names.len()));
    }
    let known = |name: &str| {
        name.parse().map_err(|_| format!("the content coding {name:?} is not read here"))
    };
    names.into_iter().map(known).collect()
}

/// A failure in words: the status, what the server says of it, what to do.
fn refusal(status: StatusCode, body: &[u8]) -> String {
    let head = String::from_utf8_lossy(&body[..body.len().min(8 * WORDS_MAX)]);
    let line = head.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let shown = |c: char| if c.is_control() || c == '\u{FFFD}' { '·' } else { c };
    let mut words: String = line.chars().take(WORDS_MAX).map(shown).collect();
    if line.chars().nth(WORDS_MAX).is_some() {
        words.push('…');
    }
    let mut message = format!("the server answered {status}");
    if !words.is_empty() {
        message = format!("{message}: {words}");
    }
    if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        message.push_str("\nhint: --header 'Authorization: …' says who asks");
    }
    message
}
