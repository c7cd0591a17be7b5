//! Graceful shutdown: every connection is notified and finishes its requests, and the server learns
//! when the last one has ended.
//!
//! At a shutdown, hyper closes an idle connection at once, even if the socket has a request that
//! hyper has not read yet. So a connection that is notified goes on for the grace period, reads
//! what its client sent, and announces its end only in its responses.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::sync::watch;
use tokio::task::unconstrained;
use tokio::time::sleep;

use crate::activity::Activity;

/// The sender of the shutdown notification, which is `true` once the shutdown has begun.
pub(super) struct Shutdown {
    begun: watch::Sender<bool>,
    grace: Duration,
}

/// The receiver of the shutdown notification for one connection.
pub(super) struct ShutdownWatcher {
    begun: watch::Receiver<bool>,
    grace: Duration,
    activity: Arc<Activity>,
}

impl Shutdown {
    /// Creates a shutdown that closes connections after a grace period.
    pub(super) fn new(grace: Duration) -> Self {
        Shutdown { begun: watch::Sender::new(false), grace }
    }

    /// Returns a receiver for a new connection. From now on, the shutdown waits until this receiver
    /// is dropped.
    pub(super) fn watcher(&self, activity: Arc<Activity>) -> ShutdownWatcher {
        ShutdownWatcher { begun: self.begun.subscribe(), grace: self.grace, activity }
    }

    /// Notifies every connection.
    pub(super) fn begin(&self) {
        self.begun.send_replace(true);
    }

    /// Waits until all connections have ended.
    pub(super) async fn ended(&self) {
        self.begun.closed().await;
    }
}

impl ShutdownWatcher {
    /// Waits for `sent`, the first bytes of a client. Returns `None` if the grace period after the
    /// notification, or after the start of a connection that began later, ends first.
    pub(super) async fn until_shutdown<T>(&self, sent: impl Future<Output = T>) -> Option<T> {
        let mut begun = self.begun.clone();
        let over = async {
            // An error means that the server is gone, which is a shutdown as well.
            drop(begun.wait_for(|begun| *begun).await);
            sleep(self.grace).await;
        };
        tokio::select! {
            biased;
            sent = sent => Some(sent),
            () = over => None,
        }
    }

    /// Runs a connection, and shuts it down gracefully a grace period after the notification, or
    /// after the start of a connection that began later.
    pub(super) fn run<C: GracefulConnection>(
        self,
        connection: C,
    ) -> impl Future<Output = C::Output> {
        let ShutdownWatcher { begun: signal, grace, activity } = self;
        let mut waiting = signal.clone();
        let is_late = *signal.borrow();
        // Tokio's cooperative budget must not delay a future that is polled once.
        let notified = unconstrained(async move {
            // An error means that the server is gone, which is a shutdown as well.
            drop(waiting.wait_for(|begun| *begun).await);
            activity.set_closing();
            sleep(grace).await;
        });
        let registered = None;
        let is_shutting_down = false;
        GracefulTask { connection, notified, signal, registered, is_late, is_shutting_down }
    }
}

pin_project! {
    /// A connection that receives the shutdown notification. The connection is polled with every
    /// request, but the notification comes once. So the receiver is polled only if another task
    /// must be woken or if the notification has come, and checking the latter costs one load.
    struct GracefulTask<C, T> {
        #[pin]
        connection: C,
        #[pin]
        notified: T,
        signal: watch::Receiver<bool>,
        // The task that the notification wakes.
        registered: Option<Waker>,
        // Indicates whether the shutdown had begun before the connection.
        is_late: bool,
        is_shutting_down: bool,
    }
}

impl<C: GracefulConnection, T: Future> Future for GracefulTask<C, T> {
    type Output = C::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<C::Output> {
        let mut this = self.project();
        if !*this.is_shutting_down {
            let registered = this.registered.as_ref();
            let is_waiting =
                registered.is_some_and(|registered| registered.will_wake(context.waker()));
            let is_quiet = !*this.is_late && matches!(this.signal.has_changed(), Ok(false));
            if !is_waiting || !is_quiet {
                if this.notified.poll(context).is_ready() {
                    *this.is_shutting_down = true;
                    this.connection.as_mut().graceful_shutdown();
                } else {
                    *this.registered = Some(context.waker().clone());
                }
            }
        }
        this.connection.poll(context)
    }
}
