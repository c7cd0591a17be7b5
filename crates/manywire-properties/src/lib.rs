//! Properties that hold for any bytes, checked by the fuzzer and by `cargo test`.
//!
//! [`TARGETS`] is the table. Each row is a property with a name, a function that checks the
//! property on some bytes, and a generator of typical inputs. The fuzzer runs the rows under
//! libFuzzer (`fuzz/`). `cargo test` runs them on the golden vectors, the external suites,
//! generated inputs and every input that once broke a row (`fuzz/regressions/`), with a stable
//! compiler and without a fuzzer.
//!
//! The strongest rows are called `agree_…`. The codec and the walker of a format are two readings
//! of one specification that share no code. Both must agree which bytes are valid, where the first
//! fault is, where each value ends and what it is. Two failures agree only if they are at the same
//! byte.
//!
//! The properties do not depend on the internals of the codecs, only on what their documentation
//! promises.

mod agree;
mod choices;
mod coding;
mod convert;
mod decode;
mod diagnostic;
mod difference;
mod everything;
mod generate;
mod har;
mod http;
pub mod inputs;
mod negotiate;
mod owned;
mod schema;
mod span_tree;
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
pub use target::{Target, TargetKind, Violation};
