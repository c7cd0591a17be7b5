//! The integration tests of the library, one module for each subject.
//!
//! Tests that need a process of their own are separate binaries: `memory` measures the resident
//! memory of its process, and `compile_fail` compiles its cases with trybuild.

mod abuse;
mod bodies;
mod client;
mod conformance;
mod connections;
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
#[cfg(all(feature = "tls", feature = "client-tls"))]
mod tls;
