//! The integration tests of the library, one module for each subject.
//!
//! The test `memory` is a separate binary, because it measures the resident memory of its process.

mod abuse;
mod bodies;
mod client;
mod conformance;
mod connections;
mod constraints;
mod cookies;
mod dynamic;
mod endpoints;
mod etags;
mod failures;
mod layers;
mod listeners;
#[cfg(feature = "metrics")]
mod metrics;
mod mounting;
mod negotiation;
mod openapi;
#[cfg(feature = "own-format")]
mod own_format;
mod preconditions;
#[cfg(unix)]
mod readme;
mod request_spans;
mod schema_lock;
mod security;
#[cfg(unix)]
mod shutdown;
mod streams;
mod support;
#[cfg(all(feature = "tls", feature = "client-tls"))]
mod tls;
