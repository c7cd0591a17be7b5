//! Request bodies: which media types an operation accepts, how a body is collected within its
//! limits, and how its content codings and charset are removed before it is decoded.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::HeaderValue;
use manywire_codec::{Category, Error, Limits as CodecLimits, Result};
use manywire_format::{Coding, MediaType};
use pin_project_lite::pin_project;

use super::headers::RequestHeaders;
use super::refusal::Refusal;
use crate::charset::Charset;
use crate::codings::{self, CODINGS_MAX, StreamDecoderLimits};
use crate::content::own::AnyFormat;
use crate::content::{
    AnyFraming, Codecs, Decoding, FORM, IncomingLimits, IncomingStream, MULTIPART, Media,
    Representation, Sender, check_form, check_multipart, find, find_framing, supported_formats,
};
use crate::distinct::distinct;
use crate::endpoint::no_framing;
use crate::field_numbers::FieldNumbers;
use crate::limits::Limits;
use crate::pace::{Pace, PaceLimits};

/// The bodies that an operation accepts.
#[derive(Debug)]
pub(super) struct AcceptedBodies {
    media: Media,
    formats: Vec<AnyFormat>,
    /// The media types in the exact spelling that most clients send, with their representations.
    exact_types: Vec<(String, Representation)>,
    /// The representation of a body without `Content-Type`, if it is accepted.
    untyped: Option<Representation>,
    codecs: Option<Arc<Codecs>>,
    /// Indicates whether the type has constraints.
    is_constrained: bool,
    /// The accepted media types, listed in the response to a body of another type.
    pub(super) media_types: Vec<String>,
    /// Indicates whether bodies may arrive at any rate.
    pub(super) is_slow: bool,
}

/// The type of a body by its header fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyKind {
    pub(super) representation: Representation,
    charset: Charset,
    codings: BodyCodings,
    /// Indicates whether the endpoint permits bodies at any rate.
    is_slow: bool,
}

/// The codings of a body, the last applied first.
#[derive(Clone, Copy, Debug, Default)]
struct BodyCodings([Option<Coding>; CODINGS_MAX]);

impl AcceptedBodies {
    /// Compiles content for bodies in these formats. `untyped` is the format of bodies without
    /// `Content-Type`.
    ///
    /// # Errors
    /// Returns an error for a format that cannot represent the content, or that is not compiled in.
    pub(super) fn new(
        media: &Media,
        formats: &[AnyFormat],
        numbers: &FieldNumbers,
        untyped: Option<AnyFormat>,
    ) -> Result<AcceptedBodies> {
        let is_constrained = match media {
            Media::Formats(ty) | Media::Items(ty) | Media::Form(ty) | Media::Multipart(ty) => {
                let is_constrained = ty.is_constrained();
                is_constrained.map_err(|error| Error::new(Category::Unsupported, error))?
            }
            _ => false,
        };
        let (codecs, formats) = match media {
            Media::Formats(ty) => {
                let formats = supported_formats(ty, formats)?;
                (Some(Arc::new(Codecs::for_reading(ty, &formats, &formats, numbers)?)), formats)
            }
            Media::Items(ty) => {
                let formats = supported_formats(ty, formats)?;
                let is_framed = |format: &AnyFormat| format.framings().next().is_some();
                let framed: Vec<AnyFormat> = formats.iter().copied().filter(is_framed).collect();
                if framed.is_empty() {
                    return Err(no_framing(&formats));
                }
                (Some(Arc::new(Codecs::for_reading(ty, &framed, &formats, numbers)?)), framed)
            }
            Media::Form(ty) => {
                check_form(&ty.shape())?;
                (None, Vec::new())
            }
            Media::Multipart(ty) => {
                check_multipart(&ty.shape())?;
                (Some(Arc::new(Codecs::for_parts(formats, numbers))), Vec::new())
            }
            _ => (None, Vec::new()),
        };
        let one = codecs.as_ref().filter(|_| matches!(media, Media::Formats(_)));
        let exact_types: Vec<_> = one.map_or_else(Vec::new, |codecs| {
            let exact_type = |format: &AnyFormat| {
                (format.media_type().to_string(), codecs.representation(*format))
            };
            formats.iter().map(exact_type).collect()
        });
        let untyped = untyped.filter(|format| formats.contains(format));
        let untyped = one.zip(untyped).map(|(codecs, format)| codecs.representation(format));
        let media_types: Vec<String> = match media {
            Media::Items(_) => {
                accepted_framings(&formats).map(|it| it.offer().media_type().to_string()).collect()
            }
            Media::Text => vec!["text/plain".to_owned()],
            Media::Form(_) => vec![FORM.to_owned()],
            Media::Multipart(_) => vec![MULTIPART.to_owned()],
            Media::Named(name) => vec![(*name).to_owned()],
            Media::Raw | Media::RawStream => vec!["*/*".to_owned()],
            _ => exact_types.iter().map(|(text, _)| text.clone()).collect(),
        };
        Ok(AcceptedBodies {
            media: media.clone(),
            formats,
            exact_types,
            untyped,
            codecs,
            is_constrained,
            media_types: distinct(media_types),
            is_slow: false,
        })
    }

