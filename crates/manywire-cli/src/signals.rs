//! Signals of the user and of the system that end a command.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use system::{Interrupt, Terminate, interrupt, terminate};

use crate::exit::Exit;

/// Whether the user has interrupted.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How the command ends when it is interrupted: 128 and the number of the signal.
const INTERRUPTED_EXIT: i32 = 130;

/// Makes an interrupt the flag. Without it an interrupt ends the command at once.
pub(crate) fn catch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))
}

/// Makes an interrupt a flag. Without it an interrupt ends the command at once, and nothing is
/// reported.
pub(crate) fn catch_interrupts() {
    if let Err(error) = catch() {
        eprintln!("warning: an interrupt will lose the report: {error}");
    }
}

/// The same, and ends the command if it does not end by itself: it may be waiting for input that
/// never comes.
pub(crate) fn catch_within(patience: Duration) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        std::thread::sleep(patience);
        std::process::exit(INTERRUPTED_EXIT);
    })
}

/// What tells the command to end. One that cannot be heard ends it by itself.
pub(crate) struct Signals {
    interrupt: Option<Interrupt>,
    terminate: Option<Terminate>,
}

impl Signals {
    /// Hears them from here on, whenever they are waited for: whoever reads where the command
    /// listens may end it at once.
    pub(crate) fn heard() -> Self {
        Signals { interrupt: interrupt().ok(), terminate: terminate().ok() }
    }

    /// Waits for an interrupt, or for the system to ask for an end.
    pub(crate) async fn told(mut self) -> Exit {
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
