//! Timeouts of a connection: for its first bytes, for request heads of HTTP/1, for a client that reads
//! too slowly, and for closing it.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep, timeout};

use super::connections::ConnectionState;
use super::head_timeout::HeadTimeout;
use super::protocol_errors::{ProtocolProblems, with_problem};
use crate::activity::may_be_error;
use crate::pace::{Pace, PaceLimits, TooSlow};

/// A connection with timeouts where hyper has none or a costly one: for the bytes that decide the
/// protocol, for request heads of HTTP/1, and for a client that sends requests and does not read the
/// responses.
///
/// The stream also closes in two steps (RFC 9112, section 9.6). If a socket is closed while bytes
/// of the client still arrive, the connection is reset, and the client loses the part of the
/// response that it has not read.
pub(super) struct TimeoutStream<S> {
    stream: S,
    /// The bytes that decided the protocol, until they are read again.
    first: FirstBytes,
    /// The time limit for request heads, if the protocol is HTTP/1.
    head_timeout: Option<HeadTimeout>,
    /// The pace at which the client must read.
    pace_limits: PaceLimits,
    /// The pace of a client that made a write wait, until it has caught up.
    pace: Option<Box<Pace>>,
    /// The state shared with the HTTP/2 streams above, and with the server.
    state: ConnectionState,
    /// The problems of requests that cannot be parsed.
    problems: Option<Arc<ProtocolProblems>>,
    /// The rest of a response that replaces one of hyper, and the size of hyper's response.
    replaced: Option<(Bytes, usize)>,
    /// Indicates whether the last write left bytes, with which the next one begins.
    has_rest: bool,
    /// The state of the second step of closing, once our side is closed.
    closing: Option<Box<LingeringClose>>,
}

/// The bounds on what a client may do until it closes its side.
struct LingeringClose {
    deadline: Pin<Box<Sleep>>,
    left_bytes: usize,
}

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// The first bytes of a connection.
#[derive(Default)]
struct FirstBytes {
    bytes: [u8; PREFACE.len()],
    count: usize,
}

/// The connection preface of HTTP/2 (RFC 9113, section 3.4). The first byte that differs means
/// HTTP/1.
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The time in which a client must close its side after the whole response was sent.
const LINGER: Duration = Duration::from_secs(2);

/// The maximum number of bytes that a client may still send: a refused body of ordinary size, but
/// not an endless one.
const LINGER_BYTES: usize = 16 << 20;

/// The number of reads that are discarded before other connections get their turn.
const DISCARDS_PER_POLL: usize = 16;

impl<S> TimeoutStream<S> {
    pub(super) fn new(stream: S, pace_limits: PaceLimits, state: ConnectionState) -> Self {
        TimeoutStream {
            stream,
            first: FirstBytes::default(),
            head_timeout: None,
            pace_limits,
            pace: None,
            state,
            problems: None,
            replaced: None,
            has_rest: false,
            closing: None,
        }
    }

    /// Sends these problems for requests that hyper cannot parse.
    pub(super) fn with_problems(self, problems: Arc<ProtocolProblems>) -> Self {
        TimeoutStream { problems: Some(problems), ..self }
    }

    /// Returns the result of a write, or an error if the client reads too slowly. `bytes` returns
    /// the number of bytes that a successful write has written.
    #[inline]
    fn check_progress<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(result) = &written {
            let bytes = result.as_ref().map_or(0, bytes);
            self.state.activity.add_bytes(bytes);
            if self.pace.is_some() {
                self.note_progress(bytes);
            }
            return written;
        }
        let too_slow = ready!(self.poll_stalled(context));
        tracing::debug!("the client reads the response too slowly: it {too_slow}");
        Poll::Ready(Err(timed_out("timed out because the client does not read the response")))
    }

    #[cold]
    fn note_progress(&mut self, bytes: usize) {
        let Some(pace) = &mut self.pace else { return };
        if pace.is_waiting() {
            self.state.socket.set_writable();
        }
        pace.add(bytes);
        if pace.is_full() {
            self.pace = None;
        }
    }

    #[cold]
    fn poll_stalled(&mut self, context: &mut Context<'_>) -> Poll<TooSlow> {
        let pace = self.pace.get_or_insert_with(|| Pace::new(self.pace_limits));
        if !pace.is_waiting() {
            self.state.socket.set_full();
        }
        pace.poll_too_slow(context)
    }
}

