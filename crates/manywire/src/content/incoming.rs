//! Incoming content: whole, or as a stream that removes content codings and enforces limits.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http::{HeaderValue, StatusCode};
use manywire_format::Coding;
use pin_project_lite::pin_project;

use crate::codings::{DecodeFailure, DecodeStep, StreamDecoder, StreamDecoderLimits};
use crate::pace::{Pace, PaceLimits, TooSlow};
use crate::problem::Problem;

/// The content of a message on its way to a decoder.
#[derive(Debug)]
#[non_exhaustive]
pub enum IncomingContent {
    /// The whole content, without content codings, and in UTF-8 if it is text.
    Whole(Bytes),
    /// A stream of the content, without content codings.
    Stream(IncomingStream),
}

impl IncomingContent {
    /// Returns the content if it is whole, and no bytes otherwise.
    pub(crate) fn whole(&self) -> Bytes {
        match self {
            IncomingContent::Whole(bytes) => bytes.clone(),
            IncomingContent::Stream(_) => Bytes::new(),
        }
    }
}

/// Content while it arrives, in chunks of any size. Chunks are read on demand, so a fast sender has
/// to wait for a slow reader.
pub struct IncomingStream {
    pieces: Pin<Box<dyn Stream<Item = Result<Bytes, Aborted>> + Send>>,
    decoder: Option<Box<StreamDecoder>>,
    /// True if decoding has failed.
    has_failed: bool,
    /// The number of chunks decoded since other tasks last ran.
    turn: usize,
    pace: Option<Box<Pace>>,
    bounds: IncomingLimits,
    content_type: Option<HeaderValue>,
}

/// Limits of incoming content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncomingLimits {
    /// The largest size of one value or part, in bytes.
    pub(crate) value_bytes: usize,
    /// The largest size of all parts of a form together, in bytes.
    #[cfg_attr(not(feature = "multipart"), expect(dead_code, reason = "no parts are read"))]
    pub(crate) all_bytes: usize,
    /// The pace of the sender.
    pub(crate) pace: PaceLimits,
    /// The peer, which decides the status of errors.
    pub(crate) sender: Sender,
}

/// The sender of incoming content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A client. Errors in a request are 4xx.
    Client,
    /// A server. Errors in a response become 502 and 504 for a gateway that passes the response on
    /// (RFC 9110, sections 15.6.3 and 15.6.5).
    #[cfg_attr(
        not(feature = "client"),
        allow(dead_code, reason = "only clients receive responses")
    )]
    Server,
}

/// The number of chunks that are decoded before other tasks run: one mebibyte.
const PIECES_PER_TURN: usize = 64;

/// The connection failed before the end of the body.
#[derive(Clone, Copy, Debug)]
struct Aborted;

impl IncomingStream {
    pub(crate) fn new<B>(body: B, bounds: IncomingLimits) -> Self
    where
        B: http_body::Body + Send + 'static,
    {
        let pieces = Box::pin(BodyData { body });
        IncomingStream {
            pieces,
            decoder: None,
            has_failed: false,
            turn: 0,
            pace: None,
            bounds,
            content_type: None,
        }
    }

    /// Adds content codings, the last applied first, which are removed while the content arrives.
    ///
    /// # Errors
    /// Fails if a coding is not compiled in.
    pub(crate) fn with_codings(
        mut self,
        codings: impl IntoIterator<Item = Coding>,
        limits: StreamDecoderLimits,
    ) -> manywire_codec::Result<Self> {
        let mut codings = codings.into_iter().peekable();
        if codings.peek().is_some() {
            self.decoder = Some(Box::new(StreamDecoder::new(codings, limits)?));
        }
        Ok(self)
    }

    /// Sets the `Content-Type`.
    pub(crate) fn with_content_type(mut self, content_type: Option<&HeaderValue>) -> Self {
        self.content_type = content_type.cloned();
        self
    }

    /// Returns the `Content-Type` with all parameters.
    pub(crate) fn content_type(&self) -> Option<&HeaderValue> {
        self.content_type.as_ref()
    }

    pub(crate) fn bounds(&self) -> IncomingLimits {
        self.bounds
    }

