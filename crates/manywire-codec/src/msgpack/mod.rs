//! MessagePack, as serde sees it.
//!
//! Records are written as maps from field name to value, or as arrays in the order of the fields
//! ([`Layout`]); a reader takes either. Every number, text and container is written in its
//! shortest form and read in any. Text and bytes are lent by the input where the type borrows
//! them.
//!
//! | serde | MessagePack |
//! |---|---|
//! | integers | the shortest `int`; `i128` and `u128` beyond 64 bits as `bin` of 16 bytes, big-endian |
//! | `f32`, `f64` | `float 32`, `float 64`; an integer is read as a float where one is asked for |
//! | `char`, `str` | `str` |
//! | bytes | `bin`; `str` is read as bytes too, because before 2013 the format had one type for both |
//! | `None`, `()`, unit structs | `nil` |
//! | unit variants | their name |
//! | other variants | a map of one entry, from the name to the content |
//! | [`Timestamp`](manywire_shape::Timestamp) | the `timestamp` extension in its shortest form |
//!
//! In an array a field has its place and no name, so a field that serde would skip is written as
//! `nil`: leaving it out would shift the rest. For the same reason `nil`, and an array that ends
//! early, stand for absence when read: an `Option` is `None`, whatever default it may name, and
//! another field has its `#[serde(default)]`. Items beyond the last field come from a newer writer
//! and are skipped.
//!
//! Three things that serde's derive does cannot be mended here. A field with
//! `#[serde(skip_serializing)]` alone is in the array of the reader but not of the writer, and no
//! serializer hears of it: skip it both ways, or neither. The fields of a struct variant are read
//! by name alone where the enum is adjacently tagged or untagged: as an array such a variant is
//! written, and then refused by the derived reader; a newtype variant around a struct has no such
//! gap in an adjacently tagged enum. And what serde buffers before it knows the type (internally
//! tagged and untagged enums) takes `nil` for an `Option` only, not for a default.

mod de;
mod extension;
mod marker;
mod ser;

use manywire_format::Format;
use manywire_shape::{Arena, Shape, Value};
use serde::de::{Deserialize, DeserializeSeed};
use serde::ser::Serialize;

use crate::arranged::{Arranged, ArrangedSeed};
use crate::{Limits, Result, arranged};

pub use self::de::Deserializer;
pub use self::ser::Serializer;

/// How records are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// As maps from field name to value: [`Format::MsgPack`].
    Map,
    /// As arrays in the order of the fields: [`Format::MsgPackArray`].
    Array,
}

impl Layout {
    /// The format that this layout makes of MessagePack.
    pub fn format(self) -> Format {
        match self {
            Layout::Map => Format::MsgPack,
            Layout::Array => Format::MsgPackArray,
        }
    }
}

/// Writes a value in the map layout.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(crate::core::buffer::INITIAL_CAPACITY);
    encode(value, Layout::Map, &mut out)?;
    Ok(out)
}

/// Appends a value to `out`; on an error `out` is as it was.
pub fn encode<T: Serialize + ?Sized>(value: &T, layout: Layout, out: &mut Vec<u8>) -> Result<()> {
    Serializer::new(out, layout).write(value)
}

/// Reads the one value that `bytes` hold, in either layout and within [`Limits::DEFAULT`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_seed(std::marker::PhantomData, bytes, Limits::DEFAULT)
}

/// Reads the one value that `bytes` hold by a seed, such as
/// [`ValueSeed`](manywire_shape::ValueSeed).
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

/// Appends a dynamic value in the array layout, as [`crate::arranged`] lays it out; on an error
/// `out` is as it was, and the path names the fields.
pub fn encode_arranged(value: &Value<'_>, shape: &Shape, out: &mut Vec<u8>) -> Result<()> {
    encode(&Arranged::new(shape, value), Layout::Array, out)
        .map_err(|error| arranged::placed(shape, error))
}

/// Reads what [`encode_arranged`] wrote, with its records as maps again.
pub fn read_arranged<'a>(
    shape: &'a Shape,
    bytes: &'a [u8],
    arena: &'a Arena,
    limits: Limits,
) -> Result<Value<'a>> {
    let mut deserializer = Deserializer::new(bytes).with_limits(limits).with_layout(Layout::Array);
    deserializer
        .read_seed(&mut ArrangedSeed::new(shape, arena))
        .and_then(|value| deserializer.finish().map(|()| value))
        .map_err(|error| arranged::placed(shape, error))
}
