//! The errors of calls.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use manywire_codec::Error;

use crate::content::own::AnyFormat;
use crate::problem::{Failure, Fault, Problem};

/// The error for a call that gave no value.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError<E> {
    /// The endpoint failed with one of its own failures.
    Failed(E),
    /// The server sent a problem that is not one of the endpoint's own failures.
    Problem(Box<Problem>),
    /// The server responded with an error status, without a readable problem.
    Status {
        /// The status.
        status: StatusCode,
        /// The beginning of the response body, as text.
        text: String,
    },
    /// The response cannot be read as the output of the endpoint.
    Answer(Error),
    /// The arguments cannot be written into a request.
    Arguments(Box<Fault>),
    /// The body cannot be represented in any format of the client and the endpoint.
    Body(Error),
    /// The connection could not be established, or broke.
    Connection(Box<dyn std::error::Error + Send + Sync>),
    /// The response body, before content decoding, exceeds the size limit of the client.
    TooLarge {
        /// The limit, in bytes.
        limit_bytes: usize,
    },
    /// The call exceeded this timeout.
    Timeout(Duration),
    /// The request should be sent again, but its body was a stream, which can be sent only once.
    /// [`Items::repeatable`](crate::content::Items::repeatable) creates one that can be sent again.
    SentOnce {
        /// The reason for sending the request again.
        cause: Box<CallError<std::convert::Infallible>>,
        /// The format that the server accepts instead, if the format was the reason. The next call
        /// uses it.
        next: Option<AnyFormat>,
    },
}

/// An error that is never an endpoint's own failure.
pub(super) type TransportError = CallError<std::convert::Infallible>;

/// The result of a step that cannot meet an endpoint's own failure.
pub(super) type TransportResult<T> = Result<T, TransportError>;

impl<E: Failure> CallError<E> {
    /// Converts a problem into the endpoint's own failure, if it is one.
    pub(super) fn from_problem(problem: Problem) -> Self {
        match E::from_problem(&problem) {
            Some(failure) => CallError::Failed(failure),
            None => CallError::Problem(Box::new(problem)),
        }
    }
}

impl<E> CallError<E> {
    pub(super) fn from_transport(error: TransportError) -> Self {
        match error {
            CallError::Failed(never) => match never {},
            CallError::Problem(problem) => CallError::Problem(problem),
            CallError::Status { status, text } => CallError::Status { status, text },
            CallError::Answer(error) => CallError::Answer(error),
            CallError::Arguments(fault) => CallError::Arguments(fault),
            CallError::Body(error) => CallError::Body(error),
            CallError::Connection(error) => CallError::Connection(error),
            CallError::TooLarge { limit_bytes } => CallError::TooLarge { limit_bytes },
            CallError::Timeout(timeout) => CallError::Timeout(timeout),
            CallError::SentOnce { cause, next } => CallError::SentOnce { cause, next },
        }
    }
}

impl<E: fmt::Debug> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Failed(failure) => write!(f, "the endpoint failed: {failure:?}"),
            CallError::Problem(problem) => write!(f, "the server refused: {problem}"),
            CallError::Status { status, text } if text.is_empty() => {
                write!(f, "the server responded with {status}")
            }
            CallError::Status { status, text } => {
                write!(f, "the server responded with {status}: {text}")
            }
            CallError::Answer(error) => write!(f, "cannot read the response: {error}"),
            CallError::Arguments(fault) => write!(f, "cannot write the request: {fault}"),
            CallError::Body(error) => write!(f, "cannot write the body: {error}"),
            CallError::Connection(error) => {
                write!(f, "the connection failed: {error}")?;
                // hyper's own message seldom names the cause, so the sources follow it.
                let mut source = error.source();
                while let Some(cause) = source {
                    write!(f, ": {cause}")?;
                    source = cause.source();
                }
                if let Some(advice) = super::tls::advice(&**error) {
                    write!(f, "; {advice}")?;
                }
                Ok(())
            }
            CallError::TooLarge { limit_bytes } => {
                write!(f, "the response exceeds the limit of {limit_bytes} bytes")
            }
            CallError::Timeout(timeout) => write!(f, "the call timed out after {timeout:?}"),
            CallError::SentOnce { cause, next } => {
                write!(f, "{cause}; the body was a stream that cannot be sent again: ")?;
                if let Some(format) = next {
                    write!(f, "call again, which sends {format}, or ")?;
                }
                f.write_str("create the stream with Items::repeatable")
            }
        }
    }
}

impl<E: fmt::Debug> std::error::Error for CallError<E> {}

/// The error for an invalid base URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidBase {
    pub(super) base: String,
    pub(super) why: String,
}

impl fmt::Display for InvalidBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidBase { base, why } = self;
        write!(
            f,
            "invalid base URI {base:?}, expected one such as \"http://localhost:8080\": {why}"
        )
    }
}

impl std::error::Error for InvalidBase {}
