//! Bytes to values and back: one serde codec for each format, over one core.
//!
//! The core ([`Error`], [`Limits`] and a slice reader) is shared by the formats: an error of eight
//! bytes with its location, limits on untrusted input, and a reader that borrows text and bytes
//! instead of copying them. Trailing bytes are an error, a length in the input reserves memory for
//! at most 1,024 items before they have been read, and deep nesting is rejected before the stack
//! overflows.

pub mod arranged;
pub mod avro;
pub mod bson;
pub mod cbor;
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
pub mod coding;
mod core;
mod dynamic;
pub mod erased;
pub mod json;
pub mod msgpack;
pub mod protobuf;

pub use crate::core::error::{Category, Error, Result, Segment};
pub use crate::core::limits::Limits;
pub use crate::dynamic::{Codec, read_first, read_value, write_value};
