//! [`Body`]: the body of a response, whole or streamed.
//!
//! A body can be observed: it then reports its progress to the task that polls it through a shared
//! [`ProgressCell`], so that a stalled HTTP/2 stream can be reset.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http_body::{Frame, SizeHint};

use crate::activity::Work;

/// The body of a response.
#[derive(Default)]
pub struct Body {
    content: BodyContent,
    /// The progress of the body, if a task observes it.
    progress: Option<Arc<ProgressCell>>,
    /// Marks the connection as waiting for the server while a stream is sent.
    work: Option<Work>,
}

/// An error of a service, of a body or of a connection.
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

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

impl From<BodyContent> for Body {
    #[inline]
    fn from(content: BodyContent) -> Self {
        Body { content, progress: None, work: None }
    }
}

impl Body {
    /// Creates a body that is complete in memory.
    #[inline]
    pub fn new(content: Bytes) -> Self {
        BodyContent::Whole(content).into()
    }

    /// Creates a body from a stream of chunks. An error in the stream closes the connection.
    pub(crate) fn stream(
        chunks: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        BodyContent::Stream(Box::pin(chunks)).into()
    }

    /// Creates a body from a stream of chunks whose total size, in bytes, may be known.
    pub(crate) fn stream_of(
        chunks: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
        size_bytes: Option<u64>,
    ) -> Self {
        let chunks: ChunkStream = Box::pin(chunks);
        match size_bytes {
            Some(bytes) => BodyContent::SizedStream(chunks, bytes).into(),
            None => BodyContent::Stream(chunks).into(),
        }
    }

    /// Returns whether the body is produced while it is sent.
    #[inline]
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.content, BodyContent::Stream(_) | BodyContent::SizedStream(..))
    }

    /// Replaces a stream by the result of `wrap`, whose size is unknown. Any other body is returned
    /// unchanged.
    pub(crate) fn map_stream<S>(self, wrap: impl FnOnce(ChunkStream) -> S) -> Body
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    {
        match self.content {
            BodyContent::Stream(chunks) | BodyContent::SizedStream(chunks, _) => {
                Body::stream(wrap(chunks))
            }
            _ => self,
        }
    }

    /// Returns the content of a body that is complete in memory, or nothing for another body.
    #[inline]
    pub(crate) fn content(&self) -> Option<&Bytes> {
        match &self.content {
            BodyContent::Whole(content) => Some(content),
            _ => None,
        }
    }

    /// Returns the part of the content that begins at byte `first` and has `bytes` bytes, or fewer
    /// if the content ends before. A stream of unknown size and the body of a response to HEAD are
    /// returned unchanged.
    pub(crate) fn part(self, first: u64, bytes: u64) -> Body {
        match self.content {
            BodyContent::Whole(mut content) => {
                let first = usize::try_from(first).unwrap_or(usize::MAX).min(content.len());
                content.advance(first);
                content.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
                Body::new(content)
            }
            BodyContent::SizedStream(chunks, size_bytes) => {
                let bytes = bytes.min(size_bytes.saturating_sub(first));
                let part = StreamPart { chunks, skipped_bytes: first, left_bytes: bytes };
                Body::stream_of(part, Some(bytes))
            }
            _ => self,
        }
    }

    /// Keeps `work`, which marks the connection as waiting for the server, until the body is
    /// dropped.
    pub(crate) fn hold(&mut self, work: Option<Work>) {
        self.work = work;
    }

    /// Reports the progress of each poll to `progress`, and splits long chunks.
    pub(crate) fn observe(&mut self, progress: Arc<ProgressCell>) {
        self.map_chunks(|chunks| Box::pin(SplitChunks { chunks, rest: Bytes::new() }));
        self.progress = Some(progress);
    }

    /// Replaces the chunks of a stream by others of the same total size. Content that is complete
    /// in memory stays as it is.
    pub(crate) fn map_chunks(&mut self, wrap: impl FnOnce(ChunkStream) -> ChunkStream) {
        self.content = match std::mem::take(&mut self.content) {
            BodyContent::Stream(chunks) => BodyContent::Stream(wrap(chunks)),
            BodyContent::SizedStream(chunks, bytes) => {
                BodyContent::SizedStream(wrap(chunks), bytes)
            }
            whole => whole,
        };
    }

    /// Creates an empty body that reports this size.
    pub(crate) fn only_size(bytes: Option<u64>) -> Self {
        BodyContent::SizeOnly(bytes).into()
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let Body { content, progress, work } = self.get_mut();
        let frame = match content {
            BodyContent::Whole(content) => {
                let chunk = content.split_to(match progress {
                    Some(_) => observed_chunk_bytes(content.len()),
                    None => content.len(),
                });
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
        if let Some(progress) = progress {
            progress.report(&frame);
        }
        if let Some(work) = work
            && let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(chunk) = frame.data_ref()
        {
            work.note_content(chunk);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            BodyContent::Whole(content) => content.is_empty(),
            BodyContent::SizeOnly(_) => true,
            BodyContent::Stream(_) => false,
            BodyContent::SizedStream(_, left_bytes) => *left_bytes == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            BodyContent::Whole(content) => SizeHint::with_exact(content.len() as u64),
            BodyContent::SizeOnly(Some(bytes)) | BodyContent::SizedStream(_, bytes) => {
                SizeHint::with_exact(*bytes)
            }
            BodyContent::SizeOnly(None) | BodyContent::Stream(_) => SizeHint::default(),
        }
    }
}

/// A part of a stream of chunks.
struct StreamPart {
    chunks: ChunkStream,
    /// The number of bytes to discard first.
    skipped_bytes: u64,
    left_bytes: u64,
}

impl Stream for StreamPart {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while self.left_bytes > 0 {
            let mut chunk = match ready!(self.chunks.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => chunk,
                other => return Poll::Ready(other),
            };
            let skipped = self.skipped_bytes.min(chunk.len() as u64);
            chunk.advance(skipped as usize);
            self.skipped_bytes -= skipped;
            chunk.truncate(usize::try_from(self.left_bytes).unwrap_or(usize::MAX));
            self.left_bytes -= chunk.len() as u64;
            if !chunk.is_empty() {
                return Poll::Ready(Some(Ok(chunk)));
            }
        }
        Poll::Ready(None)
    }
}

