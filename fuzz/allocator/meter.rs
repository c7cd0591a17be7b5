//! The allocator of `manywire-meter` and what it reports to, without that crate's dependencies.

#[path = "../../crates/manywire-meter/src/allocator.rs"]
mod allocator;

pub use allocator::{Counting, tally};