impl<S: AsyncRead + Unpin> TimeoutStream<S> {
    /// Reads until the first bytes decide the protocol. A connection that ends before that counts
    /// as HTTP/1. The timeout applies to these bytes, and to each head of HTTP/1 that follows.
    ///
    /// # Errors
    /// Fails if the stream fails, or if the bytes do not arrive within the timeout.
    pub(super) async fn protocol(&mut self, head_timeout: Duration) -> io::Result<Protocol> {
        let decided = timeout(head_timeout, poll_fn(|context| self.poll_protocol(context))).await;
        let protocol = decided.unwrap_or_else(|_| {
            Err(timed_out("timed out waiting for the first bytes of the client"))
        })?;
        if protocol == Protocol::Http1 {
            self.head_timeout = Some(HeadTimeout::new(head_timeout));
        }
        Ok(protocol)
    }

    fn poll_protocol(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Protocol>> {
        loop {
            let FirstBytes { bytes, count } = &mut self.first;
            let mut buffer = ReadBuf::new(&mut bytes[*count..]);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            let read_bytes = buffer.filled().len();
            self.state.activity.add_bytes(read_bytes);
            *count += read_bytes;
            if read_bytes == 0 || bytes[..*count] != PREFACE[..*count] {
                return Poll::Ready(Ok(Protocol::Http1));
            }
            if *count == PREFACE.len() {
                return Poll::Ready(Ok(Protocol::Http2));
            }
        }
    }

    /// Reads the first bytes again, and in the same read those that follow: hyper doubles its
    /// buffer for a head that arrives in two reads, and keeps the larger buffer until the
    /// connection ends.
    #[cold]
    fn poll_read_first(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let FirstBytes { bytes, count } = &mut self.first;
        let given = buffer.remaining().min(*count);
        buffer.put_slice(&bytes[..given]);
        bytes.copy_within(given..*count, 0);
        *count -= given;
        if buffer.remaining() > 0
            && let Poll::Ready(Err(error)) = self.poll_read_stream(context, buffer)
        {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(()))
    }

    #[inline]
    fn poll_read_stream(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let known = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.state.activity.add_bytes(buffer.filled().len() - known);
            return read;
        }
        let Some(head_timeout) = &mut self.head_timeout else { return Poll::Pending };
        ready!(head_timeout.poll_late(&self.state.activity, context));
        Poll::Ready(Err(timed_out("timed out waiting for the head of a request")))
    }

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

impl<S: AsyncWrite + Unpin> TimeoutStream<S> {
    /// Returns whether these bytes are replaced by a response with a problem. The rest of an earlier
    /// write is a part of another response.
    #[cold]
    fn replaces(&mut self, bytes: &[u8]) -> bool {
        let is_part = self.has_rest || self.state.activity.has_bare_errors();
        if self.replaced.is_none() && !is_part {
            let problems = self.problems.as_deref();
            let replaced = problems.and_then(|problems| with_problem(bytes, problems));
            self.replaced = replaced.map(|response| (response, bytes.len()));
        }
        self.replaced.is_some()
    }

    /// Writes the rest of the replacement, and then reports the size of the response that it
    /// replaces.
    #[cold]
    fn poll_write_replaced(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        while let Some((rest, size_bytes)) = &mut self.replaced {
            if rest.is_empty() {
                let size_bytes = *size_bytes;
                self.replaced = None;
                return Poll::Ready(Ok(size_bytes));
            }
            let written = Pin::new(&mut self.stream).poll_write(context, rest);
            if let Poll::Ready(Ok(bytes)) = &written {
                rest.advance(*bytes);
            }
            match ready!(self.check_progress(context, written, |bytes| *bytes))? {
                0 => return Poll::Ready(Ok(0)),
                _ => continue,
            }
        }
        Poll::Ready(Ok(0))
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
        match this.first.count {
            0 => this.poll_read_stream(context, buffer),
            _ => this.poll_read_first(context, buffer),
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
        if may_be_error(bytes) && this.replaces(bytes) {
            return this.poll_write_replaced(context);
        }
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(written_bytes)) = &written {
            this.has_rest = *written_bytes < bytes.len();
        }
        this.check_progress(context, written, |bytes| *bytes)
    }

