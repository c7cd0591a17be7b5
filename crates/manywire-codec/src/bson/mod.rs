//! BSON 1.1 (bsonspec.org), as serde sees it.
//!
//! | serde | BSON |
//! |---|---|
//! | `i8`, `i16`, `i32`, `u8`, `u16` | int32 |
//! | `u32`, `i64`, `u64`, `i128`, `u128` | int64; above `i64::MAX` refused |
//! | `f32`, `f64` | double; an integer is read as a float where one is asked for |
//! | `char`, `str` | string |
//! | bytes | binary, generic subtype; any subtype and ObjectId are read where bytes are asked for |
//! | `None`, `()`, unit structs | null |
//! | unit variants | their name |
//! | other variants | a document of one entry, from the name to the content |
//! | sequences, tuples | array |
//! | maps, structs | document; keys must be text without NUL |
//! | [`Timestamp`](manywire_shape::Timestamp) | UTC datetime; finer than milliseconds refused |
//!
//! **Integer widths.** A typed field keeps its type whatever it holds, as the drivers of typed
//! languages do: a column that is sometimes int32 and sometimes int64 is a nuisance in a database.
//! A [`Value`](manywire_shape::Value) has no type to keep, so its integers are int32 where they
//! fit, as the drivers of untyped languages do.
//!
//! **The top level** is a document. An array there is written as one with the keys "0", "1", …;
//! what it is read as, a typed target decides by asking, and [`Top`] says for a dynamic one. A
//! scalar is refused.
//!
//! **Types that only BSON has** are [`Value::Ext`](manywire_shape::Value::Ext) in
//! [`Space::Bson`](manywire_shape::Space::Bson); the code is the element type:
//!
//! | code | type | content |
//! |---|---|---|
//! | `0x05` | binary, subtype other than generic | array: subtype, bytes |
//! | `0x06` | undefined (deprecated) | null |
//! | `0x07` | ObjectId | 12 bytes |
//! | `0x0B` | regular expression | array: pattern, options; written with its options sorted |
//! | `0x0C` | DBPointer (deprecated) | array: namespace, 12 bytes |
//! | `0x0D` | JavaScript code | text |
//! | `0x0E` | symbol (deprecated) | text |
//! | `0x0F` | JavaScript code with scope (deprecated) | array: code, document |
//! | `0x11` | timestamp | its 64 bits as an integer: seconds × 2³² + increment |
//! | `0x13` | decimal128 | 16 bytes, little-endian |
//! | `0x7F`, `0xFF` | max key, min key | null |
//!
//! What does not come back as it was: a [`Value::F32`](manywire_shape::Value::F32) comes back as
//! `F64`, there being one width of float. Duplicate keys are kept in a `Value`. The keys of an
//! array are not looked at when it is read, its items stand in their order.

mod de;
mod element;
mod ser;

use std::marker::PhantomData;

use manywire_format::Format;
use serde::de::{Deserialize, DeserializeSeed};
use serde::ser::Serialize;

use crate::{Limits, Result};

pub use self::de::Deserializer;
pub use self::ser::Serializer;

/// What the document at the top stands for when a dynamic value is read.
///
/// The bytes do not say: `[true]` and `{"0": true}` are the same document. A type that asks for a
/// sequence, a map or a struct is given what it asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Top {
    /// A document: a map.
    #[default]
    Document,
    /// An array, written as a document with the keys "0", "1", ….
    Array,
    /// Either, for values of which some are arrays and some are not: an array if the keys are "0",
    /// "1", … in order and there are any, else a document.
    ByKeys,
}

/// Writes a value.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(crate::core::buffer::INITIAL_CAPACITY);
    encode(value, &mut out)?;
    Ok(out)
}

/// Appends a value to `out`; on an error `out` is as it was.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    value.serialize(Serializer::new(out)).map_err(|error| {
        out.truncate(start);
        error.with_format(Format::Bson)
    })
}

/// Reads the one document that `bytes` hold, within [`Limits::DEFAULT`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_seed(PhantomData, bytes, Top::Document, Limits::DEFAULT)
}

/// Reads the one document that `bytes` hold by a seed, such as
/// [`ValueSeed`](manywire_shape::ValueSeed).
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    top: Top,
    limits: Limits,
) -> Result<S::Value> {
    let mut deserializer = Deserializer::new(bytes).with_top(top).with_limits(limits);
    let value = deserializer.read_seed(seed)?;
    deserializer.finish()?;
    Ok(value)
}
