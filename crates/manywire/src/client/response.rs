//! Responses: received whole or as a stream, decoded by `Content-Type`, and returned as
//! [`Fetched`].

use std::any::TypeId;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::header::HeaderMap;
use http::{Method, Response, StatusCode, header};
use http_body_util::BodyExt;
use manywire_codec::{Category, Error, Limits as CodecLimits, Result};
use manywire_format::{Coding, MediaType};
use serde::de::DeserializeOwned;

use super::error::{TransportError, TransportResult};
use super::transport::ResponseBody;
use super::{CallError, Client, link};
use crate::charset::Charset;
use crate::codings::{self, CODINGS_MAX, StreamDecoderLimits};
use crate::content::own::AnyFormat;
use crate::content::{
    AnyFraming, Codecs, Content, Decoding, FORM, Framing, IncomingContent, IncomingLimits,
    IncomingStream, Media, Receive, Representation, Sender, Type, find, find_framing,
};
use crate::pace::PaceLimits;
use crate::problem::{Failure, Fault, InputLocation, Problem};
use crate::text::{Texts, field_lines};

/// The value of a call, with the status and header fields of the response.
#[derive(Clone, Debug)]
pub struct Fetched<T> {
    pub(super) value: T,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
}

impl<T> Fetched<T> {
    /// Returns a reference to the value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the value.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Returns the status, which is a success.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Reads a header field as a `U`: an `Option` if it may be missing, a `Vec` for the members of
    /// a list (RFC 9110, section 5.6.1), on one line or several.
    ///
    /// # Errors
    /// Returns an error for a field that is missing, or not a valid `U`.
    pub fn header<U: DeserializeOwned>(&self, name: &str) -> std::result::Result<U, Box<Fault>> {
        let fault = |detail: String| Box::new(Fault::new(InputLocation::Header, name, detail));
        let lines = field_lines(&self.headers, name);
        let lines = lines.map_err(|_| fault("expected UTF-8".to_owned()))?;
        U::deserialize(Texts::Lines(&lines)).map_err(|error| fault(error.message))
    }

    /// Returns the target of the first `Link` with a relation, such as `next`, as the server wrote it
    /// (RFC 8288). [`Client::follow`] follows it.
    pub fn link(&self, relation: &str) -> Option<&str> {
        link::target(&self.headers, relation)
    }
}

/// A response whose content is either whole and decoded from its codings, or a stream.
pub(super) struct ClientResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) content: IncomingContent,
}

impl Client {
    /// Returns a response whose content is read as a stream.
    ///
    /// # Errors
    /// Returns an error for unsupported codings.
    pub(super) fn receive_stream(
        &self,
        response: Response<ResponseBody>,
    ) -> TransportResult<ClientResponse> {
        let (parts, body) = response.into_parts();
        let codings = codings(&parts.headers).map_err(CallError::Answer)?;
        let bounds = IncomingLimits {
            value_bytes: self.limits.body_bytes,
            all_bytes: self.limits.multipart_bytes,
            pace: PaceLimits {
                pause: self.limits.body_idle_timeout,
                // A server may be slow: the client chose to wait for the response.
                bytes_per_second: 0,
                total: None,
            },
            sender: Sender::Server,
        };
        // Only the current value of the decoded content is kept in memory, so a high compression
        // ratio is harmless. A response of many equal values has a high ratio, too.
        let inflate = StreamDecoderLimits {
            ratio: None,
            coded_bytes: usize::MAX,
            time: self.limits.inflate_timeout,
            is_endless: true,
        };
        let content_type = parts.headers.get(header::CONTENT_TYPE);
        let arriving = IncomingStream::new(body, bounds).with_content_type(content_type);
        let arriving = arriving.with_codings(codings, inflate);
        let content = IncomingContent::Stream(arriving.map_err(CallError::Answer)?);
        Ok(ClientResponse { status: parts.status, headers: parts.headers, content })
    }