/// A stream of chunks that splits long ones.
struct SplitChunks {
    chunks: ChunkStream,
    rest: Bytes,
}

impl Stream for SplitChunks {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.rest.is_empty() {
            match ready!(self.chunks.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => self.rest = chunk,
                other => return Poll::Ready(other),
            }
        }
        let length = observed_chunk_bytes(self.rest.len());
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.content {
            BodyContent::Whole(_) => "Body::Whole",
            BodyContent::SizeOnly(_) => "Body::SizeOnly",
            BodyContent::Stream(_) => "Body::Stream",
            BodyContent::SizedStream(..) => "Body::SizedStream",
        })
    }
}

impl From<Bytes> for Body {
    fn from(content: Bytes) -> Self {
        Body::new(content)
    }
}

/// The progress of a body since its observer last looked.
#[cfg(feature = "server")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyProgress {
    /// The body was not polled.
    NotPolled,
    /// The body produced a chunk or its end.
    Produced,
    /// The body had nothing ready.
    Pending,
}

/// The progress of a body, shared with the task that polls it: between the two is only hyper, which
/// has no channel for this report. The cell is atomic because tasks move between threads; the body
/// and the task never use it at the same time.
#[derive(Debug, Default)]
pub(crate) struct ProgressCell(AtomicU8);

const PRODUCED: u8 = 1;
const PENDING: u8 = 2;

impl ProgressCell {
    #[inline]
    pub(crate) fn report<T>(&self, frame: &Poll<T>) {
        let progress = if frame.is_ready() { PRODUCED } else { PENDING };
        self.0.store(progress, Ordering::Relaxed);
    }

    /// Returns the progress of the last poll of the body, and resets it.
    #[cfg(feature = "server")]
    pub(crate) fn take(&self) -> BodyProgress {
        match self.0.swap(0, Ordering::Relaxed) {
            PRODUCED => BodyProgress::Produced,
            PENDING => BodyProgress::Pending,
            _ => BodyProgress::NotPolled,
        }
    }
}

/// The maximum size, in bytes, of a chunk while a task observes the body: one frame of HTTP/2 (RFC
/// 9113, section 4.2). hyper requests a chunk once all chunks but the last one fit the client's
/// window, so a client that reads this much within the timeout counts as reading.
const CHUNK_BYTES: usize = 16 << 10;

/// The maximum number of observed bytes that are sent in one chunk. More bytes are split before
/// their last one. hyper takes a chunk into its buffer as soon as the first byte of the chunk fits
/// the client's window, so it holds the last byte until the rest fits, and the task of the stream,
/// with its timeout, does not end before. The end of a stream is not known in advance, so each of
/// its chunks is split.
const WHOLE_BYTES: usize = 1 << 10;

/// Returns the size of the next chunk of an observed body that has this many bytes ready.
pub(crate) fn observed_chunk_bytes(ready_bytes: usize) -> usize {
    match ready_bytes > WHOLE_BYTES {
        true => CHUNK_BYTES.min(ready_bytes - 1),
        false => ready_bytes,
    }
}
