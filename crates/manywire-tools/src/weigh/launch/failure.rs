use std::fmt;
use std::time::Duration;

/// Why a launch gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The worker could not be started.
    Start(String),
    /// The worker ended by a signal or with a failure.
    Crashed(String),
    /// The worker took longer than it was given.
    Hung(Duration),
    /// The worker answered, then did not exit for this long.
    Lingered(Duration),
    /// The worker answered with something else.
    Garbage(String),
    /// The user interrupted; the worker was stopped and is not to blame.
    Interrupted,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Start(reason) => write!(f, "the worker could not be started: {reason}"),
            LaunchError::Crashed(how) => write!(f, "crashed: {how}"),
            LaunchError::Hung(limit) => write!(f, "hung: no answer within {limit:?}"),
            LaunchError::Lingered(limit) => {
                write!(f, "hung: it answered, but did not exit within {limit:?}")
            }
            LaunchError::Garbage(reason) => write!(f, "answered with garbage: {reason}"),
            LaunchError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for LaunchError {}
