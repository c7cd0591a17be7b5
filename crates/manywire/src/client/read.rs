use std::any::TypeId;
use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderMap};
use manywire_codec::{Category, Error, Limits as CodecLimits, Result};
use manywire_format::MediaType;

use super::answer::Answer;
use super::error::TransportError;
use super::{CallError, Client, Fetched};
use crate::Charset;
use crate::content::own::AnyFormat;
use crate::content::{
    AnyFraming, Codecs, Content, Decoding, FORM, Framing, Media, Receive, Received, Representation,
    Type, find, find_framing,
};
use crate::problem::{Failure, Problem};

/// How much of an answer that is no problem is shown, in characters.
const TEXT_MAX: usize = 500;

impl Client {
    /// What an answer is: the value, or why there is none.
    pub(super) fn read<Out: Receive, Fail: Failure>(
        &self,
        answer: Answer,
        formats: &[AnyFormat],
    ) -> std::result::Result<Fetched<Out::Value>, CallError<Fail>> {
        let Answer { status, headers, content } = answer;
        if status.is_success() {
            let value = self.value::<Out>(&headers, content, formats).map_err(CallError::Answer)?;
            return Ok(Fetched { value, status, headers });
        }
        let answer = Answer { status, headers, content };
        Err(match self.failure(answer, formats) {
            CallError::Problem(problem) => CallError::of(*problem),
            other => CallError::from_transport(other),
        })
    }

    /// Why there is no value, by an answer that is no success.
    pub(super) fn failure(&self, answer: Answer, formats: &[AnyFormat]) -> TransportError {
        let Answer { status, headers, content } = answer;
        let content = content.whole();
        match self.problem(status, &headers, content.clone(), formats) {
            Some(problem) => CallError::Problem(Box::new(problem)),
            None => CallError::Status {
                status,
                text: String::from_utf8_lossy(&content).chars().take(TEXT_MAX).collect(),
            },
        }
    }

    /// A problem, where the answer is one in a format that is read here.
    fn problem(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        content: Bytes,
        formats: &[AnyFormat],
    ) -> Option<Problem> {
        let problem = self
            .value::<Problem>(headers, Received::Whole(content), formats)
            .inspect_err(|error| tracing::debug!(%error, "an answer is no problem"))
            .ok()?;
        // The status that counts is that of the answer (RFC 9457, section 3.1.2).
        Some(problem.sent_with(status))
    }

    /// The content by its media type: in one of the formats that were asked for, or any other that
    /// is built in.
    fn value<C: Receive>(
        &self,
        headers: &HeaderMap,
        content: Received,
        formats: &[AnyFormat],
    ) -> Result<C::Value> {
        let limits = CodecLimits::DEFAULT.with_depth(self.limits.depth);
        let found = media_type(headers);
        match C::media() {
            Media::Items(ty) => {
                let found = found?;
                // What was asked for, or any other that is built in.
                let framing = find_framing(formats, &found)
                    .or_else(|| Framing::of_media_type(&found).map(AnyFraming::BuiltIn));
                let Some(framing) = framing else { return Err(unexpected::<C>(&found)) };
                let charset =
                    found.parameter("charset").map(|name| Charset::from_name(name.trim()));
                if framing.is_text() && charset.is_some_and(|it| it != Some(Charset::Utf8)) {
                    return Err(unexpected::<C>(&found));
                }
                let codecs = self.codecs::<C>(&ty, framing.format())?;
                let representation = codecs.stream(framing);
                C::receive(content, Decoding { representation, codecs: Some(&codecs), limits })
            }
            Media::Formats(ty) => {
                let found = found?;
                let format = find(formats, &found).or_else(|| found.format().map(AnyFormat::from));
                let Some(format) = format else { return Err(unexpected::<C>(&found)) };
                let codecs = self.codecs::<C>(&ty, format)?;
                let content = content.whole();
                let content = if format.is_text() { in_utf8(&found, content)? } else { content };
                let representation = codecs.representation(format);
                C::receive(
                    Received::Whole(content),
                    Decoding { representation, codecs: Some(&codecs), limits },
                )
            }
            Media::Text => {
                let found = found?;
                if found.kind() != "text" {
                    return Err(unexpected::<C>(&found));
                }
                let content = in_utf8(&found, content.whole())?;
                let representation = Representation::Text(Charset::Utf8);
                C::receive(
                    Received::Whole(content),
                    Decoding { representation, codecs: None, limits },
                )
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
        return Err(wrong("the answer has no Content-Type".to_owned()));
    };
    let text: String = field.as_bytes().iter().map(|byte| char::from(*byte)).collect();
    MediaType::parse(&text).map_err(|error| wrong(error.to_string()))
}

#[cold]
fn unexpected<C: Content>(found: &MediaType) -> Error {
    let expected = match C::media() {
        Media::Form(_) => FORM,
        Media::Text => "text",
        Media::Items(_) => "a stream in a format that was compiled in",
        _ => "a format that was compiled in",
    };
    Error::new(Category::Unsupported, format_args!("expected {expected}, found {found}"))
}

/// Text in UTF-8, whichever charset it came in.
fn in_utf8(media_type: &MediaType, content: Bytes) -> Result<Bytes> {
    let charset = match media_type.parameter("charset") {
        None => Charset::Utf8,
        Some(name) => Charset::from_name(name.trim()).ok_or_else(|| {
            let message = format_args!("the charset {name:?} is not read here");
            Error::new(Category::Unsupported, message)
        })?,
    };
    if charset == Charset::Utf8 && !content.starts_with(b"\xEF\xBB\xBF") {
        return Ok(content);
    }
    let text = charset.to_utf8(&content).map_err(|at| {
        Error::new(Category::Syntax, format_args!("expected {charset}")).with_offset(at)
    })?;
    Ok(Bytes::from(text.into_owned()))
}
