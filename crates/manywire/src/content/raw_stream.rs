//! Streams of bytes: [`RawStream`], and the adapter for readers.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use bytes::Bytes;
use futures_core::Stream;
use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_format::MediaType;
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, ReadBuf};

use super::{Answer, Content, Decoding, Encoding, IncomingContent, Media, Receive};
use crate::body::{Body, BodyError};
use crate::problem::Problem;

/// A stream of bytes of any length, for downloads and uploads that are not held in memory.
///
/// ```no_run
/// use manywire::content::RawStream;
/// use manywire::{Api, Problem, get};
///
/// let video = get("/video").returns::<RawStream>();
/// let api = Api::new("Videos").serve(video.to(|| async {
///     let file = tokio::fs::File::open("video.mp4").await.map_err(Problem::internal)?;
///     let size_bytes = file.metadata().await.map_err(Problem::internal)?.len();
///     let video = RawStream::from_reader(file);
///     Ok::<_, Problem>(video.with_content_type("video/mp4").with_size_bytes(size_bytes))
/// }));
/// # drop(api);
/// ```
///
/// The next chunk is requested when the client has taken the previous one, so a download takes the
/// memory of one chunk, however fast its source is. A stream that fails, or that does not have the
/// declared size, is aborted, so that the client does not take it for complete. Like
/// [`Raw`](super::Raw) it is sent without a content coding unless the client insists on one.
///
/// A body is read while it arrives, without its content codings. Its size is not limited; the
/// handler decides, chunk by chunk. A client receives such a response before it is complete, and
/// reads it while it arrives. A client sends such a body once.
pub struct RawStream {
    pieces: Pieces,
    size_bytes: Option<u64>,
    content_type: Option<String>,
    is_over: bool,
}

type Pieces = Pin<Box<dyn Stream<Item = std::result::Result<Bytes, Problem>> + Send>>;

impl RawStream {
    /// Streams these chunks, up to the first failure.
    pub fn new(pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> RawStream {
        RawStream::of(Box::pin(LoggedStream(Box::pin(pieces))))
    }

    /// Streams the bytes of a reader, such as a `tokio::fs::File`.
    pub fn from_reader(reader: impl AsyncRead + Send + 'static) -> RawStream {
        RawStream::new(ReaderStream::new(reader))
    }

    /// Sets the media type. The default is `application/octet-stream`, or the value of
    /// [`Reply::with_header`](crate::Reply::with_header).
    #[must_use]
    pub fn with_content_type(mut self, media_type: impl Into<String>) -> RawStream {
        self.content_type = Some(media_type.into());
        self
    }

    /// Sets the size in bytes, which is sent as `Content-Length`. A stream with more or fewer bytes
    /// is aborted.
    #[must_use]
    pub fn with_size_bytes(mut self, size_bytes: u64) -> RawStream {
        self.size_bytes = Some(size_bytes);
        self
    }

    /// Returns the `Content-Type` as it was sent.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// Returns the next chunk, or `None` after the last chunk and after a failure.
    pub async fn next(&mut self) -> Option<std::result::Result<Bytes, Problem>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    fn of(pieces: Pieces) -> RawStream {
        RawStream { pieces, size_bytes: None, content_type: None, is_over: false }
    }
}

impl Stream for RawStream {
    type Item = std::result::Result<Bytes, Problem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let piece = ready!(this.pieces.as_mut().poll_next(context));
        this.is_over = !matches!(piece, Some(Ok(_)));
        Poll::Ready(piece)
    }
}

/// A stream whose failures are logged and hidden from the client.
struct LoggedStream<S>(Pin<Box<S>>);

impl<S: Stream<Item = io::Result<Bytes>>> Stream for LoggedStream<S> {
    type Item = std::result::Result<Bytes, Problem>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = self.0.as_mut().poll_next(context);
        piece.map(|piece| piece.map(|piece| piece.map_err(Problem::internal)))
    }
}

impl Content for RawStream {
    type Value = RawStream;

