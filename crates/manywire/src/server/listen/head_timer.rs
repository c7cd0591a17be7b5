//! How long a client may take for the head of a request, at little cost a request.

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
/// hyper waits for each head by a timer of its own, which it drops when the head is there. To enter
/// a timer into the runtime's list and take it out again costs more than parsing a small head, and
/// is for nothing as long as clients are not late. So the first one stays in the list; what is
/// waited for later is only a time, and where the timer goes off before it, it is set anew.
#[derive(Debug, Default)]
pub(super) struct HeadTimer(Arc<Mutex<Alarm>>);

/// What the runtime knows of.
#[derive(Debug, Default)]
struct Alarm {
    set: Option<Pin<Box<time::Sleep>>>,
    /// Who is woken by it.
    woken: Option<Waker>,
}

/// One wait.
struct Wait {
    deadline: time::Instant,
    alarm: Arc<Mutex<Alarm>>,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Wait { deadline: deadline.into(), alarm: Arc::clone(&self.0) })
    }

    fn now(&self) -> Instant {
        time::Instant::now().into_std()
    }
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // A panic within leaves an alarm that can be set again.
        let mut alarm = self.alarm.lock().unwrap_or_else(PoisonError::into_inner);
        match alarm.is_waited_for(self.deadline, context.waker()) {
            true => Poll::Pending,
            false => alarm.poll_until(self.deadline, context),
        }
    }
}

impl Alarm {
    /// Whether the one to be woken will be, by this time at the latest.
    #[inline]
    fn is_waited_for(&self, deadline: time::Instant, waker: &Waker) -> bool {
        let is_set = |set: &Pin<Box<time::Sleep>>| !set.is_elapsed() && set.deadline() <= deadline;
        self.woken.as_ref().is_some_and(|woken| woken.will_wake(waker))
            && self.set.as_ref().is_some_and(is_set)
    }

    #[inline(never)]
    fn poll_until(&mut self, deadline: time::Instant, context: &mut Context<'_>) -> Poll<()> {
        let set = self.set.get_or_insert_with(|| Box::pin(time::sleep_until(deadline)));
        if set.deadline() > deadline {
            set.as_mut().reset(deadline);
        }
        // What is asked but once must not be put off for having had its turn.
        while pin!(unconstrained(set.as_mut())).poll(context).is_ready() {
            if set.deadline() >= deadline {
                return Poll::Ready(());
            }
            set.as_mut().reset(deadline);
        }
        self.woken = Some(context.waker().clone());
        Poll::Pending
    }
}
