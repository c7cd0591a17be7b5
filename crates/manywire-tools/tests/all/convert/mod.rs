//! Conversions in memory: every form, streams, refusals and lossy replacements.

mod every_pair;
#[path = "../../../../manywire-codec/tests/all/support/golden/mod.rs"]
#[allow(dead_code, reason = "read here for its bytes")]
mod golden;
mod harness;
mod lossy;
mod proto_json;
mod streams;
