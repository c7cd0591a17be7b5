//! [`Body`]: the body of a response, whole or streamed.
//!
//! The body also reports its progress to the task that polls it, so that a stalled HTTP/2 stream can
//! be reset. The body and that task meet within one poll, with only hyper between them, which has no
//! channel for this report; a thread-local carries it for the length of the poll.

use std::cell::Cell;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Frame, SizeHint};
use manywire_format::Coding;
use pin_project_lite::pin_project;

use crate::codings::Coded;

/// The body of an answer.
#[derive(Default)]
pub struct Body(Kind);

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>> + Send>>;

enum Kind {
    Content(Bytes),
    /// The answer to HEAD: what would have been sent, in bytes, if that is known.
    OnlySize(Option<u64>),
    Stream(Pieces),
    /// The same with how many bytes are left of it.
    Sized(Pieces, u64),
}

impl Default for Kind {
    fn default() -> Self {
        Kind::Content(Bytes::new())
    }
}

/// Why an answer broke off while it was sent. What the cause is, the log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyError(&'static str);

impl BodyError {
    pub(crate) fn new(message: &'static str) -> Self {
        BodyError(message)
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BodyError {}

impl Body {
    /// The content, whole.
    #[inline]
    pub fn new(content: Bytes) -> Self {
        Body(Kind::Content(content))
    }

    /// The content piece by piece; an error breaks the connection off.
    pub(crate) fn stream(
        pieces: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        Body(Kind::Stream(Box::pin(Paced { pieces, rest: Bytes::new() })))
    }

    /// The same of a size that may be known beforehand, in bytes.
    pub(crate) fn stream_of(
        pieces: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
        size_bytes: Option<u64>,
    ) -> Self {
        match (Body::stream(pieces).0, size_bytes) {
            (Kind::Stream(pieces), Some(bytes)) => Body(Kind::Sized(pieces, bytes)),
            (other, _) => Body(other),
        }
    }

    /// Whether it is made as it is sent.
    #[inline]
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.0, Kind::Stream(_) | Kind::Sized(..))
    }

    /// A stream in a coding, each value on its way as soon as it is made; what is whole stays as it
    /// is.
    pub(crate) fn in_coding(self, coding: Coding) -> Body {
        match self.0 {
            Kind::Stream(pieces) | Kind::Sized(pieces, _) => {
                Body::stream(Coded::new(pieces, coding))
            }
            _ => self,
        }
    }

    /// The content, where it is whole.
    #[inline]
    pub(crate) fn content(&self) -> Option<&Bytes> {
        match &self.0 {
            Kind::Content(content) => Some(content),
            _ => None,
        }
    }

    /// Has each piece of a stream noted when it goes out.
    #[cfg(feature = "metrics")]
    pub(super) fn count_pieces(&mut self, note: impl Fn(usize) + Send + 'static) {
        let noted = |pieces| Box::pin(Noted { pieces, note: Box::new(note) });
        self.0 = match std::mem::take(&mut self.0) {
            Kind::Stream(pieces) => Kind::Stream(noted(pieces)),
            Kind::Sized(pieces, bytes) => Kind::Sized(noted(pieces), bytes),
            whole => whole,
        };
    }

    /// No content, though there would be.
    pub(crate) fn only_size(bytes: Option<u64>) -> Self {
        Body(Kind::OnlySize(bytes))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = match &mut self.0 {
            Kind::Content(content) => {
                let piece = content.split_to(next_of_content(content.len()));
                Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
            }
            Kind::OnlySize(_) => Poll::Ready(None),
            Kind::Stream(pieces) => {
                pieces.as_mut().poll_next(context).map(|piece| Some(piece?.map(Frame::data)))
            }
            Kind::Sized(pieces, left_bytes) => {
                let piece = pieces.as_mut().poll_next(context);
                if let Poll::Ready(Some(Ok(piece))) = &piece {
                    *left_bytes = left_bytes.saturating_sub(piece.len() as u64);
                }
                piece.map(|piece| Some(piece?.map(Frame::data)))
            }
        };
        note(if frame.is_ready() { Step::Gave } else { Step::Waits });
        frame
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Content(content) => content.is_empty(),
            Kind::OnlySize(_) => true,
            Kind::Stream(_) => false,
            Kind::Sized(_, left_bytes) => *left_bytes == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Content(content) => SizeHint::with_exact(content.len() as u64),
            Kind::OnlySize(Some(bytes)) | Kind::Sized(_, bytes) => SizeHint::with_exact(*bytes),
            Kind::OnlySize(None) | Kind::Stream(_) => SizeHint::default(),
        }
    }
}

