//! Exit codes, and the errors that lead to them.

use std::fmt;
use std::process::ExitCode;

/// The error of a command: its exit code and its message.
pub(crate) type CommandError = (Exit, String);

/// Returns the error for invalid arguments.
pub(crate) fn usage(error: impl fmt::Display) -> CommandError {
    (Exit::Usage, error.to_string())
}

/// Returns the error for an input that cannot be read or used.
pub(crate) fn failed(error: impl fmt::Display) -> CommandError {
    (Exit::Failed, error.to_string())
}

/// The way a command ends. Each variant has its own exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded, and every gate passed.
    Done,
    /// A gate failed, or an input could not be read.
    Failed,
    /// The arguments are invalid.
    Usage,
    /// A gate is undecided: its interval contains the limit.
    Undecided,
    /// A measured library failed its round trip, crashed, hung or sent invalid output.
    Broken,
    /// A lane that was requested by name is missing or could not be built.
    Missing,
    /// The user interrupted the command.
    Interrupted,
}

impl Exit {
    /// Returns the exit of a command, and prints its error to standard error.
    pub(crate) fn of(ended: Result<Exit, CommandError>) -> Exit {
        ended.unwrap_or_else(|(exit, message)| {
            eprintln!("error: {message}");
            exit
        })
    }

    /// Returns the more severe of two exits. The order is interrupted, usage, missing, broken, failed,
    /// undecided, done.
    pub(crate) fn and(self, other: Exit) -> Exit {
        if other.severity() > self.severity() { other } else { self }
    }

    /// Returns this exit if the condition holds, and [`Exit::Done`] otherwise.
    pub(crate) fn when(self, condition: bool) -> Exit {
        if condition { self } else { Exit::Done }
    }

    fn severity(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Undecided => 1,
            Exit::Failed => 2,
            Exit::Broken => 3,
            Exit::Missing => 4,
            Exit::Usage => 5,
            Exit::Interrupted => 6,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Undecided => 3,
            Exit::Broken => 4,
            Exit::Missing => 5,
            Exit::Interrupted => 130,
        })
    }
}
