//! Signals of the user and of the system that end a command.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use system::{Interrupt, Terminate, interrupt, terminate};

use crate::exit::Exit;
use crate::output_file;

/// True once the user has interrupted the command.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returns whether the user has interrupted the command.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The exit code of an interrupted command: 128 plus the number of the signal.
const INTERRUPTED_EXIT: i32 = 130;

/// Installs a handler that sets [`INTERRUPTED`]. Without the handler, an interrupt ends the command
/// at once.
pub(crate) fn catch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))
}

/// Makes an interrupt set [`INTERRUPTED`], so that a command can report the results so far. Prints
/// a warning if the handler cannot be installed.
pub(crate) fn catch_interrupts() {
    if let Err(error) = catch() {
        eprintln!("warning: an interrupt will lose the report: {error}");
    }
}

/// Makes an interrupt set [`INTERRUPTED`], and ends the command after `grace` if it is still
/// running, because it may be waiting for input that never comes.
pub(crate) fn catch_with_grace(grace: Duration) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        std::thread::sleep(grace);
        output_file::remove_unfinished();
        std::process::exit(INTERRUPTED_EXIT);
    })
}

/// The signals that stop `serve`. A signal without a handler ends the process by default.
pub(crate) struct Signals {
    interrupt: Option<Interrupt>,
    terminate: Option<Terminate>,
}

impl Signals {
    /// Installs the handlers. `serve` calls this before it prints its address, because a reader of
    /// the address may send a signal at once.
    pub(crate) fn listen() -> Self {
        Signals { interrupt: interrupt().ok(), terminate: terminate().ok() }
    }

    /// Waits for an interrupt of the user or a termination request of the system.
    pub(crate) async fn wait(mut self) -> Exit {
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