    /// Returns the next decoded chunk.
    ///
    /// # Errors
    /// Fails with a problem if the body is aborted, arrives too slowly, or cannot be decoded within
    /// the limits.
    #[inline]
    pub(crate) fn poll_piece(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Problem>>> {
        let Some(mut decoder) = self.decoder.take() else { return self.poll_encoded(context) };
        let piece = match self.has_failed {
            true => Poll::Ready(None),
            false => self.poll_decoded(&mut decoder, context),
        };
        // Bytes after an error cannot be decoded.
        self.has_failed |= matches!(piece, Poll::Ready(Some(Err(_))));
        self.decoder = Some(decoder);
        piece
    }

    /// Returns the next chunk without content codings.
    fn poll_decoded(
        &mut self,
        decoder: &mut StreamDecoder,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Problem>>> {
        if self.turn == PIECES_PER_TURN {
            self.turn = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            match decoder.step() {
                Ok(DecodeStep::Decoded(piece)) => {
                    self.turn += 1;
                    return Poll::Ready(Some(Ok(piece)));
                }
                Ok(DecodeStep::End) => return Poll::Ready(None),
                Ok(DecodeStep::NeedsInput) => match self.poll_encoded(context) {
                    Poll::Pending => {
                        self.turn = 0;
                        return Poll::Pending;
                    }
                    Poll::Ready(None) => decoder.end(),
                    Poll::Ready(Some(Ok(piece))) => decoder.feed(piece),
                    Poll::Ready(Some(Err(problem))) => return Poll::Ready(Some(Err(problem))),
                },
                Err(refused) => return Poll::Ready(Some(Err(self.undecodable(refused)))),
            }
        }
    }

    /// Returns the next chunk as it was transferred.
    fn poll_encoded(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Problem>>> {
        match self.pieces.as_mut().poll_next(context) {
            Poll::Ready(piece) => {
                if let (Some(pace), Some(Ok(piece))) = (&mut self.pace, &piece) {
                    pace.add(piece.len());
                }
                Poll::Ready(piece.map(|piece| piece.map_err(|Aborted| self.aborted())))
            }
            Poll::Pending => {
                let pace = self.pace.get_or_insert_with(|| Pace::new(self.bounds.pace));
                let too_slow = ready!(pace.poll_too_slow(context));
                Poll::Ready(Some(Err(self.timed_out(too_slow))))
            }
        }
    }

    #[cold]
    fn aborted(&self) -> Problem {
        match self.bounds.sender {
            Sender::Client => Problem::new(StatusCode::BAD_REQUEST)
                .with_detail("the connection closed before the end of the body"),
            Sender::Server => Problem::new(StatusCode::BAD_GATEWAY)
                .with_detail("the connection closed before the end of the response"),
        }
    }

    #[cold]
    fn undecodable(&self, refused: DecodeFailure) -> Problem {
        let (status, detail) = match refused {
            DecodeFailure::Invalid(detail) => (StatusCode::BAD_REQUEST, detail),
            DecodeFailure::Limit(detail) => (StatusCode::PAYLOAD_TOO_LARGE, detail),
        };
        let status = match self.bounds.sender {
            Sender::Client => status,
            Sender::Server => StatusCode::BAD_GATEWAY,
        };
        Problem::new(status).with_detail(detail)
    }

    #[cold]
    fn timed_out(&self, too_slow: TooSlow) -> Problem {
        match self.bounds.sender {
            Sender::Client => Problem::new(StatusCode::REQUEST_TIMEOUT)
                .with_detail(format!("the body {too_slow}")),
            Sender::Server => Problem::new(StatusCode::GATEWAY_TIMEOUT)
                .with_detail(format!("the response {too_slow}")),
        }
    }
}

impl Stream for IncomingStream {
    type Item = Result<Bytes, Problem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_piece(context)
    }
}

impl fmt::Debug for IncomingStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingStream").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

pin_project! {
    /// The data frames of a body of any type.
    struct BodyData<B> {
        #[pin]
        body: B,
    }
}

impl<B: http_body::Body> Stream for BodyData<B> {
    type Item = Result<Bytes, Aborted>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut body = self.project().body;
        loop {
            match ready!(body.as_mut().poll_frame(context)) {
                None => return Poll::Ready(None),
                Some(Err(_)) => return Poll::Ready(Some(Err(Aborted))),
                Some(Ok(frame)) => {
                    // Trailers are ignored.
                    if let Ok(mut data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data.copy_to_bytes(data.remaining()))));
                    }
                }
            }
        }
    }
}
