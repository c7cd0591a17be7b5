//! The functions of the packages for JavaScript and Python, in types of Rust.
//!
//! `manywire-wasm` and `manywire-python` convert arguments, results and errors to the types of their language.
//! Everything else is here, so that both have the same functions with the same results:
//!
//! | function | what it does |
//! |---|---|
//! | [`explain`] | lists the meaning of each byte |
//! | [`convert`] | converts values to another form |
//! | [`sizes()`] | counts the bytes of each format, plain and compressed |
//! | [`shape`] | describes values as a schema or as types |
//! | [`read_value`], [`write_value`] | read and write one value of one format |
//! | [`formats`] | lists the names of the formats |
//!
//! The first four functions read a [`Payload`]. A [`Schema`] is parsed once, and keeps the codecs
//! that were compiled from it. Results without values of the user are passed as [`json()`].

mod codec;
mod conversion;
mod error;
mod explanation;
mod extension;
mod inference;
mod json;
mod payload;
mod schema;
mod sizes;

pub use codec::{DEPTH_MAX, FormatNames, decimal, formats, read_value, write_value};
pub use conversion::{ConvertOptions, Converted, convert};
pub use error::{Error, key_text};
pub use explanation::{ExplainedSpan, Explanation, Finding, FindingKind, explain};
pub use extension::{code_number, code_of_number, space_name, space_of_name};
pub use inference::shape;
pub use json::json;
pub use payload::Payload;
pub use schema::Schema;
pub use sizes::{CodedSize, FormatSizes, Refusal, sizes};
