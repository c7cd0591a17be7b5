//! Bytes to values and back: one serde codec a format, over one core.
//!
//! The core ([`Error`], [`Limits`], the slice reader) is what the formats share: an error of eight
//! bytes that says where, limits on everything the input claims, and a reader that lends text and
//! bytes instead of copying them. Trailing bytes are an error, a claimed length never allocates,
//! and deep nesting is refused before the stack is in danger.

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
pub use crate::dynamic::{Codec, read_value, write_value};
