//! The meter that the allocator reports to, by itself.

#[path = "../../crates/manywire-weigh/src/memory.rs"]
pub mod memory;
