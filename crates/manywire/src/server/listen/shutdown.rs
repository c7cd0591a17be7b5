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
pub(super) struct Ending(watch::Sender<()>);

/// What one connection will hear of it.
pub(super) struct Watcher(watch::Receiver<()>);

impl Ending {
    pub(super) fn new() -> Self {
        Ending(watch::Sender::new(()))
    }

    /// For a connection that begins. From here on it is waited for.
    pub(super) fn watcher(&self) -> Watcher {
        Watcher(self.0.subscribe())
    }

    /// Tells every connection, and waits until all of them have ended.
    pub(super) async fn begin(self) {
        // Where nobody hears it, there is no connection to wait for.
        let _ = self.0.send(());
        self.0.closed().await;
    }
}

impl Watcher {
    /// Runs a connection, and has it finish once the server ends.
    pub(super) fn run<C: GracefulConnection>(
        self,
        connection: C,
    ) -> impl Future<Output = C::Output> {
        let Watcher(heard) = self;
        let mut waiting = heard.clone();
        // An error is a server that is gone: that is its end, too. What is asked but once must not
        // be put off for having had its turn.
        let told = unconstrained(async move { drop(waiting.changed().await) });
        Watched { connection, told, heard, woken: None, is_ending: false }
    }
}

pin_project! {
    /// A connection that hears of the end. It is polled with every request and the end comes once,
    /// so what waits for it is asked again only where somebody else is to be woken, or where it has
    /// come, which costs no more to see than reading a number.
    struct Watched<C, T> {
        #[pin]
        connection: C,
        #[pin]
        told: T,
        heard: watch::Receiver<()>,
        // Who is woken by the end.
        woken: Option<Waker>,
        is_ending: bool,
    }
}

impl<C: GracefulConnection, T: Future> Future for Watched<C, T> {
    type Output = C::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<C::Output> {
        let mut this = self.project();
        if !*this.is_ending {
            let woken = this.woken.as_ref();
            let is_waiting = woken.is_some_and(|woken| woken.will_wake(context.waker()));
            if !is_waiting || !matches!(this.heard.has_changed(), Ok(false)) {
                if this.told.poll(context).is_ready() {
                    *this.is_ending = true;
                    this.connection.as_mut().graceful_shutdown();
                } else {
                    *this.woken = Some(context.waker().clone());
                }
            }
        }
        this.connection.poll(context)
    }
}
