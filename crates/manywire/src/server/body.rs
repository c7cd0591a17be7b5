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
pub struct Body(BodyContent);

type ChunkStream = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>> + Send>>;

enum BodyContent {
    Whole(Bytes),
    /// The answer to HEAD: what would have been sent, in bytes, if that is known.
    SizeOnly(Option<u64>),
    Stream(ChunkStream),
    /// The same with how many bytes are left of it.
    SizedStream(ChunkStream, u64),
}

impl Default for BodyContent {
    fn default() -> Self {
        BodyContent::Whole(Bytes::new())
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
        Body(BodyContent::Whole(content))
    }

    /// The content piece by piece; an error breaks the connection off.
    pub(crate) fn stream(
        chunks: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        Body(BodyContent::Stream(Box::pin(SplitChunks { chunks, rest: Bytes::new() })))
    }

    /// The same of a size that may be known beforehand, in bytes.
    pub(crate) fn stream_of(
        chunks: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
        size_bytes: Option<u64>,
    ) -> Self {
        match (Body::stream(chunks).0, size_bytes) {
            (BodyContent::Stream(chunks), Some(bytes)) => {
                Body(BodyContent::SizedStream(chunks, bytes))
            }
            (other, _) => Body(other),
        }
    }

    /// Whether it is made as it is sent.
    #[inline]
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.0, BodyContent::Stream(_) | BodyContent::SizedStream(..))
    }

    /// A stream in a coding, each value on its way as soon as it is made; what is whole stays as it
    /// is.
    pub(crate) fn in_coding(self, coding: Coding) -> Body {
        match self.0 {
            BodyContent::Stream(chunks) | BodyContent::SizedStream(chunks, _) => {
                Body::stream(Coded::new(chunks, coding))
            }
            _ => self,
        }
    }

    /// The content, where it is whole.
    #[inline]
    pub(crate) fn content(&self) -> Option<&Bytes> {
        match &self.0 {
            BodyContent::Whole(content) => Some(content),
            _ => None,
        }
    }

    /// Has each piece of a stream noted when it goes out.
    #[cfg(feature = "metrics")]
    pub(super) fn count_chunks(&mut self, note: impl Fn(usize) + Send + 'static) {
        let counted = |chunks| Box::pin(CountedChunks { chunks, note: Box::new(note) });
        self.0 = match std::mem::take(&mut self.0) {
            BodyContent::Stream(chunks) => BodyContent::Stream(counted(chunks)),
            BodyContent::SizedStream(chunks, bytes) => {
                BodyContent::SizedStream(counted(chunks), bytes)
            }
            whole => whole,
        };
    }

    /// No content, though there would be.
    pub(crate) fn only_size(bytes: Option<u64>) -> Self {
        Body(BodyContent::SizeOnly(bytes))
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
            BodyContent::Whole(content) => {
                let chunk = content.split_to(next_content_bytes(content.len()));
                Poll::Ready((!chunk.is_empty()).then(|| Ok(Frame::data(chunk))))
            }
            BodyContent::SizeOnly(_) => Poll::Ready(None),
            BodyContent::Stream(chunks) => {
                chunks.as_mut().poll_next(context).map(|chunk| Some(chunk?.map(Frame::data)))
            }
            BodyContent::SizedStream(chunks, left_bytes) => {
                let chunk = chunks.as_mut().poll_next(context);
                if let Poll::Ready(Some(Ok(chunk))) = &chunk {
                    *left_bytes = left_bytes.saturating_sub(chunk.len() as u64);
                }
                chunk.map(|chunk| Some(chunk?.map(Frame::data)))
            }
        };
        report(if frame.is_ready() { BodyProgress::Produced } else { BodyProgress::Pending });
        frame
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            BodyContent::Whole(content) => content.is_empty(),
            BodyContent::SizeOnly(_) => true,
            BodyContent::Stream(_) => false,
            BodyContent::SizedStream(_, left_bytes) => *left_bytes == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            BodyContent::Whole(content) => SizeHint::with_exact(content.len() as u64),
            BodyContent::SizeOnly(Some(bytes)) | BodyContent::SizedStream(_, bytes) => {
                SizeHint::with_exact(*bytes)
            }
            BodyContent::SizeOnly(None) | BodyContent::Stream(_) => SizeHint::default(),
        }
    }
}

