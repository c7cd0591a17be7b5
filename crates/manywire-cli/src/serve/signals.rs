//! Being told to end, by the user or by the system.

use std::future::pending;

use crate::exit::Exit;

use system::{Interrupt, Terminate, interrupt, terminate};

/// What tells the command to end. One that cannot be heard ends it by itself.
pub(super) struct Signals {
    interrupt: Option<Interrupt>,
    terminate: Option<Terminate>,
}

impl Signals {
    /// Hears them from here on, whenever they are waited for: whoever reads where the command
    /// listens may end it at once.
    pub(super) fn heard() -> Self {
        Signals { interrupt: interrupt().ok(), terminate: terminate().ok() }
    }

    /// Waits for an interrupt, or for the system to ask for an end.
    pub(super) async fn told(mut self) -> Exit {
        tokio::select! {
            Some(()) = async { self.interrupt.as_mut()?.recv().await } => Exit::Interrupted,
            Some(()) = async { self.terminate.as_mut()?.recv().await } => Exit::Done,
            else => pending().await,
        }
    }
}

#[cfg(unix)]
mod system {
    use std::io::Result;

    use tokio::signal::unix::{SignalKind, signal};

    pub(super) use tokio::signal::unix::{Signal as Interrupt, Signal as Terminate};

    pub(super) fn interrupt() -> Result<Interrupt> {
        signal(SignalKind::interrupt())
    }

    pub(super) fn terminate() -> Result<Terminate> {
        signal(SignalKind::terminate())
    }
}

#[cfg(windows)]
mod system {
    pub(super) use tokio::signal::windows::{
        CtrlC as Interrupt, CtrlShutdown as Terminate, ctrl_c as interrupt,
        ctrl_shutdown as terminate,
    };
}
