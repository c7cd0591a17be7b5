//! The transports over which the server of a lane can be reached.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The way in which requests and responses travel between a client and a server.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// HTTP/1.1.
    #[default]
    Http,
    /// ZeroMQ with the sockets REQ and REP, as `lanes/CONTRACT.md` describes the messages.
    Zeromq,
}

impl Transport {
    /// Every transport, the one that others are compared with first.
    pub const ALL: [Transport; 2] = [Transport::Http, Transport::Zeromq];

    /// Returns the name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Http => "http",
            Transport::Zeromq => "zeromq",
        }
    }

    /// Returns the name for people.
    pub fn title(self) -> &'static str {
        match self {
            Transport::Http => "HTTP",
            Transport::Zeromq => "ZeroMQ",
        }
    }

    /// Returns the scheme of a server's URL.
    pub(crate) fn scheme(self) -> &'static str {
        match self {
            Transport::Http => "http",
            Transport::Zeromq => "tcp",
        }
    }

    /// Returns whether the transport is HTTP, which reports do not name.
    pub(crate) fn is_http(&self) -> bool {
        *self == Transport::Http
    }
}

/// The error for an unknown transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTransport(String);

impl fmt::Display for UnknownTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Transport::ALL.map(Transport::name).join(", ");
        write!(f, "no transport {:?}; there are {names}", self.0)
    }
}

impl std::error::Error for UnknownTransport {}

impl FromStr for Transport {
    type Err = UnknownTransport;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let transport = Transport::ALL.into_iter().find(|transport| transport.name() == text);
        transport.ok_or_else(|| UnknownTransport(text.to_owned()))
    }
}
