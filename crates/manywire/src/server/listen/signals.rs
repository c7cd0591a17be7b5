//! The signals that end a server: SIGTERM and Ctrl-C.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal as Terminate, Signal as Interrupt, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{
    CtrlC as Interrupt, CtrlShutdown as Terminate, ctrl_c, ctrl_shutdown,
};

/// The receivers of the signals.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(any(unix, windows))]
    interrupt: Interrupt,
    #[cfg(any(unix, windows))]
    terminate: Terminate,
}

impl Signals {
    /// Receives the signals from now on.
    ///
    /// # Errors
    /// Returns the errors of the system.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Signals {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
            #[cfg(windows)]
            interrupt: ctrl_c()?,
            #[cfg(windows)]
            terminate: ctrl_shutdown()?,
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) {
        #[cfg(any(unix, windows))]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(any(unix, windows)))]
        std::future::pending().await
    }
}
