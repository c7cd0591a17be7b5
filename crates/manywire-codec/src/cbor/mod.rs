//! CBOR (RFC 8949), mapped to serde's data model.
//!
//! | serde | CBOR |
//! |---|---|
//! | integers | the shortest integer; beyond 64 bits (negative: below -2^64) a bignum, tag 2 or 3 |
//! | `f32`, `f64` | single and double precision, see below |
//! | `char`, `str` | text string |
//! | bytes | byte string |
//! | `None`, `()`, unit structs | null; undefined is accepted too |
//! | sequences, tuples | array, without a length if serde does not know it |
//! | maps, structs | map in the order given; `#[serde(flatten)]` makes one without a length |
//! | unit variants | their name |
//! | other variants | a map of one entry, from the name to the content |
//! | [`Timestamp`](manywire_shape::Timestamp) | tag 1 with whole seconds, otherwise tag 1001 (RFC 9581) with seconds and nanoseconds |
//! | [`Value::Number`](manywire_shape::Value::Number) | an integer or bignum; with a fraction or an exponent a decimal fraction, tag 4 |
//! | [`Tagged`] | a tag around a value |
//! | [`Value::Ext`](manywire_shape::Value::Ext) | a tag around any value, a simple value |
//!
//! A reader accepts every well-formed encoding: any width, half floats, and arrays, maps and
//! strings of indefinite length. An integer is read as a float if the target asks for one, and a
//! byte string as a sequence of integers. Typed values ignore tags that they did not ask for. In a
//! struct, an integer key matches the field with that number as its name (`#[serde(rename =
//! "1")]`), which is how COSE and similar formats number their fields.
//!
//! A float is written as wide as its type, so that a dynamic value keeps its type in a round trip.
//! [`Options::shortest_floats`] writes the shortest form that keeps the value instead (section
//! 4.2.2). A half float is read as an `f32`.
//!
//! A tag is kept as [`Value::Ext`](manywire_shape::Value::Ext) unless
//! [`Value`](manywire_shape::Value) represents its meaning: bignums, decimal fractions, and the
//! timestamps above, which may also be in milli- or microseconds. An integer in them may be a
//! bignum, and the map of a tag 1001 may have no length. A tag with other content is kept too, such
//! as a tag 1 around a float.
//!
//! A number is read back with the same digits in one form, the scientific string of decimal
//! arithmetic: `0.25`, `1.5e400`. Its digits must fit a bignum of 512 bytes.
//!
//! Inside untagged and internally tagged enums and beside `#[serde(flatten)]`, serde reads a value
//! before it knows the type. There tags and undefined are not ignored, and integers beyond 64 bits
//! are not read as `i128` or `u128`.
//!
//! A skipped value is checked like any other, except that its text may be invalid UTF-8.

mod de;
mod head;
mod number;
mod ser;
mod tagged;

use serde::de::{Deserialize, DeserializeSeed};
use serde::ser::Serialize;

use crate::{Limits, Result};

pub use self::de::Deserializer;
pub use self::ser::{Options, Serializer};
pub use self::tagged::Tagged;

/// Writes a value.
///
/// # Errors
/// Fails with [`Category::Unsupported`](crate::Category) and the path to the value, for extensions
/// of other formats and for values that the type's own `Serialize` rejects; with
/// [`Category::Limit`](crate::Category) for a number longer than a bignum of 512 bytes.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(crate::core::buffer::INITIAL_CAPACITY);
    encode(value, &mut out)?;
    Ok(out)
}

/// Appends a value to `out`. On an error `out` is unchanged.
///
/// # Errors
/// Same as [`to_vec`].
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    Serializer::new(out).write(value)
}

/// Reads the one value in `bytes`, within [`Limits::DEFAULT`].
///
/// # Errors
/// Fails for malformed bytes, values of another type, containers and tags nested deeper than the
/// limit, and bytes after the value. The error has the offset and the path.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_seed(std::marker::PhantomData, bytes, Limits::DEFAULT)
}

/// Reads the one value in `bytes` with a seed, such as [`ValueSeed`](manywire_shape::ValueSeed).
///
/// # Errors
/// Same as [`from_slice`].
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    limits: Limits,
) -> Result<S::Value> {
    Deserializer::new(bytes).with_limits(limits).read_last(seed)
}