    #[inline]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let [first, ..] = pieces
            && may_be_error(first)
            && this.replaces(first)
        {
            return this.poll_write_replaced(context);
        }
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        if let Poll::Ready(Ok(written_bytes)) = &written {
            this.has_rest = *written_bytes < pieces.iter().map(|piece| piece.len()).sum::<usize>();
        }
        this.check_progress(context, written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    #[inline]
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(context);
        this.check_progress(context, flushed, |()| 0)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // A client whose head is late waits for no response that it could lose, so the stream
        // closes at once.
        if this.head_timeout.as_ref().is_some_and(HeadTimeout::is_late) {
            return Pin::new(&mut this.stream).poll_shutdown(context);
        }
        if this.closing.is_none() {
            let shut = Pin::new(&mut this.stream).poll_shutdown(context);
            ready!(this.check_progress(context, shut, |()| 0))?;
        }
        this.poll_closed(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::Instant;

    use super::*;
    use crate::activity::Activity;
    use crate::limits::Limits;
    use crate::server::listen::tower::without_endpoints;

    const SECOND: Duration = Duration::from_secs(1);

    const LIMITS: PaceLimits =
        PaceLimits { pause: Duration::from_secs(15), bytes_per_second: 500, total: None };

    /// Writes a response whose client reads this many bytes each second, and returns the result and
    /// the time.
    async fn write_to_reader(bytes_per_second: usize) -> (io::Result<()>, Duration) {
        let (server, mut client) = duplex(64);
        let mut stream = TimeoutStream::new(server, LIMITS, ConnectionState::default());
        let reader = tokio::spawn(async move {
            let mut chunk = vec![0; bytes_per_second];
            while client.read_exact(&mut chunk).await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        });
        let began = Instant::now();
        let written = stream.write_all(&[0; 50_000]).await;
        let took = began.elapsed();
        reader.abort();
        (written, took)
    }

    #[tokio::test(start_paused = true)]
    async fn reads_the_first_bytes_again_with_those_that_follow() {
        let get: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        let cases: [(&[&[u8]], Protocol); 5] = [
            (&[get], Protocol::Http1),
            (&[b"PRI", b" /", b" HTTP/1.1\r\n\r\n"], Protocol::Http1),
            (&[b"PRI * HTTP/2.0\r\n", b"\r\nSM\r\n\r\nframes"], Protocol::Http2),
            (&[b"P"], Protocol::Http1),
            (&[], Protocol::Http1),
        ];
        for (pieces, expected) in cases {
            let (server, mut client) = duplex(64);
            let mut stream = TimeoutStream::new(server, LIMITS, ConnectionState::default());
            let pieces = pieces.to_vec();
            let sent = pieces.concat();
            let sender = tokio::spawn(async move {
                for piece in pieces {
                    client.write_all(piece).await.expect("sent");
                    sleep(Duration::from_millis(1)).await;
                }
            });
            let protocol = stream.protocol(Duration::from_secs(1)).await.expect("decided");
            assert_eq!(protocol, expected, "{sent:?}");
            sender.await.expect("sent");
            let mut received = vec![0; 64];
            let count = stream.read(&mut received).await.expect("read");
            // One read has all, although the protocol was decided by a part.
            assert_eq!(&received[..count], sent);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn gives_up_on_first_bytes_that_do_not_arrive() {
        let (server, mut client) = duplex(64);
        let mut stream = TimeoutStream::new(server, LIMITS, ConnectionState::default());
        client.write_all(&PREFACE[..3]).await.expect("sent");
        let protocol = stream.protocol(Duration::from_secs(1)).await;
        assert_eq!(protocol.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
    }

    /// Returns a connection of HTTP/1 whose heads must arrive within a second, after the first read,
    /// with its client and its activity.
    async fn http1_stream() -> (TimeoutStream<DuplexStream>, DuplexStream, Arc<Activity>) {
        let (server, mut client) = duplex(64);
        let state = ConnectionState::default();
        let activity = Arc::clone(&state.activity);
        let mut stream = TimeoutStream::new(server, LIMITS, state);
        client.write_all(b"G").await.expect("sent");
        let protocol = stream.protocol(SECOND).await.expect("decided");
        assert_eq!(protocol, Protocol::Http1);
        assert_eq!(stream.read_u8().await.expect("read"), b'G');
        (stream, client, activity)
    }

    /// Reads a byte, and returns the byte or the kind of the error, and the time.
    async fn read_byte(
        stream: &mut TimeoutStream<DuplexStream>,
    ) -> (Result<u8, io::ErrorKind>, Duration) {
        let began = Instant::now();
        (stream.read_u8().await.map_err(|error| error.kind()), began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn ends_a_connection_whose_head_is_late() {
        let (mut stream, mut client, _) = http1_stream().await;
        let began = Instant::now();
        let sender = tokio::spawn(async move {
            while client.write_all(b"E").await.is_ok() {
                sleep(SECOND * 3 / 10).await;
            }
        });
        // Bytes do not restart the time.
        let error = loop {
            if let (Err(error), _) = read_byte(&mut stream).await {
                break error;
            }
        };
        assert_eq!(error, io::ErrorKind::TimedOut);
        assert!(began.elapsed() < SECOND * 11 / 10, "{:?}", began.elapsed());
        // The client keeps its side open, and nobody waits for it.
        let closing = Instant::now();
        stream.shutdown().await.expect("closed");
        assert_eq!(closing.elapsed(), Duration::ZERO);
        sender.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn restarts_the_time_for_a_head_with_each_request() {
        let (mut stream, mut client, activity) = http1_stream().await;
        let sender = tokio::spawn(async move {
            for _ in 0..5 {
                sleep(SECOND * 9 / 10).await;
                client.write_all(b"G").await.expect("sent");
            }
            client
        });
        for _ in 0..5 {
            activity.add_request();
            assert_eq!(read_byte(&mut stream).await.0, Ok(b'G'));
        }
        activity.add_request();
        let (late, took) = read_byte(&mut stream).await;
        assert_eq!(late, Err(io::ErrorKind::TimedOut));
        assert!(took >= SECOND && took < SECOND * 11 / 10, "{took:?}");
        drop(sender.await);
    }

    #[tokio::test(start_paused = true)]
    async fn gives_a_body_more_time_than_a_head() {
        let (mut stream, _client, activity) = http1_stream().await;
        activity.add_request();
        let body = activity.open_body();
        let read = timeout(SECOND * 10, read_byte(&mut stream)).await;
        assert!(read.is_err(), "{read:?}");
        // A task that has kept the body drops it, which does not wake the connection.
        tokio::spawn(async move {
            sleep(SECOND / 2).await;
            drop(body);
        });
        let (late, took) = read_byte(&mut stream).await;
        assert_eq!(late, Err(io::ErrorKind::TimedOut));
        assert!(took > SECOND * 3 / 2 && took < SECOND * 3, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn ends_a_response_that_is_read_too_slowly() {
        // Each byte that is read restarts a timeout for pauses alone.
        for bytes_per_second in [1, 100] {
            let (written, took) = write_to_reader(bytes_per_second).await;
            let kind = written.map_err(|error| error.kind());
            assert_eq!(kind, Err(io::ErrorKind::TimedOut), "{bytes_per_second}");
            assert!(took < Duration::from_secs(30), "{bytes_per_second}: {took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn replaces_no_rest_of_a_write() {
        const ERROR: &[u8] =
            b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        // The first write of the second case takes the bytes before the error alone.
        for bytes_before in [0, 64] {
            let (server, mut client) = duplex(64);
            let stream = TimeoutStream::new(server, LIMITS, ConnectionState::default());
            let api = without_endpoints();
            let problems = ProtocolProblems { api, limits: Limits::DEFAULT };
            let mut stream = stream.with_problems(Arc::new(problems));
            let reader = tokio::spawn(async move {
                let mut received = Vec::new();
                client.read_to_end(&mut received).await.expect("read");
                received
            });
            let sent = [vec![b'x'; bytes_before].as_slice(), ERROR].concat();
            stream.write_all(&sent).await.expect("written");
            drop(stream);
            let received = reader.await.expect("no panic");
            assert_eq!(received != sent, bytes_before == 0, "{}", received.escape_ascii());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn writes_a_response_that_is_read_at_the_minimum_rate() {
        let (written, took) = write_to_reader(500).await;
        written.expect("written");
        assert!(took > Duration::from_secs(90), "{took:?}");
    }
}
