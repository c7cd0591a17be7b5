use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http::{HeaderValue, StatusCode};
use manywire_format::Coding;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::codings::{DecodeFailure, DecodeStep, StreamDecoder, StreamDecoderLimits};
use crate::problem::Problem;

/// A message's content as whoever takes it gets it.
#[derive(Debug)]
#[non_exhaustive]
pub enum IncomingContent {
    /// The content, without its codings and in UTF-8 where it is text.
    Whole(Bytes),
    /// What comes in of it, without its codings.
    Stream(IncomingStream),
}

impl IncomingContent {
    /// The content where it is whole, else nothing.
    pub(crate) fn whole(&self) -> Bytes {
        match self {
            IncomingContent::Whole(bytes) => bytes.clone(),
            IncomingContent::Stream(_) => Bytes::new(),
        }
    }
}

/// Content while it comes in: pieces of any size, taken when they are asked for, so that whoever
/// sends faster than they are read has to wait.
pub struct IncomingStream {
    pieces: Pin<Box<dyn Stream<Item = Result<Bytes, Aborted>> + Send>>,
    decoder: Option<Box<StreamDecoder>>,
    /// Whether what came could not be decoded.
    has_failed: bool,
    /// How many pieces were decoded since others had their turn.
    turn: usize,
    idle: Option<Pin<Box<Sleep>>>,
    is_waiting: bool,
    bounds: IncomingLimits,
    content_type: Option<HeaderValue>,
}

/// What is taken of content that comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncomingLimits {
    /// The most that one value or part may take, in bytes.
    pub(crate) value_bytes: usize,
    /// The most that all parts of a form may take together, in bytes.
    #[cfg_attr(not(feature = "multipart"), expect(dead_code, reason = "no parts are read"))]
    pub(crate) all_bytes: usize,
    /// How long it may pause.
    pub(crate) idle_timeout: Duration,
    /// Whose fault it is if something is wrong with it.
    pub(crate) sender: Sender,
}

/// Who sends what comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A client: what is wrong with a request is 4xx.
    Client,
    /// A server: what is wrong with an answer is, to whoever passes it on, 502 and 504 (RFC 9110,
    /// sections 15.6.3 and 15.6.5).
    #[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only clients have answers"))]
    Server,
}

/// How many pieces are decoded out of what is at hand before other work has its turn: a mebibyte.
const PIECES_PER_TURN: usize = 64;

/// The connection failed before the end.
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
            idle: None,
            is_waiting: false,
            bounds,
            content_type: None,
        }
    }

    /// The same of content in codings, the last applied first, which are taken off as it comes.
    ///
    /// # Errors
    /// A coding that was not compiled in.
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

    /// The same of content that says what it is.
    pub(crate) fn with_content_type(mut self, content_type: Option<&HeaderValue>) -> Self {
        self.content_type = content_type.cloned();
        self
    }

    /// What it says it is, with all parameters.
    pub(crate) fn content_type(&self) -> Option<&HeaderValue> {
        self.content_type.as_ref()
    }

    pub(crate) fn bounds(&self) -> IncomingLimits {
        self.bounds
    }

    /// The next piece.
    ///
    /// # Errors
    /// What broke off or paused too long, or cannot be decoded, as a problem.
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
        // Behind what is wrong there is nothing to go on with.
        self.has_failed |= matches!(piece, Poll::Ready(Some(Err(_))));
        self.decoder = Some(decoder);
        piece
    }

    /// The next piece without its codings.
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

    /// The next piece as it came over the wire.
    fn poll_encoded(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Problem>>> {
        match self.pieces.as_mut().poll_next(context) {
            Poll::Ready(piece) => {
                self.is_waiting = false;
                Poll::Ready(piece.map(|piece| piece.map_err(|Aborted| self.aborted())))
            }
            Poll::Pending => {
                ready!(self.poll_idle(context));
                Poll::Ready(Some(Err(self.timed_out())))
            }
        }
    }

    /// Only the time in which a piece is waited for counts, not that in which nobody asks.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = Instant::now() + self.bounds.idle_timeout;
        let idle = self.idle.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if !self.is_waiting {
            self.is_waiting = true;
            idle.as_mut().reset(deadline);
        }
        idle.as_mut().poll(context)
    }

    #[cold]
    fn aborted(&self) -> Problem {
        match self.bounds.sender {
            Sender::Client => Problem::new(StatusCode::BAD_REQUEST)
                .with_detail("the connection closed before the end of the body"),
            Sender::Server => {
                Problem::new(StatusCode::BAD_GATEWAY).with_detail("the answer broke off")
            }
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
    fn timed_out(&self) -> Problem {
        let timeout = self.bounds.idle_timeout;
        match self.bounds.sender {
            Sender::Client => Problem::new(StatusCode::REQUEST_TIMEOUT)
                .with_detail(format!("the body paused for more than {timeout:?}")),
            Sender::Server => Problem::new(StatusCode::GATEWAY_TIMEOUT)
                .with_detail(format!("the answer paused for more than {timeout:?}")),
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
    /// The data of a body, whatever its type.
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
                    // Trailers are of no use to anybody here.
                    if let Ok(mut data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data.copy_to_bytes(data.remaining()))));
                    }
                }
            }
        }
    }
}
