//! [`Body`]: the body of a response, whole or streamed.
//!
//! The body also reports its progress to the task that polls it, so that a stalled HTTP/2 stream
//! can be reset. The body and that task meet within one poll, with only hyper between them, which
//! has no channel for this report; a thread-local carries it for the length of the poll.

use std::cell::Cell;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Frame, SizeHint};
use pin_project_lite::pin_project;

/// The body of a response.
#[derive(Default)]
pub struct Body(BodyContent);

pub(crate) type ChunkStream = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>> + Send>>;

enum BodyContent {
    Whole(Bytes),
    /// The body of a response to HEAD: empty, with the size in bytes that GET would send, if it is
    /// known.
    SizeOnly(Option<u64>),
    Stream(ChunkStream),
    /// A stream with the number of bytes that are left of it.
    SizedStream(ChunkStream, u64),
}

impl Default for BodyContent {
    fn default() -> Self {
        BodyContent::Whole(Bytes::new())
    }
}

/// The error for a response that broke off while it was sent. The log has the cause.
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
    /// Creates a body that is complete in memory.
    #[inline]
    pub fn new(content: Bytes) -> Self {
        Body(BodyContent::Whole(content))
    }

    /// Creates a body from a stream of chunks. An error in the stream closes the connection.
    pub(crate) fn stream(
        chunks: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        Body(BodyContent::Stream(Box::pin(SplitChunks { chunks, rest: Bytes::new() })))
    }

    /// Creates a body from a stream of chunks whose total size, in bytes, may be known.
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

    /// Returns whether the body is produced while it is sent.
    #[inline]
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.0, BodyContent::Stream(_) | BodyContent::SizedStream(..))
    }

    /// Replaces a stream by the one that `wrap` makes of it. A body that is complete in memory is
    /// returned unchanged.
    pub(crate) fn map_stream<S>(self, wrap: impl FnOnce(ChunkStream) -> S) -> Body
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    {
        match self.0 {
            BodyContent::Stream(chunks) | BodyContent::SizedStream(chunks, _) => {
                Body::stream(wrap(chunks))
            }
            _ => self,
        }
    }

    /// Returns the content of a body that is complete in memory.
    #[inline]
    pub(crate) fn content(&self) -> Option<&Bytes> {
        match &self.0 {
            BodyContent::Whole(content) => Some(content),
            _ => None,
        }
    }

    /// Calls `note` with the size of each chunk of a stream when it is sent.
    #[cfg(feature = "metrics")]
    pub(crate) fn count_chunks(&mut self, note: impl Fn(usize) + Send + 'static) {
        let counted = |chunks| Box::pin(CountedChunks { chunks, note: Box::new(note) });
        self.0 = match std::mem::take(&mut self.0) {
            BodyContent::Stream(chunks) => BodyContent::Stream(counted(chunks)),
            BodyContent::SizedStream(chunks, bytes) => {
                BodyContent::SizedStream(counted(chunks), bytes)
            }
            whole => whole,
        };
    }

    /// Creates an empty body that reports this size.
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
    /// A stream of chunks that splits long chunks while a task observes its progress.
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

/// A stream of chunks that reports the size of each.
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

/// The progress of a body in one poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyProgress {
    /// The body was not polled.
    #[cfg_attr(
        not(feature = "server"),
        expect(dead_code, reason = "only the server observes bodies")
    )]
    NotPolled,
    /// The body produced a chunk or its end.
    Produced,
    /// The body had nothing ready.
    Pending,
}

thread_local! {
    /// The progress of the body in the current poll, or nothing if no task observes it.
    static PROGRESS: Cell<Option<BodyProgress>> = const { Cell::new(None) };
}

/// Calls `poll` and returns the progress that a body reported during the call.
#[cfg(feature = "server")]
pub(crate) fn observe<T>(poll: impl FnOnce() -> T) -> (T, BodyProgress) {
    let _restore = RestoreProgress(PROGRESS.replace(Some(BodyProgress::NotPolled)));
    let polled = poll();
    (polled, PROGRESS.get().unwrap_or(BodyProgress::NotPolled))
}

/// The previous value of the thread-local, restored at the end of a poll, including one that
/// panics.
#[cfg(feature = "server")]
struct RestoreProgress(Option<BodyProgress>);

#[cfg(feature = "server")]
impl Drop for RestoreProgress {
    fn drop(&mut self) {
        PROGRESS.set(self.0);
    }
}

/// Reports the progress of a body.
#[inline]
fn report(progress: BodyProgress) {
    if is_observed() {
        PROGRESS.set(Some(progress));
    }
}

#[inline]
fn is_observed() -> bool {
    PROGRESS.get().is_some()
}

/// The maximum size, in bytes, of a chunk while a task observes the body: one frame of HTTP/2 (RFC
/// 9113, section 4.2). The observer does not see a chunk again until it is sent, so a client counts
/// as reading if it reads this much within the timeout.
const CHUNK_BYTES: usize = 16 << 10;

/// The size, in bytes, up to which content is given in one chunk. The last byte of larger content
/// is a chunk of its own: the protocol polls for it when the client has taken the rest, and then
/// has nothing left to hold.
const WHOLE_BYTES: usize = 1 << 10;

/// Returns the size of the next chunk of content with this many bytes left.
#[inline]
fn next_content_bytes(left_bytes: usize) -> usize {
    match left_bytes > WHOLE_BYTES && is_observed() {
        true => CHUNK_BYTES.min(left_bytes - 1),
        false => left_bytes,
    }
}

/// Returns the size of the next part of a chunk of a stream.
#[inline]
fn next_chunk_bytes(left_bytes: usize) -> usize {
    if is_observed() { CHUNK_BYTES.min(left_bytes) } else { left_bytes }
}
