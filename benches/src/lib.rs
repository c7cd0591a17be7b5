//! The cost of the codecs on typed documents, compared with other libraries.
//!
//! A [`Subject`] is one operation of one library on one document. Before it is measured it must
//! pass a round trip of the document. Subjects to compare are in one group. Within a group they run
//! in random order, round by round, in batches of half a millisecond, and a comparison is the
//! median of the log ratios of the rounds. A process gives one sample of that median, because
//! memory layout is random per process. The report has the mean over several launches with a
//! t-interval. [`targets`] has the expected result of each comparison, and the report says if it is
//! met.
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
//! Time is the CPU time of the measuring thread, or wall time where no such clock exists. On a busy
//! machine an operation of several milliseconds is interrupted nearly every time and one of half a
//! millisecond hardly ever, so a ratio of wall times would measure the scheduler.
//!
//! Both sides of a comparison have the same buffer policy: a fresh buffer for every operation
//! (allocation and release included), or one reused buffer. Decoding includes dropping the value.
//! The floor rows, a copy of the encoded bytes and a validation of their UTF-8, are lower bounds
//! for the machine.

pub mod documents;
mod formats;
pub mod instructions;
pub mod launch;
pub mod peers;
pub mod process;
pub mod report;
pub mod statistics;
pub mod subject;
pub mod targets;

pub use formats::subjects;
pub use subject::Subject;