pin_project! {
    /// The pieces of a stream, the long ones bit by bit where that is watched.
    struct SplitChunks<S> {
        #[pin]
        chunks: S,
        rest: Bytes,
    }
}

impl<S> Stream for SplitChunks<S>
where
    S: Stream<Item = Result<Bytes, BodyError>>,
{
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if this.rest.is_empty() {
            match ready!(this.chunks.poll_next(context)) {
                Some(Ok(chunk)) => *this.rest = chunk,
                other => return Poll::Ready(other),
            }
        }
        let length = next_chunk_bytes(this.rest.len());
        Poll::Ready(Some(Ok(this.rest.split_to(length))))
    }
}

/// The pieces of a stream, each noted by its size.
#[cfg(feature = "metrics")]
struct CountedChunks {
    chunks: ChunkStream,
    note: Box<dyn Fn(usize) + Send>,
}

#[cfg(feature = "metrics")]
impl Stream for CountedChunks {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = self.chunks.as_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(chunk))) = &chunk {
            (self.note)(chunk.len());
        }
        chunk
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            BodyContent::Whole(_) => "Body::Content",
            BodyContent::SizeOnly(_) => "Body::OnlySize",
            BodyContent::Stream(_) | BodyContent::SizedStream(..) => "Body::Stream",
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
pub(super) enum BodyProgress {
    /// It was not asked for anything.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "nobody watches"))]
    NotPolled,
    /// It gave what it had, or its end.
    Produced,
    /// It had nothing at hand.
    Pending,
}

thread_local! {
    /// What the body did in the poll at hand; nothing where nobody watches.
    static PROGRESS: Cell<Option<BodyProgress>> = const { Cell::new(None) };
}

/// What the body did while `poll` was at work.
#[cfg(feature = "server")]
pub(super) fn observe<T>(poll: impl FnOnce() -> T) -> (T, BodyProgress) {
    let _restore = RestoreProgress(PROGRESS.replace(Some(BodyProgress::NotPolled)));
    let polled = poll();
    (polled, PROGRESS.get().unwrap_or(BodyProgress::NotPolled))
}

/// What is put back at the end of a poll, also of one that panics.
#[cfg(feature = "server")]
struct RestoreProgress(Option<BodyProgress>);

#[cfg(feature = "server")]
impl Drop for RestoreProgress {
    fn drop(&mut self) {
        PROGRESS.set(self.0);
    }
}

/// Says what a body did.
#[inline]
pub(super) fn report(progress: BodyProgress) {
    if is_observed() {
        PROGRESS.set(Some(progress));
    }
}

#[inline]
fn is_observed() -> bool {
    PROGRESS.get().is_some()
}

/// The most that is given at a time where it is watched, in bytes: one frame of HTTP/2 (RFC 9113,
/// section 4.2). What was given is out of sight until it is sent, so that a client that reads this
/// much in its time is one that reads.
const CHUNK_BYTES: usize = 16 << 10;

/// Content up to this size is given whole, in bytes. Of any other the last byte goes alone: the
/// protocol asks for it once the client takes it, and has nothing left to hold on to.
const WHOLE_BYTES: usize = 1 << 10;

/// How much goes next of content that has so many bytes left.
#[inline]
pub(super) fn next_content_bytes(left_bytes: usize) -> usize {
    match left_bytes > WHOLE_BYTES && is_observed() {
        true => CHUNK_BYTES.min(left_bytes - 1),
        false => left_bytes,
    }
}

/// How much goes next of a piece of a stream.
#[inline]
pub(super) fn next_chunk_bytes(left_bytes: usize) -> usize {
    if is_observed() { CHUNK_BYTES.min(left_bytes) } else { left_bytes }
}
