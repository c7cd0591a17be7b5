//! The allocator of `manywire-meter` and the counters that it uses, without the dependencies of
//! that crate.

#[path = "../../crates/manywire-meter/src/allocator.rs"]
mod allocator;

pub use allocator::{Counting, tally};
