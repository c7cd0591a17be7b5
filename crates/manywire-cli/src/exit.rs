use std::process::ExitCode;

/// Why a command does not begin, or ends early: how it ends, and what it says.
pub(crate) type Refusal = (Exit, String);

/// Arguments that make no sense.
pub(crate) fn usage(message: impl Into<String>) -> Refusal {
    (Exit::Usage, message.into())
}

/// An input that cannot be read, or not be used.
pub(crate) fn failed(message: impl Into<String>) -> Refusal {
    (Exit::Failed, message.into())
}

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and every gate passed.
    Done,
    /// A gate failed, or an input could not be read.
    Failed,
    /// The arguments make no sense.
    Usage,
    /// A gate could not be decided.
    Undecided,
    /// A subject failed its round trip, crashed, hung or printed garbage.
    Broken,
    /// A language that was asked for by name is missing, or could not be built.
    Missing,
    /// The user interrupted.
    Interrupted,
}

impl Exit {
    /// The end of a command; what it refused is said on standard error.
    pub(crate) fn of(ended: Result<Exit, Refusal>) -> Exit {
        ended.unwrap_or_else(|(exit, message)| {
            eprintln!("error: {message}");
            exit
        })
    }

    /// The graver of two ends: a missing language, then a broken subject, then a failure, then an undecided gate.
    pub(crate) fn and(self, other: Exit) -> Exit {
        if other.gravity() > self.gravity() { other } else { self }
    }

    fn gravity(self) -> u8 {
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
