//! The time limit for request heads of HTTP/1, at little cost per request.
//!
//! hyper has such a limit, too, but creates a timer for each head, and polls the connection a
//! second time after each response to start that timer, which costs 6 % of a small request. So this
//! limit is checked where the bytes arrive. With `half_close`, hyper reads only for a head or for a
//! body that is being read, so a read that waits while no body is open waits for a head.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::activity::{Activity, OpenBody};

/// The time limit for the heads of one connection, including the time in which it is idle.
///
/// Inserting a timer into the runtime's list and removing it costs more than parsing a small head,
/// and is wasted as long as clients are on time. So this connection keeps one timer in the list. If
/// the timer fires before the deadline, it is reset to the deadline.
#[derive(Debug)]
pub(super) struct HeadTimeout {
    limit: Duration,
    /// The time by which the head that the connection waits for must have arrived.
    deadline: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    /// The task that the timer wakes.
    registered: Option<Waker>,
    is_late: bool,
}

impl HeadTimeout {
    /// Returns the time limit of a connection that waits for its first head from now on.
    pub(super) fn new(limit: Duration) -> Self {
        let deadline = Instant::now() + limit;
        HeadTimeout { limit, deadline, timer: None, registered: None, is_late: false }
    }

    /// Returns whether a head was late, so that nothing more is read from this connection.
    pub(super) fn is_late(&self) -> bool {
        self.is_late
    }

    /// Notes that a read waits for bytes. Completes if the read waits for a head and the head is
    /// late.
    #[inline]
    pub(super) fn poll_late(&mut self, activity: &Activity, context: &mut Context<'_>) -> Poll<()> {
        if activity.begins_to_wait_for_head() {
            self.deadline = Instant::now() + self.limit;
        }
        match self.will_wake_by_deadline(context.waker()) {
            true => Poll::Pending,
            false => self.poll_timer(activity, context),
        }
    }

    /// Returns whether the timer wakes this task by the deadline.
    #[inline]
    fn will_wake_by_deadline(&self, waker: &Waker) -> bool {
        self.registered.as_ref().is_some_and(|registered| registered.will_wake(waker))
            && self
                .timer
                .as_ref()
                .is_some_and(|timer| !timer.is_elapsed() && timer.deadline() <= self.deadline)
    }

    #[inline(never)]
    fn poll_timer(&mut self, activity: &Activity, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(self.deadline)));
        // Tokio's cooperative budget must not delay a timer that is polled once.
        while pin!(unconstrained(timer.as_mut())).poll(context).is_ready() {
            // A task may keep a body beyond the response, and nobody polls the connection when that
            // body ends. So while a body is open, the timer stays in the list and checks again
            // later.
            if activity.has_open_body() {
                self.deadline = Instant::now() + self.limit;
            }
            if timer.deadline() >= self.deadline {
                self.is_late = true;
                return Poll::Ready(());
            }
            timer.as_mut().reset(self.deadline);
        }
        self.registered = Some(context.waker().clone());
        Poll::Pending
    }
}

/// The body of a request. On HTTP/1, its connection does not wait for a head until the body was read
/// to its end or is dropped.
#[derive(Debug)]
pub struct ConnectionBody {
    incoming: Incoming,
    open: Option<OpenBody>,
}

impl ConnectionBody {
    /// Returns the body of a request of HTTP/1, whose connection has this activity.
    #[inline]
    pub(super) fn http1(incoming: Incoming, activity: &Arc<Activity>) -> Self {
        let open = (!http_body::Body::is_end_stream(&incoming)).then(|| activity.open_body());
        ConnectionBody { incoming, open }
    }

    /// Returns the body of a request of HTTP/2.
    pub(super) fn http2(incoming: Incoming) -> Self {
        ConnectionBody { incoming, open: None }
    }
}

impl http_body::Body for ConnectionBody {
    type Data = Bytes;
    type Error = hyper::Error;

    #[inline]
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) || self.incoming.is_end_stream() {
            self.open = None;
        }
        Poll::Ready(frame)
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
