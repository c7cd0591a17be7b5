//! MessagePack, mapped to serde's data model.
//!
//! Records are written as maps from field name to value, or as arrays in field order ([`Layout`]).
//! A reader accepts both, or [maps only](Deserializer::by_name_only). Every number, text and
//! container is written in its shortest form and read in any. Text and bytes are borrowed from the
//! input if the type borrows them.
//!
//! | serde | MessagePack |
//! |---|---|
//! | integers | the shortest `int`; `i128` and `u128` beyond 64 bits as `bin` of 16 bytes, big-endian |
//! | `f32`, `f64` | `float 32`, `float 64`; an integer is read as a float if the target asks for one |
//! | `char`, `str` | `str` |
//! | bytes | `bin`; `str` is read as bytes too, because before 2013 the format had one type for both |
//! | `None`, `()`, unit structs | `nil` |
//! | unit variants | their name |
//! | other variants | a map of one entry, from the name to the content |
//! | [`Timestamp`](manywire_shape::Timestamp) | the `timestamp` extension in its shortest form |
//! | [`Extension`] | an extension |
//!
//! In an array a field has a position and no name, so a field that serde would skip is written as
//! `nil`: leaving it out would shift the rest. For the same reason the reader treats a field as
//! absent if the field is `nil` or the array ends before it: an `Option` is `None`, even if it has
//! another default, and any other field has its `#[serde(default)]`. Items beyond the last field
//! come from a newer writer and are skipped, unless [`ExtraItems`] refuses them.
//!
//! A skipped value is checked like any other, except for its text and its timestamps.
//!
//! Four limitations come from serde's derive, and [`check_array_layout`] refuses the types that
//! they concern. First, a field with `#[serde(skip_serializing)]` alone is in the reader's array
//! but not in the writer's, and the serializer does not know this: skip the field in both
//! directions, or in neither. Second, the fields of a struct variant are read by name only if the
//! enum is adjacently tagged or untagged: such a variant is written as an array, and then rejected
//! by the derived reader, or taken for another variant. A newtype variant around a struct works in
//! an adjacently tagged enum. Third, values that serde buffers before it knows the type (internally
//! tagged and untagged enums) accept `nil` for an `Option` only, not for a default. Fourth, an
//! untagged enum takes the first branch that fits, so a struct may be read as another struct or as
//! a list.

mod array;
mod de;
mod extension;
mod layout;
mod marker;
mod ser;

use manywire_shape::{Arena, Shape, Value};
use serde::de::{Deserialize, DeserializeSeed};
use serde::ser::Serialize;

use crate::arranged::{Arranged, ArrangedSeed};
use crate::{Limits, Result, arranged};

pub use self::array::check_array_layout;
pub use self::de::{Deserializer, ExtraItems};
pub use self::extension::Extension;
pub use self::layout::Layout;
pub use self::ser::Serializer;

/// Writes a value in the map layout.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(crate::core::buffer::INITIAL_CAPACITY);
    encode(value, Layout::Map, &mut out)?;
    Ok(out)
}

/// Appends a value to `out`. On an error `out` is unchanged.
pub fn encode<T: Serialize + ?Sized>(value: &T, layout: Layout, out: &mut Vec<u8>) -> Result<()> {
    Serializer::new(out, layout).write(value)
}

/// Reads the one value in `bytes`, in either layout and within [`Limits::DEFAULT`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_seed(std::marker::PhantomData, bytes, ExtraItems::Skipped, Limits::DEFAULT)
}

/// Reads the one value in `bytes` with a seed, such as [`ValueSeed`](manywire_shape::ValueSeed).
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    extra_items: ExtraItems,
    limits: Limits,
) -> Result<S::Value> {
    Deserializer::new(bytes).with_limits(limits).with_extra_items(extra_items).read_last(seed)
}

/// Reads the one value in `bytes` with a seed, in the map layout
/// [only](Deserializer::by_name_only).
pub fn from_slice_by_name<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    limits: Limits,
) -> Result<S::Value> {
    Deserializer::new(bytes).with_limits(limits).by_name_only().read_last(seed)
}

/// Appends a dynamic value in the array layout of [`crate::arranged`]. On an error `out` is
/// unchanged, and the path names the fields.
pub fn encode_arranged(value: &Value<'_>, shape: &Shape, out: &mut Vec<u8>) -> Result<()> {
    encode(&Arranged::new(shape, value), Layout::Array, out)
        .map_err(|error| arranged::with_field_names(shape, error))
}

/// Reads a value that [`encode_arranged`] wrote, with its records as maps.
pub fn read_arranged<'a>(
    shape: &'a Shape,
    bytes: &'a [u8],
    arena: &'a Arena,
    limits: Limits,
) -> Result<Value<'a>> {
    Deserializer::new(bytes)
        .with_limits(limits)
        .with_layout(Layout::Array)
        .read_last(&mut ArrangedSeed::new(shape, arena))
        .map_err(|error| arranged::with_field_names(shape, error))
}
