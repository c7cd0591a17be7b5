//! BSON 1.1 (bsonspec.org), as serde sees it.
//!
//! | serde | BSON |
//! |---|---|
//! | `i8`, `i16`, `i32`, `u8`, `u16` | int32 |
//! | `u32`, `i64`, `u64`, `i128`, `u128` | int64; beyond the range of `i64` rejected |
//! | `f32`, `f64` | double; an integer is read as a float if the target asks for one |
//! | `char`, `str` | string |
//! | bytes | binary, generic subtype; any subtype is read if the target asks for bytes |
//! | [`ObjectId`], [`Decimal128`], [`Binary`], [`Regex`], [`ReplicationTimestamp`] | the type of that name |
//! | `None`, `()`, unit structs | null |
//! | unit variants | their name |
//! | other variants | a document of one entry, from the name to the content |
//! | sequences, tuples | array |
//! | maps, structs | document; keys must be text without NUL |
//! | [`Timestamp`](manywire_shape::Timestamp) | UTC datetime; finer than milliseconds rejected |
//!
//! **Integer widths.** A typed field keeps its type for every value, as in the drivers of typed
//! languages: a column that mixes int32 and int64 is a nuisance in a database. The integers of a
//! [`Value`](manywire_shape::Value) are int32 if they fit, as in the drivers of untyped languages.
//!
//! **The top level** is a document. An array there is written as a document with the keys "0", "1",
//! …. A typed target reads it as the type it asks for; for a dynamic target, [`TopLevel`] decides. A
//! scalar is rejected.
//!
//! **Types that only BSON has** are [`Value::Ext`](manywire_shape::Value::Ext) in
//! [`Space::Bson`](manywire_shape::Space::Bson); the code is the element type:
//!
//! | code | type | content |
//! |---|---|---|
//! | `0x05` | binary, subtype other than generic | array: subtype, bytes |
//! | `0x06` | undefined (deprecated) | null |
//! | `0x07` | ObjectId | 12 bytes |
//! | `0x0B` | regular expression | array: pattern, options; the options are sorted when read and when written |
//! | `0x0C` | DBPointer (deprecated) | array: namespace, 12 bytes |
//! | `0x0D` | JavaScript code | text |
//! | `0x0E` | symbol (deprecated) | text |
//! | `0x0F` | JavaScript code with scope (deprecated) | array: code, document |
//! | `0x11` | timestamp | its 64 bits as an integer: seconds × 2³² + increment |
//! | `0x13` | decimal128 | 16 bytes, little-endian |
//! | `0x7F`, `0xFF` | max key, min key | null |
//!
//! **Not preserved in a round trip**: a [`Value::F32`](manywire_shape::Value::F32) is read back as
//! `F64`, because BSON has one width of float. Duplicate keys are kept in a `Value`. The keys of an
//! array are ignored on reading: items keep their order.

mod de;
mod element;
mod ser;
mod types;

use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed};
use serde::ser::Serialize;

use crate::{Limits, Result};

pub use self::de::{Deserializer, TopLevel};
pub use self::ser::{Serializer, encode};
pub use self::types::{
    Binary, Decimal128, ObjectId, ParseObjectIdError, Regex, ReplicationTimestamp,
};

/// Writes a value.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(crate::core::buffer::INITIAL_CAPACITY);
    encode(value, TopLevel::Document, &mut out)?;
    Ok(out)
}

/// Reads the one document in `bytes`, within [`Limits::DEFAULT`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_seed(PhantomData, bytes, TopLevel::Document, Limits::DEFAULT)
}

/// Reads the one document in `bytes` with a seed, such as [`ValueSeed`](manywire_shape::ValueSeed).
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    top: TopLevel,
    limits: Limits,
) -> Result<S::Value> {
    let mut deserializer = Deserializer::new(bytes).with_top(top).with_limits(limits);
    let value = deserializer.read_seed(seed)?;
    deserializer.finish()?;
    Ok(value)
}