    /// Returns the type of a body, or a refusal.
    #[inline]
    pub(super) fn kind(
        &self,
        fields: &RequestHeaders<'_>,
    ) -> std::result::Result<BodyKind, Refusal<'_>> {
        let codings = match &fields.content_encoding {
            None => BodyCodings::default(),
            Some(list) => BodyCodings::of(list)?,
        };
        let content_type = fields.content_type;
        if let Some(content_type) = content_type
            && let Some((_, representation)) = self
                .exact_types
                .iter()
                .find(|(known, _)| known.as_bytes() == content_type.as_bytes())
        {
            let representation = *representation;
            let (charset, is_slow) = (Charset::Utf8, self.is_slow);
            return Ok(BodyKind { representation, charset, codings, is_slow });
        }
        let (representation, charset) = self.representation(content_type)?;
        Ok(BodyKind { representation, charset, codings, is_slow: self.is_slow })
    }

    fn representation(
        &self,
        content_type: Option<&HeaderValue>,
    ) -> std::result::Result<(Representation, Charset), Refusal<'_>> {
        match self.media {
            Media::Raw => return Ok((Representation::Raw, Charset::Utf8)),
            Media::RawStream => return Ok((Representation::RawStream, Charset::Utf8)),
            _ => {}
        }
        let refuse = |found: Option<&str>| Refusal::UnsupportedMediaType {
            found: found.map(str::to_owned),
            accepted: &self.media_types,
        };
        let Some(content_type) = content_type else {
            let untyped = self.untyped.map(|untyped| (untyped, Charset::Utf8));
            return untyped.ok_or_else(|| refuse(None));
        };
        let text: String = content_type.as_bytes().iter().map(|byte| char::from(*byte)).collect();
        let media_type = MediaType::parse(&text).map_err(|_| refuse(Some(&text)))?;
        if let Media::Named(name) = self.media
            && MediaType::parse(name).is_ok_and(|taken| taken.essence() == media_type.essence())
        {
            return Ok((Representation::Raw, Charset::Utf8));
        }
        let charset = Charset::of(&media_type).ok();
        if matches!(self.media, Media::Form(_)) && media_type.essence() == FORM {
            // Percent-encoded bytes in a form are UTF-8 (WHATWG URL, section 5.1).
            return match charset {
                Some(Charset::Utf8) => Ok((Representation::Form, Charset::Utf8)),
                _ => Err(Refusal::UnsupportedCharset { found: text }),
            };
        }
        if matches!(self.media, Media::Text) && media_type.kind() == "text" {
            let charset = charset.ok_or(Refusal::UnsupportedCharset { found: text })?;
            return Ok((Representation::Text(charset), charset));
        }
        if matches!(self.media, Media::Multipart(_)) && media_type.essence() == MULTIPART {
            return Ok((Representation::Multipart, Charset::Utf8));
        }
        if matches!(self.media, Media::Items(_)) {
            let framing = find_framing(&self.formats, &media_type);
            let framing = framing.filter(|framing| !framing.is_response_only());
            let Some((framing, codecs)) = framing.zip(self.codecs.as_ref()) else {
                return Err(refuse(Some(&text)));
            };
            return match charset == Some(Charset::Utf8) || !framing.is_text() {
                true => Ok((codecs.stream(framing), Charset::Utf8)),
                false => Err(Refusal::UnsupportedStreamCharset { found: text }),
            };
        }
        let format = find(&self.formats, &media_type).zip(self.codecs.as_ref());
        let Some((format, codecs)) = format else { return Err(refuse(Some(&text))) };
        let representation = codecs.representation(format);
        if !format.is_text() {
            // Binary formats have no charset: the parameter has no meaning.
            return Ok((representation, Charset::Utf8));
        }
        let charset = charset.ok_or(Refusal::UnsupportedCharset { found: text })?;
        Ok((representation, charset))
    }

    pub(super) fn decoding(&self, kind: BodyKind, limits: &Limits) -> Decoding<'_> {
        Decoding {
            representation: kind.representation,
            codecs: self.codecs.as_ref(),
            limits: CodecLimits::DEFAULT.with_depth(limits.depth),
            is_constrained: self.is_constrained,
        }
    }
}

