//! The errors of a trial: of the whole, of a running service, of a process, and of a single cell.

use std::fmt;

use manywire_format::{CodingLevel, Format};

use crate::trial::link::InvalidLink;
use crate::weigh::lanes::Transport;
use crate::weigh::launch::LaunchError;

/// The error for a trial that measured nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialError {
    /// No lane can be measured: the name of each lane, and the reason.
    NoLane(Vec<(String, String)>),
    /// The link of the costs is invalid.
    Link(InvalidLink),
}

impl fmt::Display for TrialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrialError::NoLane(lanes) => {
                let lanes: Vec<String> =
                    lanes.iter().map(|(lane, reason)| format!("{lane} {reason}")).collect();
                write!(f, "no lane can be measured: {}", lanes.join("; "))
            }
            TrialError::Link(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TrialError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TrialError::NoLane(_) => None,
            TrialError::Link(error) => Some(error),
        }
    }
}

/// The reason that a running service has no response in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceError {
    /// The request failed, with the message of the HTTP client.
    Request(String),
    /// The response has another media type than the request accepts.
    MediaType {
        /// The media type that the request accepts.
        expected: &'static str,
        /// The media type of the response, if it has one.
        received: Option<String>,
    },
    /// The response is not valid in its format; the message has the position.
    Invalid(String),
    /// The response cannot be read without a schema.
    NeedsSchema,
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServiceError::Request(message) | ServiceError::Invalid(message) => f.write_str(message),
            ServiceError::MediaType { expected, received } => {
                let received = received.as_deref().unwrap_or("no media type");
                write!(f, "expected {expected}, the response has {received}")
            }
            ServiceError::NeedsSchema => {
                f.write_str("the response cannot be read without a schema")
            }
        }
    }
}

impl std::error::Error for ServiceError {}

/// The error for a service without a readable response: the reason for each format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableService(pub Vec<(Format, ServiceError)>);

impl fmt::Display for UnreadableService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<String> =
            self.0.iter().map(|(format, error)| format!("{format}: {error}")).collect();
        f.write_str(&reasons.join("; "))
    }
}

impl std::error::Error for UnreadableService {}

/// One of the two processes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Client,
    Server,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Client => "client",
            Side::Server => "server",
        })
    }
}

/// The error for a lane without a client or a server over a transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoTransport {
    pub(crate) lane: String,
    pub(crate) side: Side,
    pub(crate) transport: Transport,
}

impl fmt::Display for NoTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "has no {} {}", self.transport.title(), self.side)
    }
}

impl std::error::Error for NoTransport {}

/// The error for a client or server process that did not start, ended, hung or sent an invalid
/// answer, or that the user interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessError {
    pub(crate) side: Side,
    pub(crate) error: LaunchError,
}

impl ProcessError {
    pub(crate) fn client(error: LaunchError) -> ProcessError {
        ProcessError { side: Side::Client, error }
    }

    pub(crate) fn server(error: LaunchError) -> ProcessError {
        ProcessError { side: Side::Server, error }
    }
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.side, self.error)
    }
}

/// The reason that a cell has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CellError {
    /// A lane refused or failed; `reason` is the message of the lane.
    Lane { side: Side, reason: String },
    /// The service has no usable response.
    Service(ServiceError),
    /// The responses of the service need its schema.
    NeedsSchema,
    /// The client cannot read the bytes of the server; the text is the message of the client.
    Unreadable(String),
    /// Lanes do not support this level of the coding.
    Level { level: CodingLevel, supported: u8 },
    /// A lane does not support the coding.
    NoCoding { lane: String, coding: &'static str },
    /// Requests failed.
    Requests { failed: u64, all: u64, first: Option<String> },
    /// No request was answered.
    NoAnswer,
    /// The relay of the link did not start, with the system's message.
    Relay(String),
    /// A measurement had no result.
    NoResult,
}

impl CellError {
    pub(crate) fn client(reason: &impl fmt::Display) -> CellError {
        CellError::Lane { side: Side::Client, reason: reason.to_string() }
    }

    pub(crate) fn server(reason: &impl fmt::Display) -> CellError {
        CellError::Lane { side: Side::Server, reason: reason.to_string() }
    }
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CellError::Lane { side, reason } => write!(f, "{side}: {reason}"),
            CellError::Service(error) => write!(f, "server: {error}"),
            CellError::NeedsSchema => f.write_str(
                "server: its responses cannot be read without a schema: give one with --schema",
            ),
            CellError::Unreadable(reason) => {
                write!(f, "client: cannot read the server's bytes: {reason}")
            }
            CellError::Level { level, supported } => {
                write!(f, "lanes support gzip level {supported} only, not {level}")
            }
            CellError::NoCoding { lane, coding } => write!(f, "the {lane} lane has no {coding}"),
            CellError::Requests { failed, all, first } => {
                let first = first.as_deref().unwrap_or("the client gave no reason");
                write!(f, "{failed} of {all} requests failed, the first: {first}")
            }
            CellError::NoAnswer => f.write_str("no request got a response"),
            CellError::Relay(message) => write!(f, "the relay: {message}"),
            CellError::NoResult => f.write_str("nothing was measured"),
        }
    }
}

impl std::error::Error for CellError {}

#[cfg(test)]
mod tests {
    use manywire_format::Format;

    use super::{CellError, ServiceError, UnreadableService};

    #[test]
    fn errors_name_the_side_and_the_format() {
        let media_type = ServiceError::MediaType { expected: "application/cbor", received: None };
        let error = UnreadableService(vec![
            (Format::Cbor, media_type),
            (Format::Avro, ServiceError::NeedsSchema),
        ]);
        assert_eq!(
            error.to_string(),
            "cbor: expected application/cbor, the response has no media type; avro: the response cannot be read without a schema"
        );
        assert_eq!(CellError::client(&"no").to_string(), "client: no");
        let failed =
            CellError::Requests { failed: 3, all: 9, first: Some("status 500".to_owned()) };
        assert_eq!(failed.to_string(), "3 of 9 requests failed, the first: status 500");
    }
}
