//! Resetting HTTP/2 streams that their client does not read.
//!
//! On HTTP/1, a client that stops reading fills the socket, and [`TimeoutStream`] ends the
//! connection. HTTP/2 has flow control for each stream (RFC 9113, section 5.2): a stream waits for
//! its client indefinitely, while the rest of the connection goes on. So each stream has its own
//! timeout, after which it is reset.
//!
//! [`TimeoutStream`]: super::timeouts::TimeoutStream

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::Executor;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::body::{BodyProgress, ProgressCell};

/// The state of the socket below the streams. While the socket is full, streams wait for it and not
/// for their windows, and the timeout of the socket applies instead.
#[derive(Debug, Default)]
pub(super) struct SocketState {
    is_full: AtomicBool,
    times_full: AtomicUsize,
}

impl SocketState {
    /// Notes that the socket accepts no more bytes.
    #[cold]
    pub(super) fn set_full(&self) {
        self.is_full.store(true, Ordering::Relaxed);
        self.times_full.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the socket accepts bytes again.
    #[cold]
    pub(super) fn set_writable(&self) {
        self.is_full.store(false, Ordering::Relaxed);
    }

    /// Returns whether the socket accepts no bytes now.
    pub(super) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Returns whether the socket was full at any time since the previous call, and updates `seen`.
    fn was_full_since(&self, seen: &mut usize) -> bool {
        let times = self.times_full.load(Ordering::Relaxed);
        let was = self.is_full() || times != *seen;
        *seen = times;
        was
    }
}

/// The progress cell of the stream that begins. hyper calls the service for a request and then hands
/// the stream of its response to the executor, before the next request. So the service leaves the
/// cell here, and the executor takes it.
#[derive(Clone, Debug, Default)]
pub(super) struct NextStream(Arc<Mutex<Option<Arc<ProgressCell>>>>);

impl NextStream {
    /// Creates the cell of a stream, and leaves it for the executor.
    pub(super) fn begin(&self) -> Arc<ProgressCell> {
        let progress = Arc::<ProgressCell>::default();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&progress));
        progress
    }

    fn take(&self) -> Option<Arc<ProgressCell>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The executor of one connection's streams. It resets streams that make no progress.
#[derive(Clone, Debug)]
pub(super) struct StreamExecutor {
    pub(super) socket_state: Arc<SocketState>,
    pub(super) next_stream: NextStream,
    /// The time for which a response may make no progress.
    pub(super) timeout: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let progress = self.next_stream.take();
        tokio::spawn(StreamTask { stream, progress, executor: self.clone(), stalled: None });
    }
}

pin_project! {
    /// A stream, which is dropped and so reset if its client does not read for too long.
    struct StreamTask<F> {
        #[pin]
        stream: F,
        progress: Option<Arc<ProgressCell>>,
        executor: StreamExecutor,
        stalled: Option<StallTimer>,
    }
}

/// The timer of a response that did not complete in its first poll.
struct StallTimer {
    timer: Pin<Box<Sleep>>,
    /// The time of the last chunk that was given to the protocol.
    since: Instant,
    /// Indicates whether the stream waits for its client, and not for the source of the response.
    is_client_stalled: bool,
    times_full: usize,
}

impl<F: Future<Output = ()>> Future for StreamTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        if this.stream.poll(context).is_ready() {
            return Poll::Ready(());
        }
        let Some(progress) = this.progress else { return Poll::Pending };
        let StreamExecutor { socket_state, timeout, .. } = this.executor;
        match (progress.take(), &mut *this.stalled) {
            (BodyProgress::NotPolled, _) | (BodyProgress::Pending, None) => {}
            (BodyProgress::Pending, Some(stalled)) => stalled.is_client_stalled = false,
            (BodyProgress::Produced, Some(stalled)) => {
                (stalled.since, stalled.is_client_stalled) = (Instant::now(), true);
            }
            (BodyProgress::Produced, stalled) => {
                let since = Instant::now();
                let timer = Box::pin(sleep_until(since + *timeout));
                let mut times_full = 0;
                socket_state.was_full_since(&mut times_full);
                *stalled = Some(StallTimer { timer, since, is_client_stalled: true, times_full });
            }
        }
        // The timer keeps running during progress, and is reset only when it fires, so that
        // progress costs nothing per chunk.
        while let Some(stalled) = this.stalled {
            ready!(stalled.timer.as_mut().poll(context));
            let now = Instant::now();
            if !stalled.is_client_stalled {
                *this.stalled = None;
            } else if stalled.since + *timeout > now {
                stalled.timer.as_mut().reset(stalled.since + *timeout);
            } else if socket_state.was_full_since(&mut stalled.times_full) {
                stalled.timer.as_mut().reset(now + *timeout);
            } else {
                tracing::debug!("reset an HTTP/2 stream whose client does not read the response");
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}