/// Returns the framings of these formats that a body may have. Server-sent events are for responses
/// only.
fn accepted_framings(formats: &[AnyFormat]) -> impl Iterator<Item = AnyFraming> {
    let all = formats.iter().flat_map(|format| format.framings());
    all.filter(|framing| !framing.is_response_only())
}

/// The minimum size, in bytes, at which a body is decoded on a blocking thread. The threshold is an
/// estimate: at 300 MB/s of typed JSON, decoding takes about a millisecond. The best threshold was
/// not measured.
const LONG_BYTES: usize = 256 << 10;

/// The same threshold for a body with a content coding: 4 KiB may become 1 MiB.
const LONG_CODED_BYTES: usize = 4 << 10;

impl BodyKind {
    /// Returns whether decoding a body of this many bytes takes long enough for a blocking thread.
    #[inline]
    pub(super) fn is_long(&self, bytes: usize) -> bool {
        let is_coded = self.codings.0[0].is_some();
        bytes >= if is_coded { LONG_CODED_BYTES } else { LONG_BYTES }
    }

    /// Returns whether the body is read as a stream.
    pub(super) fn is_stream(&self) -> bool {
        let is = self.representation;
        is.is_items() || matches!(is, Representation::Multipart | Representation::RawStream)
    }

    /// Returns the codings, the last applied first.
    pub(super) fn codings(&self) -> impl Iterator<Item = Coding> {
        self.codings.0.into_iter().flatten()
    }

    /// Removes the content codings and converts the text to UTF-8.
    ///
    /// # Errors
    /// Returns a refusal for a body that is invalid in a content coding or too large without it,
    /// and for text that is invalid in its charset.
    #[inline]
    pub(super) fn decode(
        &self,
        body: Bytes,
        limits: &Limits,
    ) -> std::result::Result<Bytes, Refusal<'static>> {
        let mut body = body;
        for coding in self.codings.0.iter().flatten() {
            let decoded = codings::decode(*coding, &body, limits);
            body = decoded.map_err(|error| Refusal::InvalidCoding { error })?.into();
        }
        if self.charset == Charset::Utf8 && !body.starts_with(b"\xEF\xBB\xBF") {
            return Ok(body);
        }
        self.in_utf8(body)
    }

    #[cold]
    fn in_utf8(&self, body: Bytes) -> std::result::Result<Bytes, Refusal<'static>> {
        let text = match self.representation {
            Representation::Text(_) => true,
            Representation::Format(format) => format.row().text,
            Representation::Own(at) => at.is_text(),
            Representation::Form
            | Representation::Multipart
            | Representation::Items(_)
            | Representation::OwnItems(_)
            | Representation::Named(_)
            | Representation::Raw
            | Representation::RawStream => false,
        };
        if !text {
            return Ok(body);
        }
        let charset = self.charset;
        match charset.to_utf8(&body) {
            Ok(Cow::Borrowed(text)) => Ok(body.slice_ref(text)),
            Ok(Cow::Owned(text)) => Ok(text.into()),
            Err(at) => Err(Refusal::InvalidCharset { charset, at }),
        }
    }
}

impl BodyCodings {
    /// Parses a list of codings into the reverse of the order in which they were applied.
    fn of(list: &[u8]) -> std::result::Result<BodyCodings, Refusal<'static>> {
        let mut codings = BodyCodings::default();
        let mut places = codings.0.iter_mut();
        let list = String::from_utf8_lossy(list);
        for name in Coding::listed([&*list]) {
            let refuse = || Refusal::UnsupportedCoding { found: name.to_owned() };
            let too_many = || Refusal::TooManyCodings {
                found: list.clone().into_owned(),
                codings_max: CODINGS_MAX,
            };
            let coding = codings::parse(name).ok_or_else(refuse)?;
            *places.next().ok_or_else(too_many)? = Some(coding);
        }
        Ok(codings)
    }
}

