//! [`Pace`]: a limit on the time that the other end of a connection may keep us waiting for its
//! bytes, or for reading ours.
//!
//! A timeout that restarts with every byte does not bound a client that sends one byte at a time.
//! So a wait is paid from a credit of time: bytes earn credit by the minimum rate, up to the
//! longest pause. A client at the minimum rate may pause for that long once in a while; a client
//! below the minimum rate runs out of credit. Only time spent waiting counts, not the time in which
//! nobody asks for bytes.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::limits::Limits;

/// The limits on the pace of the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaceLimits {
    /// The longest pause.
    pub(crate) pause: Duration,
    /// The minimum rate, in bytes per second. With 0, every rate is permitted.
    pub(crate) bytes_per_second: u32,
    /// The longest total time of all waits, if it is limited.
    pub(crate) total: Option<Duration>,
}

/// The reason for which a wait ended without bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooSlow {
    /// A pause was too long.
    Paused(Duration),
    /// The rate was below this number of bytes per second.
    Rate(u32),
    /// All waits together were too long.
    Total(Duration),
}

/// The pace of the other end during one message. A pace is created at the first wait for bytes, so
/// a message that is available at once costs nothing.
#[derive(Debug)]
pub(crate) struct Pace {
    limits: PaceLimits,
    /// The time for which the next wait may last.
    credit: Duration,
    waited: Duration,
    wait: Option<Wait>,
    timer: Pin<Box<Sleep>>,
}

/// The current wait.
#[derive(Clone, Copy, Debug)]
struct Wait {
    since: Instant,
    deadline: Instant,
}

impl PaceLimits {
    /// Returns the limits on a request body as a whole. A body that is slow by design has only the
    /// limit on pauses.
    pub(crate) fn of_body(limits: &Limits, is_slow_by_design: bool) -> Self {
        let paced = PaceLimits { total: Some(limits.body_timeout), ..PaceLimits::of(limits) };
        let pause = limits.body_idle_timeout;
        let slow = PaceLimits { pause, bytes_per_second: 0, total: None };
        if is_slow_by_design { slow } else { paced }
    }

    /// Returns the limits on a stream, which may be endless.
    pub(crate) fn of(limits: &Limits) -> Self {
        let (pause, bytes_per_second) = (limits.body_idle_timeout, limits.bytes_per_second_min);
        PaceLimits { pause, bytes_per_second, total: None }
    }
}

impl Pace {
    #[cold]
    pub(crate) fn new(limits: PaceLimits) -> Box<Self> {
        let timer = Box::pin(sleep_until(Instant::now() + limits.pause));
        Box::new(Pace { limits, credit: limits.pause, waited: Duration::ZERO, wait: None, timer })
    }

    /// Returns whether a wait is going on.
    #[cfg(feature = "server")]
    pub(crate) fn is_waiting(&self) -> bool {
        self.wait.is_some()
    }

    /// Returns whether this pace equals a new one: nobody waits, the credit is full, and the total
    /// time is not limited.
    #[cfg(feature = "server")]
    pub(crate) fn is_full(&self) -> bool {
        self.wait.is_none() && self.credit == self.limits.pause && self.limits.total.is_none()
    }

    /// Ends the current wait, if there is one, and adds the credit that `bytes` bytes earn.
    pub(crate) fn add(&mut self, bytes: usize) {
        if let Some(Wait { since, .. }) = self.wait.take() {
            let waited = Instant::now().saturating_duration_since(since);
            self.waited = self.waited.saturating_add(waited);
            self.credit = self.credit.saturating_sub(waited);
        }
        let rate = u64::from(self.limits.bytes_per_second);
        let earned = match rate {
            0 => self.limits.pause,
            rate => {
                let bytes = bytes as u64;
                let nanos = bytes % rate * 1_000_000_000 / rate;
                Duration::from_secs(bytes / rate) + Duration::from_nanos(nanos)
            }
        };
        self.credit = self.credit.saturating_add(earned).min(self.limits.pause);
    }

    /// Completes when the current wait for bytes lasts too long. A wait begins with the first call
    /// after [`Pace::add`].
    pub(crate) fn poll_too_slow(&mut self, context: &mut Context<'_>) -> Poll<TooSlow> {
        let wait = match self.wait {
            Some(wait) => wait,
            None => {
                let since = Instant::now();
                let left = self.limits.total.map(|total| total.saturating_sub(self.waited));
                let deadline = since + left.map_or(self.credit, |left| left.min(self.credit));
                self.timer.as_mut().reset(deadline);
                *self.wait.insert(Wait { since, deadline })
            }
        };
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(self.reason(wait))
    }

    #[cold]
    fn reason(&self, wait: Wait) -> TooSlow {
        let lasted = wait.deadline.saturating_duration_since(wait.since);
        match self.limits.total {
            Some(total) if self.waited.saturating_add(lasted) >= total => TooSlow::Total(total),
            _ if lasted < self.limits.pause => TooSlow::Rate(self.limits.bytes_per_second),
            _ => TooSlow::Paused(self.limits.pause),
        }
    }
}

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooSlow::Paused(pause) => write!(f, "paused for more than {pause:?}"),
            TooSlow::Rate(rate) => write!(f, "arrived at less than {rate} bytes per second"),
            TooSlow::Total(total) => write!(f, "took more than {total:?}"),
        }
    }
}
