//! The allocator of `manywire-meter` and what it reports to, without that crate's dependencies.

#[path = "../../crates/manywire-meter/src/allocator.rs"]
mod allocator;
#[path = "../../crates/manywire-meter/src/memory.rs"]
mod memory;

pub use allocator::Counting;
pub use memory::tally;
