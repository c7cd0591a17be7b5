//! What each wire format costs end to end, between a client and a server that really run.
//!
//! A server and a client are lanes: the plain HTTP server and client of two runtimes, each in a
//! process of its own. Four meters say where the time of a request goes:
//!
//! | meter | what happens |
//! |---|---|
//! | transport | the server sends bytes made beforehand, the client drops them |
//! | endpoint only | the server encodes for each request, the client drops what it gets |
//! | processing only | the client decodes, in its process, without a server |
//! | end to end | the server encodes, the client decodes |
//!
//! So end to end should be endpoint and processing, and endpoint should be transport and the
//! encoding that can be timed in the server's process; what is left of either is printed where it
//! is more than a fifth. All four are taken one request at a time, since only then do they add up.
//! Capacity is found in a closed loop over more and more connections; latency in an open loop at a
//! rate that is the same for every format, counted from the instant that was planned.
//!
//! The unit of replication is the launch of server and client, as it is everywhere in
//! [`crate::weigh`]; what is said of it stands in [`report`].

mod affinity;
pub mod cost;
mod figures;
mod launch;
pub mod link;
mod measure;
mod options;
mod pair;
pub mod report;
mod slice;

pub use figures::{Figure, Quantile, Remainder};
pub use measure::{Outcome, trial};
pub use options::{Effort, Options, Service};
pub use pair::TrialInput;