    /// Reads the response to a request of this method to its end, within the limits.
    pub(super) async fn receive_whole(
        &self,
        response: Response<ResponseBody>,
        method: &Method,
    ) -> TransportResult<ClientResponse> {
        let (parts, mut body) = response.into_parts();
        let limit_bytes = self.limits.body_bytes;
        let mut content = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(CallError::Connection)?;
            let Ok(data) = frame.into_data() else { continue };
            if content.len().saturating_add(data.len()) > limit_bytes {
                return Err(CallError::TooLarge { limit_bytes });
            }
            content.extend_from_slice(&data);
        }
        let mut content = content.freeze();
        // Some responses have no content, or only describe that of another response (RFC 9110,
        // section 6.4.1): no bytes at all are not valid in a coding.
        let has_content = *method != Method::HEAD
            && !matches!(
                parts.status,
                StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED
            );
        let applied = if has_content { codings(&parts.headers) } else { Ok(Vec::new()) };
        for coding in applied.map_err(CallError::Answer)? {
            let decoded = codings::decode(coding, &content, &self.limits);
            content = decoded.map_err(CallError::Answer)?.into();
        }
        let content = IncomingContent::Whole(content);
        Ok(ClientResponse { status: parts.status, headers: parts.headers, content })
    }
}

/// Returns the codings of a response, the last applied first.
fn codings(headers: &HeaderMap) -> Result<Vec<Coding>> {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    let lines = lines.map(|line| line.to_str().unwrap_or("unknown"));
    let names: Vec<&str> = Coding::listed(lines).collect();
    if names.len() > CODINGS_MAX {
        let count = names.len();
        let message = format_args!("expected at most {CODINGS_MAX} content codings, found {count}");
        return Err(Error::new(Category::Unsupported, message));
    }
    let unknown = |name: &str| {
        let message = format_args!("unsupported content coding {name:?}");
        Error::new(Category::Unsupported, message)
    };
    names.into_iter().map(|name| codings::parse(name).ok_or_else(|| unknown(name))).collect()
}

/// The largest number of characters that an error shows of a response that is not a problem.
const TEXT_MAX: usize = 500;

impl Client {
    /// Returns the value of a response, or the failure.
    pub(super) fn read<Out: Receive, Fail: Failure>(
        &self,
        answer: ClientResponse,
        formats: &[AnyFormat],
    ) -> std::result::Result<Fetched<Out::Value>, CallError<Fail>> {
        let ClientResponse { status, headers, content } = answer;
        if status.is_success() {
            let value = self.value::<Out>(&headers, content, formats).map_err(CallError::Answer)?;
            return Ok(Fetched { value, status, headers });
        }
        let answer = ClientResponse { status, headers, content };
        Err(match self.failure(answer, formats) {
            CallError::Problem(problem) => CallError::from_problem(*problem),
            other => CallError::from_transport(other),
        })
    }

    /// Returns the failure of a response with an error status.
    pub(super) fn failure(&self, answer: ClientResponse, formats: &[AnyFormat]) -> TransportError {
        let ClientResponse { status, headers, content } = answer;
        let content = content.whole();
        match self.problem(status, &headers, content.clone(), formats) {
            Some(problem) => CallError::Problem(Box::new(problem)),
            None => CallError::Status {
                status,
                text: String::from_utf8_lossy(&content).chars().take(TEXT_MAX).collect(),
            },
        }
    }

    /// Reads a response as a problem. Returns `None` for content that is not a problem in a
    /// readable format.
    fn problem(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        content: Bytes,
        formats: &[AnyFormat],
    ) -> Option<Problem> {
        let problem = self
            .value::<Problem>(headers, IncomingContent::Whole(content), formats)
            .inspect_err(|error| tracing::debug!(%error, "cannot read a response as a problem"))
            .ok()?;
        // The status of the response takes precedence over the one in the problem (RFC 9457,
        // section 3.1.2).
        Some(problem.sent_with(status).received_with(headers.clone()))
    }

