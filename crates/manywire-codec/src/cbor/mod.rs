//! CBOR (RFC 8949), as serde sees it.
//!
//! | serde | CBOR |
//! |---|---|
//! | integers | the shortest integer; beyond 64 bits (negative: below -2^64) a bignum, tag 2 or 3 |
//! | `f32`, `f64` | single and double precision, see below |
//! | `char`, `str` | text string |
//! | bytes | byte string |
//! | `None`, `()`, unit structs | null; undefined is read as well |
//! | sequences, tuples | array; without a length if serde does not know it |
//! | maps, structs | map in the order given; `#[serde(flatten)]` makes one without a length |
//! | unit variants | their name |
//! | other variants | a map of one entry, from the name to the content |
//! | [`Timestamp`](manywire_shape::Timestamp) | tag 1 with whole seconds, otherwise tag 1001 (RFC 9581) with seconds and nanoseconds |
//! | [`Value::Number`](manywire_shape::Value::Number) | an integer or bignum; with a fraction or an exponent a decimal fraction, tag 4 |
//! | [`Value::Ext`](manywire_shape::Value::Ext) | a tag around any value, a simple value |
//!
//! A reader takes every well-formed encoding: any width, half floats, arrays, maps and strings in
//! pieces. An integer is read as a float where one is asked for, a byte string as a sequence of
//! integers. Typed values look through tags they did not ask about. In a struct, an integer key
//! stands for the field with that number as its name (`#[serde(rename = "1")]`), which is how COSE
//! and its like number their fields.
//!
//! A float is written as wide as its type, so that a dynamic value comes back as the kind it was;
//! [`Options::shortest_floats`] writes the shortest form that keeps the value instead (section
//! 4.2.2), and a half float is read as an `f32`.
//!
//! A tag is kept as [`Value::Ext`](manywire_shape::Value::Ext) unless there is a value for what it
//! says: bignums, decimal fractions, and the timestamps above, which may also be in milli- or
//! microseconds. An integer in them may be spelled as a bignum, and the map of a tag 1001 may be
//! without a length. A tag whose content is not of that kind is kept too, so a tag 1 around a float
//! is.
//! A number comes back with the same digits in one form, the scientific string of decimal
//! arithmetic: `0.25`, `1.5e400`. Its digits make a bignum of at most 512 bytes.
//!
//! Inside untagged and internally tagged enums and beside `#[serde(flatten)]`, serde reads a value
//! before it knows the type. There a tag or an undefined stays what it is instead of being looked
//! through, and integers beyond 64 bits are not read as `i128` or `u128`.
//!
//! Text in a value that is skipped is not checked to be UTF-8; all else is checked there too.

mod de;
mod head;
mod number;
mod ser;

use serde::de::{Deserialize, DeserializeSeed};
use serde::ser::Serialize;

use crate::{Limits, Result};

pub use self::de::Deserializer;
pub use self::ser::Serializer;

/// What a writer may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether a float is written in the shortest of the three widths that keeps its value, which
    /// loses its type but not a bit of its value (RFC 8949, section 4.1).
    pub shortest_floats: bool,
}

impl Options {
    /// These options with floats in their shortest form, or as wide as their type.
    #[must_use]
    pub const fn with_shortest_floats(mut self, shortest: bool) -> Self {
        self.shortest_floats = shortest;
        self
    }
}

/// Writes a value.
///
/// # Errors
/// [`Category::Unsupported`](crate::Category) with its path for extensions of other formats and
/// for what the value's own `Serialize` refuses.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(crate::core::buffer::INITIAL_CAPACITY);
    encode(value, &mut out)?;
    Ok(out)
}

/// Appends a value to `out`; on an error `out` is as it was.
///
/// # Errors
/// As [`to_vec`].
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    Serializer::new(out).write(value)
}

/// Reads the one value that `bytes` hold, within [`Limits::DEFAULT`].
///
/// # Errors
/// With the offset and the path: bytes that are not well formed or not the type's, containers and
/// tags deeper than the limit, bytes left over.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_seed(std::marker::PhantomData, bytes, Limits::DEFAULT)
}

/// Reads the one value that `bytes` hold by a seed, such as
/// [`ValueSeed`](manywire_shape::ValueSeed).
///
/// # Errors
/// As [`from_slice`].
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    limits: Limits,
) -> Result<S::Value> {
    let mut deserializer = Deserializer::new(bytes).with_limits(limits);
    let value = deserializer.read_seed(seed)?;
    deserializer.finish()?;
    Ok(value)
}
