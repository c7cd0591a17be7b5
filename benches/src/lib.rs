//! What the codecs cost on typed documents, beside the libraries they are measured against.
//!
//! A [`Subject`] is one operation of one library on one document: it has shown that it gives the
//! document back before it may be measured. Subjects that are compared stand in one group; within
//! a group they take turns in random order, round by round, in batches of half a millisecond, and
//! a comparison is the median of the rounds' log ratios. A process is one sample of such a median,
//! because layout luck is drawn once a process: what is reported is the mean over several
//! launches, with a t-interval. [`targets`] says what is expected of each comparison, and the
//! report says whether it is met.
//!
//! ```text
//! cargo bench -p manywire-benches --bench wire        ten launches, and the table of targets
//! … --bench wire -- msgpack            only groups with this in their name
//! … --bench wire -- --launches 5
//! … --bench wire -- --instructions     instructions an operation, by callgrind
//! … --bench wire -- --smoke            every subject once, for CI
//! … --bench wire -- --record records/2026-11-21-codecs
//! ```
//!
//! Time is the CPU time of the measuring thread (wall time where there is no such clock): on a busy
//! machine an operation of several milliseconds is interrupted nearly every time, one of half a
//! millisecond hardly ever, and their ratio on the wall would be the scheduler's, not theirs.
//!
//! Both sides of a comparison have the same buffer policy: a fresh buffer for every operation
//! (allocation and release included), or one buffer used again. Decoding includes dropping the
//! value. The floor rows, a copy of the encoded bytes and a check of their UTF-8, say how far the
//! machine would let anybody go.

mod clock;
pub mod documents;
mod formats;
pub mod instructions;
pub mod launch;
pub mod measure;
pub mod peers;
pub mod process;
pub mod report;
pub mod statistics;
pub mod subject;
pub mod targets;

pub use formats::subjects;
pub use subject::Subject;