    fn media() -> Media {
        Media::RawStream
    }
}

impl Answer for RawStream {
    fn answer(value: RawStream, _to: &mut Encoding<'_>) -> Result<Body> {
        if let Some(content_type) = &value.content_type {
            MediaType::parse(content_type)
                .map_err(|error| Error::new(Category::Unsupported, error))?;
        }
        let RawStream { pieces, size_bytes, .. } = value;
        Ok(Body::stream_of(
            SizeCheckedStream { pieces, left_bytes: size_bytes, abort: None, is_over: false },
            size_bytes,
        ))
    }

    fn content_type(value: &RawStream) -> Option<HeaderValue> {
        HeaderValue::try_from(value.content_type.as_deref()?).ok()
    }
}

impl Receive for RawStream {
    fn receive(content: IncomingContent, _from: Decoding<'_>) -> Result<RawStream> {
        match content {
            IncomingContent::Stream(arriving) => {
                let said = arriving.content_type().map(|said| said.as_bytes().iter());
                let content_type = said.map(|said| said.map(|byte| char::from(*byte)).collect());
                Ok(RawStream { content_type, ..RawStream::of(Box::pin(arriving)) })
            }
            IncomingContent::Whole(_) => Err(Error::new(
                Category::Unsupported,
                "expected a streaming body, found a complete one",
            )),
        }
    }
}

/// An outgoing stream whose size is checked.
struct SizeCheckedStream {
    pieces: Pieces,
    left_bytes: Option<u64>,
    /// The reason for aborting, after the earlier chunks had time to be sent.
    abort: Option<&'static str>,
    is_over: bool,
}

impl Stream for SizeCheckedStream {
    type Item = std::result::Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        if let Some(why) = this.abort {
            tracing::error!(why, "a response was aborted");
            this.is_over = true;
            return Poll::Ready(Some(Err(BodyError::new(why))));
        }
        let piece = match ready!(this.pieces.as_mut().poll_next(context)) {
            Some(Ok(piece)) => piece,
            Some(Err(_)) => return this.abort("the stream failed", context),
            None if this.left_bytes.is_some_and(|left| left > 0) => {
                return this.abort("the stream has fewer bytes than declared", context);
            }
            None => {
                this.is_over = true;
                return Poll::Ready(None);
            }
        };
        if let Some(left) = &mut this.left_bytes {
            let Some(less) = left.checked_sub(piece.len() as u64) else {
                return this.abort("the stream has more bytes than declared", context);
            };
            *left = less;
        }
        Poll::Ready(Some(Ok(piece)))
    }
}

impl SizeCheckedStream {
    /// Aborts the stream at the next poll. An aborted connection sends nothing more, so the pending
    /// chunks are sent first.
    #[cold]
    fn abort(
        &mut self,
        why: &'static str,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Bytes, BodyError>>> {
        self.abort = Some(why);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl fmt::Debug for RawStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RawStream");
        shown.field("content_type", &self.content_type).field("size_bytes", &self.size_bytes);
        shown.finish_non_exhaustive()
    }
}

pin_project! {
    /// The chunks of a reader, each read on demand.
    pub(super) struct ReaderStream<R> {
        #[pin]
        reader: R,
        piece: Box<[u8]>,
    }
}

/// The size of a chunk, in bytes.
const PIECE_BYTES: usize = 16 << 10;

impl<R> ReaderStream<R> {
    pub(super) fn new(reader: R) -> Self {
        ReaderStream { reader, piece: vec![0; PIECE_BYTES].into() }
    }
}

impl<R: AsyncRead> Stream for ReaderStream<R> {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let mut buffer = ReadBuf::new(this.piece);
        if let Err(error) = ready!(this.reader.poll_read(context, &mut buffer)) {
            return Poll::Ready(Some(Err(error)));
        }
        let read = buffer.filled();
        Poll::Ready((!read.is_empty()).then(|| Ok(Bytes::copy_from_slice(read))))
    }
}
