//! What must hold of any bytes at all.
//!
//! [`TARGETS`] is the table: each row is a property with a name, a function that checks it on some
//! bytes, and a generator of bytes that come near to what the property is about. The fuzzer runs
//! the rows under libFuzzer (`fuzz/`); `cargo test` replays the golden vectors, the external
//! suites, generated inputs and every input that once broke a row (`fuzz/regressions/`), with a
//! stable compiler and without a fuzzer.
//!
//! The strongest rows are those called `agree_…`: the codec and the walker of a format are two
//! readings of one specification that share no code. Both must say of the same bytes whether they
//! are valid, where the first fault is, where each value ends and what it is. That both failed is
//! no agreement by itself: they must fail at the same byte.
//!
//! Nothing here depends on how the codecs work inside; what they promise in their documentation is
//! what is checked.

mod agree;
mod choices;
mod coding;
mod container;
mod convert;
mod decode;
mod diagnostic;
mod difference;
mod generate;
mod har;
mod http;
pub mod inputs;
mod negotiate;
mod reading;
mod schema;
mod stream;
mod table;
mod target;
mod text;
mod transcode;
mod walk;
mod weigh;

pub use choices::Choices;
pub use generate::mutate;
pub use table::{TARGETS, row, target};
pub use target::{Broken, Kind, Target};