pin_project! {
    /// The pieces of a stream, the long ones bit by bit where that is watched.
    struct Paced<S> {
        #[pin]
        pieces: S,
        rest: Bytes,
    }
}

impl<S> Stream for Paced<S>
where
    S: Stream<Item = Result<Bytes, BodyError>>,
{
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if this.rest.is_empty() {
            match ready!(this.pieces.poll_next(context)) {
                Some(Ok(piece)) => *this.rest = piece,
                other => return Poll::Ready(other),
            }
        }
        let length = next_of_piece(this.rest.len());
        Poll::Ready(Some(Ok(this.rest.split_to(length))))
    }
}

/// The pieces of a stream, each noted by its size.
#[cfg(feature = "metrics")]
struct Noted {
    pieces: Pieces,
    note: Box<dyn Fn(usize) + Send>,
}

#[cfg(feature = "metrics")]
impl Stream for Noted {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = self.pieces.as_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(piece))) = &piece {
            (self.note)(piece.len());
        }
        piece
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Kind::Content(_) => "Body::Content",
            Kind::OnlySize(_) => "Body::OnlySize",
            Kind::Stream(_) | Kind::Sized(..) => "Body::Stream",
        })
    }
}

impl From<Bytes> for Body {
    fn from(content: Bytes) -> Self {
        Body::new(content)
    }
}

/// What a body did in a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It was not asked for anything.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "nobody watches"))]
    Quiet,
    /// It gave what it had, or its end.
    Gave,
    /// It had nothing at hand.
    Waits,
}

thread_local! {
    /// What the body did in the poll at hand; nothing where nobody watches.
    static STEP: Cell<Option<Step>> = const { Cell::new(None) };
}

/// What the body did while `poll` was at work.
#[cfg(feature = "server")]
pub(super) fn watch<T>(poll: impl FnOnce() -> T) -> (T, Step) {
    let _before = Before(STEP.replace(Some(Step::Quiet)));
    let polled = poll();
    (polled, STEP.get().unwrap_or(Step::Quiet))
}

/// What is put back at the end of a poll, also of one that panics.
#[cfg(feature = "server")]
struct Before(Option<Step>);

#[cfg(feature = "server")]
impl Drop for Before {
    fn drop(&mut self) {
        STEP.set(self.0);
    }
}

/// Says what a body did.
#[inline]
pub(super) fn note(step: Step) {
    if is_watched() {
        STEP.set(Some(step));
    }
}

#[inline]
fn is_watched() -> bool {
    STEP.get().is_some()
}

/// The most that is given at a time where it is watched, in bytes: one frame of HTTP/2 (RFC 9113,
/// section 4.2). What was given is out of sight until it is sent, so that a client that reads this
/// much in its time is one that reads.
const PIECE_BYTES: usize = 16 << 10;

/// Content up to this size is given whole, in bytes. Of any other the last byte goes alone: the
/// protocol asks for it once the client takes it, and has nothing left to hold on to.
const WHOLE_BYTES: usize = 1 << 10;

/// How much goes next of content that has so many bytes left.
#[inline]
pub(super) fn next_of_content(left_bytes: usize) -> usize {
    match left_bytes > WHOLE_BYTES && is_watched() {
        true => PIECE_BYTES.min(left_bytes - 1),
        false => left_bytes,
    }
}

/// How much goes next of a piece of a stream.
#[inline]
pub(super) fn next_of_piece(left_bytes: usize) -> usize {
    if is_watched() { PIECE_BYTES.min(left_bytes) } else { left_bytes }
}
