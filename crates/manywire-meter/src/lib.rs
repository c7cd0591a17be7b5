//! A global allocator that counts, the clocks of the process, and the state of its heap.
//!
//! A library cannot choose a program's allocator, so a program that measures memory must install
//! [`Counting`]:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: manywire_meter::Counting = manywire_meter::Counting;
//!
//! fn main() {
//!     let (sum, tally) = manywire_meter::tally(|| vec![1_u64; 100].iter().sum::<u64>());
//!     let tally = tally.expect("the allocator reports");
//!     assert_eq!((sum, tally.allocs, tally.bytes, tally.peak), (100, 1, 800, 800));
//! }
//! ```
//!
//! The allocator is the only `unsafe` code. `fuzz/allocator/run` tests it under AddressSanitizer.

mod allocator;
mod clock;
mod heap;

pub use allocator::{Counting, Tally, tally};
pub use clock::{Elapsed, Stopwatch, cpu_ns, preemptions, wall_resolution_ns};
pub use heap::settle_heap;