    /// Decodes the content by its media type: one of the requested formats, or any other built-in
    /// format.
    fn value<C: Receive>(
        &self,
        headers: &HeaderMap,
        content: IncomingContent,
        formats: &[AnyFormat],
    ) -> Result<C::Value> {
        let limits = CodecLimits::DEFAULT.with_depth(self.limits.depth);
        // The server has checked the constraints.
        let is_constrained = false;
        let decoding =
            |representation, codecs| Decoding { representation, codecs, limits, is_constrained };
        let found = media_type(headers);
        match C::media() {
            Media::Items(ty) => {
                let found = found?;
                // Prefers the requested formats, then any other built-in one.
                let framing = find_framing(formats, &found)
                    .or_else(|| Framing::from_media_type(&found).map(AnyFraming::BuiltIn));
                let Some(framing) = framing else { return Err(unexpected::<C>(&found)) };
                if framing.is_text() && Charset::of(&found) != Ok(Charset::Utf8) {
                    return Err(unexpected::<C>(&found));
                }
                let codecs = self.codecs::<C>(&ty, framing.format())?;
                C::receive(content, decoding(codecs.stream(framing), Some(&codecs)))
            }
            Media::Formats(ty) => {
                let found = found?;
                let format = find(formats, &found).or_else(|| found.format().map(AnyFormat::from));
                let Some(format) = format else { return Err(unexpected::<C>(&found)) };
                let codecs = self.codecs::<C>(&ty, format)?;
                let content = content.whole();
                let content = if format.is_text() { in_utf8(&found, content)? } else { content };
                let from = decoding(codecs.representation(format), Some(&codecs));
                C::receive(IncomingContent::Whole(content), from)
            }
            Media::Text => {
                let found = found?;
                if found.kind() != "text" {
                    return Err(unexpected::<C>(&found));
                }
                let content = in_utf8(&found, content.whole())?;
                let from = decoding(Representation::Text(Charset::Utf8), None);
                C::receive(IncomingContent::Whole(content), from)
            }
            Media::Form(_) => {
                let found = found?;
                if found.essence() != FORM {
                    return Err(unexpected::<C>(&found));
                }
                C::receive(content, Decoding::RAW)
            }
            Media::Named(_)
            | Media::OneOf(_)
            | Media::Raw
            | Media::RawStream
            | Media::Nothing
            | Media::Multipart(_) => C::receive(content, Decoding::RAW),
        }
    }

    fn codecs<C: Content>(&self, ty: &Type, format: AnyFormat) -> Result<Arc<Codecs>> {
        self.formats.codecs(TypeId::of::<C>(), ty, format)
    }
}

fn media_type(headers: &HeaderMap) -> Result<MediaType> {
    let wrong = |message: String| Error::new(Category::Unsupported, message);
    let Some(field) = headers.get(header::CONTENT_TYPE) else {
        return Err(wrong("the response has no Content-Type".to_owned()));
    };
    let text: String = field.as_bytes().iter().map(|byte| char::from(*byte)).collect();
    MediaType::parse(&text).map_err(|error| wrong(error.to_string()))
}

#[cold]
fn unexpected<C: Content>(found: &MediaType) -> Error {
    let expected = match C::media() {
        Media::Form(_) => FORM,
        Media::Text => "text",
        Media::Items(_) => "a stream in a format that is compiled in",
        _ => "a format that is compiled in",
    };
    Error::new(Category::Unsupported, format_args!("expected {expected}, found {found}"))
}

/// Converts text from its charset to UTF-8.
fn in_utf8(media_type: &MediaType, content: Bytes) -> Result<Bytes> {
    let charset = Charset::of(media_type).map_err(|name| {
        Error::new(Category::Unsupported, format_args!("unsupported charset {name:?}"))
    })?;
    if charset == Charset::Utf8 && !content.starts_with(b"\xEF\xBB\xBF") {
        return Ok(content);
    }
    let text = charset.to_utf8(&content).map_err(|at| {
        Error::new(Category::Syntax, format_args!("expected {charset}")).with_offset(at)
    })?;
    Ok(Bytes::from(text.into_owned()))
}
