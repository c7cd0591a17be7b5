//! The timeout for request heads of HTTP/1, at little cost per request.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use tokio::task::unconstrained;
use tokio::time;

/// The timer of one HTTP/1 connection.
///
/// hyper creates a timer for each head and drops it when the head has arrived. Inserting a timer
/// into the runtime's list and removing it costs more than parsing a small head, and is wasted as
/// long as clients are on time. So this connection keeps its first timer in the list. Later waits
/// are only deadlines: if the timer fires before the deadline, it is reset to it.
#[derive(Debug, Default)]
pub(super) struct HeadTimer(Arc<Mutex<SharedTimer>>);

/// The timer that is registered with the runtime.
#[derive(Debug, Default)]
struct SharedTimer {
    sleep: Option<Pin<Box<time::Sleep>>>,
    /// The task that the timer wakes.
    registered: Option<Waker>,
}

/// One wait for a head.
struct HeadDeadline {
    deadline: time::Instant,
    timer: Arc<Mutex<SharedTimer>>,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HeadDeadline { deadline: deadline.into(), timer: Arc::clone(&self.0) })
    }

    fn now(&self) -> Instant {
        time::Instant::now().into_std()
    }
}

impl Sleep for HeadDeadline {}

impl Future for HeadDeadline {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // A panic inside leaves a timer that can be set again.
        let mut timer = self.timer.lock().unwrap_or_else(PoisonError::into_inner);
        match timer.will_wake_by(self.deadline, context.waker()) {
            true => Poll::Pending,
            false => timer.poll_until(self.deadline, context),
        }
    }
}

impl SharedTimer {
    /// Returns whether the timer wakes this task by the deadline.
    #[inline]
    fn will_wake_by(&self, deadline: time::Instant, waker: &Waker) -> bool {
        let is_early_enough =
            |sleep: &Pin<Box<time::Sleep>>| !sleep.is_elapsed() && sleep.deadline() <= deadline;
        self.registered.as_ref().is_some_and(|registered| registered.will_wake(waker))
            && self.sleep.as_ref().is_some_and(is_early_enough)
    }

    #[inline(never)]
    fn poll_until(&mut self, deadline: time::Instant, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(time::sleep_until(deadline)));
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        // Tokio's cooperative budget must not delay a timer that is polled once.
        while pin!(unconstrained(sleep.as_mut())).poll(context).is_ready() {
            if sleep.deadline() >= deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(deadline);
        }
        self.registered = Some(context.waker().clone());
        Poll::Pending
    }
}
