//! Measures what each wire format costs end to end, between a running client and a running server.
//!
//! Server and client are lanes: the plain HTTP server and client of two runtimes, each in its own
//! process. Four meters show where the time of a request goes:
//!
//! | meter | what happens |
//! |---|---|
//! | transport | the server sends bytes made beforehand, the client drops them |
//! | endpoint only | the server encodes for each request, the client drops what it gets |
//! | processing only | the client decodes, in its process, without a server |
//! | end to end | the server encodes, the client decodes |
//!
//! End to end should equal endpoint plus processing. Endpoint should equal transport plus the
//! encoding that is timed inside the server's process. A remainder of more than a fifth is
//! reported. All four run one request at a time, since only then do they add up. Capacity is found
//! in a closed loop over more and more connections. Latency is measured in an open loop, at a rate
//! that is the same for every format, and counts from the planned instant.
//!
//! Over several transports, the servers of a lane are measured at the same rate, and a verdict says whether leaving
//! HTTP saves more than changing the format.
//!
//! The unit of replication is the launch of server and client, as everywhere in [`crate::weigh`].
//! The results are in [`report`].

mod affinity;
mod capacity;
pub mod cost;
mod error;
mod figure;
mod figures;
mod launch;
pub mod link;
mod measure;
mod options;
mod origin;
mod pair;
pub mod report;
mod servers;
mod slice;
mod transports;
mod verdict;

pub use capacity::CapacityLimit;
pub use error::{ServiceError, TrialError, UnreadableService};
pub use figure::{Figure, LAUNCHES_MIN, Quantile, Remainder};
pub(crate) use figures::SERVER_CPU_AT_RATE;
pub use measure::{Outcome, trial};
pub use options::{Effort, Options, Service};
pub use origin::Origin;
pub use pair::TrialInput;

pub use crate::weigh::lanes::{Transport, UnknownTransport};
