//! The end of a process that measures, and the reasons that it did not answer.
//!
//! A process that crashes, hangs or gives an invalid answer becomes a [`LaunchError`]; no process
//! is left behind.

use std::fmt;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// The error for a launch without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The process could not be started.
    Start(String),
    /// The process ended by a signal or with a failure.
    Crashed(String),
    /// The process exceeded its time limit.
    Hung(Duration),
    /// The process answered, then did not exit for this long.
    Lingered(Duration),
    /// The process sent an invalid answer.
    InvalidAnswer(String),
    /// The process says that the code it generated for the payloads does not compile. The text has
    /// one line for people, and the words of the compiler.
    Uncompiled(String),
    /// The user interrupted; the process was stopped and is not to blame.
    Interrupted,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Start(reason) => write!(f, "the process could not be started: {reason}"),
            LaunchError::Crashed(how) => write!(f, "crashed: {how}"),
            LaunchError::Hung(limit) => write!(f, "hung: no answer within {limit:?}"),
            LaunchError::Lingered(limit) => {
                write!(f, "hung: the process answered, but did not exit within {limit:?}")
            }
            LaunchError::InvalidAnswer(reason) => write!(f, "invalid answer: {reason}"),
            LaunchError::Uncompiled(reason) => f.write_str(reason),
            LaunchError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for LaunchError {}

/// The message with which a process refuses a request. The process is ready for the next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Keeps the terminal's interrupt from a measuring process. Only the orchestrator decides whether a
/// measurement is discarded.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Keeps the console's interrupt from a measuring process.
#[cfg(windows)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn detach(_: &mut Command) {}

/// Kills a process with its child processes and reaps it, so that no zombie is left.
pub(crate) fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // An error means that the process is already gone.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    drop(child.kill());
    drop(child.wait());
}

#[cfg(unix)]
pub(crate) fn exit_text(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
pub(crate) fn exit_text(status: ExitStatus) -> String {
    status.to_string()
}