impl BodyKind {
    /// Returns a body that is read as a stream, with its type and limits.
    ///
    /// # Errors
    /// Returns an error if a coding's library is out of memory.
    pub(super) fn arriving<B>(
        &self,
        body: B,
        content_type: Option<&HeaderValue>,
        limits: &Limits,
    ) -> Result<IncomingStream>
    where
        B: http_body::Body + Send + 'static,
    {
        // A stream of values or bytes may be endless, since each value is limited. A form of parts
        // is limited as a whole.
        let is_endless = self.representation != Representation::Multipart;
        let pace = match is_endless && !self.is_slow {
            true => PaceLimits::of(limits),
            false => PaceLimits::of_body(limits, self.is_slow),
        };
        let bounds = IncomingLimits {
            value_bytes: limits.body_bytes,
            all_bytes: limits.multipart_bytes,
            pace,
            sender: Sender::Client,
        };
        let inflate = StreamDecoderLimits {
            ratio: StreamDecoderLimits::RATIO,
            coded_bytes: if is_endless { usize::MAX } else { limits.multipart_bytes },
            time: limits.inflate_timeout,
            is_endless,
        };
        let arriving = IncomingStream::new(body, bounds).with_content_type(content_type);
        arriving.with_codings(self.codings(), inflate)
    }
}

pin_project! {
    /// A request body that is collected whole, within the limits of size and pace.
    pub(super) struct BodyReader<B> {
        buffer: BodyBuffer,
        #[pin]
        body: B,
        pace: Option<Box<Pace>>,
        is_slow: bool,
    }
}

impl<B: http_body::Body> BodyReader<B> {
    /// Creates a reader for a body.
    ///
    /// # Errors
    /// Returns a refusal for a body whose declared size exceeds the limit. The body is not read at
    /// all, and "100 Continue" is not sent.
    pub(super) fn begin(
        body: B,
        kind: BodyKind,
        limits: &Limits,
    ) -> std::result::Result<Self, Refusal<'static>> {
        if body.size_hint().lower() > limits.body_bytes as u64 {
            return Err(Refusal::TooLarge { limit: limits.body_bytes });
        }
        let is_slow = kind.is_slow;
        Ok(BodyReader { buffer: BodyBuffer::default(), body, pace: None, is_slow })
    }

    /// Reads the available chunks, and returns the body at its end.
    pub(super) fn poll(
        self: Pin<&mut Self>,
        limits: &Limits,
        context: &mut Context<'_>,
    ) -> Poll<std::result::Result<Bytes, Refusal<'static>>> {
        let this = self.project();
        let (mut body, pace, is_slow) = (this.body, this.pace, *this.is_slow);
        let limit = limits.body_bytes;
        loop {
            match body.as_mut().poll_frame(context) {
                Poll::Ready(None) => return Poll::Ready(Ok(this.buffer.take())),
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(Refusal::Disconnected)),
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers are ignored.
                    if let Ok(data) = frame.into_data() {
                        if let Some(pace) = pace {
                            pace.add(data.remaining());
                        }
                        if !this.buffer.add(data, limit) {
                            return Poll::Ready(Err(Refusal::TooLarge { limit }));
                        }
                    }
                    if body.is_end_stream() {
                        return Poll::Ready(Ok(this.buffer.take()));
                    }
                }
                Poll::Pending => {
                    // A timer costs as much as reading a small header, so it is created only when
                    // no chunk is available yet.
                    let pace =
                        pace.get_or_insert_with(|| Pace::new(PaceLimits::of_body(limits, is_slow)));
                    let too_slow = ready!(pace.poll_too_slow(context));
                    return Poll::Ready(Err(Refusal::Timeout { too_slow }));
                }
            }
        }
    }
}

/// The chunks of a body so far. A body in one chunk is taken without a copy.
#[derive(Debug, Default)]
struct BodyBuffer {
    first: Bytes,
    all: Vec<u8>,
}

impl BodyBuffer {
    /// Appends a chunk. Returns false if the size exceeds the limit.
    pub(super) fn add(&mut self, mut piece: impl Buf, limit: usize) -> bool {
        let length = self.len().saturating_add(piece.remaining());
        if length > limit {
            return false;
        }
        if self.len() == 0 {
            self.first = piece.copy_to_bytes(piece.remaining());
            return true;
        }
        if self.all.is_empty() {
            // The remaining size is unknown, so the capacity doubles.
            self.all.reserve((length * 2).min(limit));
            self.all.extend_from_slice(&self.first);
            self.first = Bytes::new();
        }
        while piece.has_remaining() {
            let chunk = piece.chunk();
            let count = chunk.len();
            self.all.extend_from_slice(chunk);
            piece.advance(count);
        }
        true
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() + self.all.len()
    }

    /// Takes the whole body.
    pub(super) fn take(&mut self) -> Bytes {
        if self.all.is_empty() {
            return std::mem::take(&mut self.first);
        }
        std::mem::take(&mut self.all).into()
    }
}
