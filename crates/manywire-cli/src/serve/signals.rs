//! Being told to end, by the user or by the system.

#[cfg(unix)]
use tokio::signal::unix::{Signal as Terminate, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC as Interrupt, CtrlShutdown as Terminate};

#[cfg(unix)]
use Terminate as Interrupt;

use crate::exit::Exit;

/// What tells the command to end. One that cannot be heard ends it by itself.
pub(super) struct Signals {
    interrupt: Option<Interrupt>,
    terminate: Option<Terminate>,
}

impl Signals {
    /// Hears them from here on, whenever they are waited for: whoever reads where the command
    /// listens may end it at once.
    #[cfg(unix)]
    pub(super) fn heard() -> Self {
        Signals {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
        }
    }

    /// Hears them from here on, whenever they are waited for: whoever reads where the command
    /// listens may end it at once.
    #[cfg(windows)]
    pub(super) fn heard() -> Self {
        use tokio::signal::windows::{ctrl_c, ctrl_shutdown};
        Signals { interrupt: ctrl_c().ok(), terminate: ctrl_shutdown().ok() }
    }

    /// Waits for an interrupt, or for the system to ask for an end.
    pub(super) async fn told(self) -> Exit {
        let interrupted = async {
            match self.interrupt {
                Some(mut interrupt) => drop(interrupt.recv().await),
                None => std::future::pending().await,
            }
        };
        let terminated = async {
            match self.terminate {
                Some(mut terminate) => drop(terminate.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = interrupted => Exit::Interrupted,
            () = terminated => Exit::Done,
        }
    }
}
