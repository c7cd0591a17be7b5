//! How a server ends: its connections learn of it and finish what they are at, and it learns when
//! the last of them has.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::sync::watch;
use tokio::task::unconstrained;

/// The end of a server, to be told once.
pub(super) struct Shutdown(watch::Sender<()>);

/// What one connection will hear of it.
pub(super) struct ShutdownWatcher(watch::Receiver<()>);

impl Shutdown {
    pub(super) fn new() -> Self {
        Shutdown(watch::Sender::new(()))
    }

    /// For a connection that begins. From here on it is waited for.
    pub(super) fn watcher(&self) -> ShutdownWatcher {
        ShutdownWatcher(self.0.subscribe())
    }

    /// Tells every connection, and waits until all of them have ended.
    pub(super) async fn begin(self) {
        // Where nobody hears it, there is no connection to wait for.
        let _ = self.0.send(());
        self.0.closed().await;
    }
}

impl ShutdownWatcher {
    /// Runs a connection, and has it finish once the server ends.
    pub(super) fn run<C: GracefulConnection>(
        self,
        connection: C,
    ) -> impl Future<Output = C::Output> {
        let ShutdownWatcher(signal) = self;
        let mut waiting = signal.clone();
        // An error is a server that is gone: that is its end, too. What is asked but once must not
        // be put off for having had its turn.
        let notified = unconstrained(async move { drop(waiting.changed().await) });
        GracefulTask { connection, notified, signal, registered: None, is_shutting_down: false }
    }
}

pin_project! {
    /// A connection that hears of the end. It is polled with every request and the end comes once,
    /// so what waits for it is asked again only where somebody else is to be woken, or where it has
    /// come, which costs no more to see than reading a number.
    struct GracefulTask<C, T> {
        #[pin]
        connection: C,
        #[pin]
        notified: T,
        signal: watch::Receiver<()>,
        // Who is woken by the end.
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
