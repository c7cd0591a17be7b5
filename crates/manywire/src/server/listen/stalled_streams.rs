//! Answers over HTTP/2 whose clients do not let them come.
//!
//! HTTP/1 stops when its client stops reading: then the socket is full, and [`TimeoutStream`] gives up on
//! it. HTTP/2 stops each stream for itself (RFC 9113, section 5.2): it waits until the client lets
//! it go on, for ever, while everything else on the connection goes its way. So each stream is
//! given up on by itself, and reset.
//!
//! [`TimeoutStream`]: super::timeouts::TimeoutStream

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::Executor;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::server::body::{BodyProgress, observe};

/// Whether the socket below takes bytes. While it does not, streams wait for it and for no window
/// of theirs: how long that may last is for the socket to say.
#[derive(Debug, Default)]
pub(super) struct SocketState {
    is_full: AtomicBool,
    times_full: AtomicUsize,
}

impl SocketState {
    /// The socket takes no more.
    #[cold]
    pub(super) fn set_full(&self) {
        self.is_full.store(true, Ordering::Relaxed);
        self.times_full.fetch_add(1, Ordering::Relaxed);
    }

    /// It takes some again.
    #[cold]
    pub(super) fn set_writable(&self) {
        self.is_full.store(false, Ordering::Relaxed);
    }

    /// Whether it was full at any time since this was last asked, and what was seen then.
    fn was_full_since(&self, seen: &mut usize) -> bool {
        let times = self.times_full.load(Ordering::Relaxed);
        let was = self.is_full.load(Ordering::Relaxed) || times != *seen;
        *seen = times;
        was
    }
}

/// Runs the streams of one connection, each as long as its client lets its answer come.
#[derive(Clone, Debug)]
pub(super) struct StreamExecutor {
    pub(super) socket_state: Arc<SocketState>,
    /// How long an answer may make no progress.
    pub(super) timeout: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        tokio::spawn(StreamTask { stream, executor: self.clone(), stalled: None });
    }
}

pin_project! {
    /// A stream that is let go of, and so reset, once its client has not let it go on for too long.
    struct StreamTask<F> {
        #[pin]
        stream: F,
        executor: StreamExecutor,
        stalled: Option<StallTimer>,
    }
}

/// What is known of an answer that did not come to its end at once.
struct StallTimer {
    timer: Pin<Box<Sleep>>,
    /// When it was last given something to send.
    since: Instant,
    /// Whether it is the client that is waited for, and not whoever makes the answer.
    is_client_stalled: bool,
    times_full: usize,
}

impl<F: Future<Output = ()>> Future for StreamTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let stream = this.stream;
        let (polled, progress) = observe(|| stream.poll(context));
        if polled.is_ready() {
            return Poll::Ready(());
        }
        let StreamExecutor { socket_state, timeout } = this.executor;
        match (progress, &mut *this.stalled) {
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
        // The timer runs on while there is progress, and is set anew when it is over: that costs
        // nothing for each piece.
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
                tracing::debug!("a stream is reset whose client does not let its answer come");
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}
