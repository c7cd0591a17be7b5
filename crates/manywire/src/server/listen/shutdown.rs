//! Graceful shutdown: every connection is notified and finishes its requests, and the server learns
//! when the last one has ended.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::sync::watch;
use tokio::task::unconstrained;

/// The sender of the shutdown notification.
pub(super) struct Shutdown(watch::Sender<()>);

/// The receiver of one connection.
pub(super) struct ShutdownWatcher(watch::Receiver<()>);

impl Shutdown {
    pub(super) fn new() -> Self {
        Shutdown(watch::Sender::new(()))
    }

    /// Returns a receiver for a new connection. The shutdown waits for it from now on.
    pub(super) fn watcher(&self) -> ShutdownWatcher {
        ShutdownWatcher(self.0.subscribe())
    }

    /// Notifies every connection, and waits until all of them have ended.
    pub(super) async fn begin(self) {
        // Without receivers, there is no connection to wait for.
        let _ = self.0.send(());
        self.0.closed().await;
    }
}

impl ShutdownWatcher {
    /// Runs a connection, and shuts it down gracefully on notification.
    pub(super) fn run<C: GracefulConnection>(
        self,
        connection: C,
    ) -> impl Future<Output = C::Output> {
        let ShutdownWatcher(signal) = self;
        let mut waiting = signal.clone();
        // An error means that the server is gone, which is a shutdown as well. Tokio's cooperative
        // budget must not delay a future that is polled once.
        let notified = unconstrained(async move { drop(waiting.changed().await) });
        GracefulTask { connection, notified, signal, registered: None, is_shutting_down: false }
    }
}

pin_project! {
    /// A connection that receives the shutdown notification. It is polled with every request, but
    /// the notification comes once. So the receiver is polled only if another task must be woken or
    /// if the notification has come, and checking the latter costs one load.
    struct GracefulTask<C, T> {
        #[pin]
        connection: C,
        #[pin]
        notified: T,
        signal: watch::Receiver<()>,
        // The task that the notification wakes.
        registered: Option<Waker>,
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
            if !is_waiting || !matches!(this.signal.has_changed(), Ok(false)) {
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
