//! Timeouts of a connection: for its first bytes, for writes that make no progress, and for closing
//! it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::stalled_streams::SocketState;

/// A connection with timeouts where hyper has none: for the bytes that decide the protocol, and for
/// a client that sends requests and does not read the responses.
///
/// It also closes in two steps (RFC 9112, section 9.6). If a socket is closed while bytes of the
/// client still arrive, the connection is reset, and the client loses the part of the response that
/// it has not read.
pub(super) struct TimeoutStream<S> {
    stream: S,
    preface: Option<Box<PrefaceWait>>,
    /// The time for which a write may make no progress.
    write_timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    /// The state shared with the HTTP/2 streams above.
    socket_state: Arc<SocketState>,
    /// The state of the second step of closing, once our side is closed.
    closing: Option<Box<LingeringClose>>,
}

/// The bounds on what a client may do until it closes its side.
struct LingeringClose {
    deadline: Pin<Box<Sleep>>,
    left_bytes: usize,
}

/// The state while the first bytes arrive.
struct PrefaceWait {
    deadline: Pin<Box<Sleep>>,
    /// The number of bytes of the HTTP/2 preface received so far, without any other bytes.
    preface_bytes: usize,
}

/// The connection preface of HTTP/2 (RFC 9113, section 3.4). The first byte that differs means
/// HTTP/1, which has its own timeout for heads.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The time in which a client must close its side after the whole response was sent.
const LINGER: Duration = Duration::from_secs(2);

/// The number of bytes that a client may still send: a refused body of ordinary size, but not an
/// endless one.
const LINGER_BYTES: usize = 16 << 20;

/// The number of reads that are discarded before other connections get their turn.
const DISCARDS_PER_POLL: usize = 16;

impl<S> TimeoutStream<S> {
    pub(super) fn new(
        stream: S,
        read_timeout: Duration,
        write_timeout: Duration,
        socket_state: Arc<SocketState>,
    ) -> Self {
        let deadline = Box::pin(sleep_until(Instant::now() + read_timeout));
        let preface = Some(Box::new(PrefaceWait { deadline, preface_bytes: 0 }));
        TimeoutStream { stream, preface, write_timeout, stalled: None, socket_state, closing: None }
    }

    /// Passes on the result of a write, and fails one that has made no progress for too long.
    #[inline]
    fn check_progress<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.stalled.take().is_some() {
                self.socket_state.set_writable();
            }
            return written;
        }
        let (timeout, socket_state) = (self.write_timeout, &self.socket_state);
        let stalled = self.stalled.get_or_insert_with(|| {
            socket_state.set_full();
            Box::pin(sleep(timeout))
        });
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(timed_out("timed out because the client does not read the response")))
    }
}

impl<S: AsyncRead + Unpin> TimeoutStream<S> {
    /// Waits until the client closes its side, and discards what it still sends.
    fn poll_closed(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closing = self.closing.get_or_insert_with(|| {
            Box::new(LingeringClose { deadline: Box::pin(sleep(LINGER)), left_bytes: LINGER_BYTES })
        });
        let mut discarded = [0; 4 << 10];
        for _ in 0..DISCARDS_PER_POLL {
            // A client that never stops sending gets no more time than one that never closes.
            if closing.deadline.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut discarded);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() && closing.left_bytes > 0 => {
                    closing.left_bytes = closing.left_bytes.saturating_sub(buffer.filled().len());
                }
                // Any outcome ends the connection.
                Ok(()) | Err(_) => return Poll::Ready(Ok(())),
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl PrefaceWait {
    /// Returns whether these bytes decide the protocol.
    fn is_over(&mut self, bytes: &[u8]) -> bool {
        let expected = &PREFACE[self.preface_bytes..];
        self.preface_bytes += bytes.len();
        bytes.is_empty() || bytes.len() >= expected.len() || !expected.starts_with(bytes)
    }
}

#[cold]
fn timed_out(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, message)
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let Some(preface) = &mut this.preface else {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        };
        let known = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                if preface.is_over(&buffer.filled()[known..]) {
                    this.preface = None;
                }
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                ready!(preface.deadline.as_mut().poll(context));
                Poll::Ready(Err(timed_out("timed out waiting for the first bytes of the client")))
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.check_progress(context, written)
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.check_progress(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(context);
        this.check_progress(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.closing.is_none() {
            let shut = Pin::new(&mut this.stream).poll_shutdown(context);
            ready!(this.check_progress(context, shut))?;
        }
        this.poll_closed(context)
    }
}
