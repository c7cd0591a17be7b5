//! Reads and writes values in a format that is chosen at run time: dynamic values and values of Rust
//! types by [`Codec`], and dynamic values of self-describing formats without one.

use manywire_format::Format;
use manywire_shape::{Arena, Shape, Value, ValueSeed};
use serde::de::DeserializeSeed;
use serde::ser::Serialize;

#[cfg(doc)]
use crate::Category;
use crate::msgpack::ExtraItems;
use crate::{Error, Limits, Result, avro, bson, cbor, json, msgpack, protobuf};

/// Reads and writes values in one format.
///
/// A format that needs the shape of its values keeps its compiled plan here. BSON has no arrays at
/// the top level, so its codec remembers whether the root of the shape is an array, which
/// [`bson::encode`] writes as a document.
pub struct Codec {
    kind: Kind,
}

enum Kind {
    Json,
    MsgPack(ExtraItems),
    MsgPackArray(Box<Shape>),
    Cbor,
    Protobuf(Box<protobuf::Plan>),
    Avro(Box<avro::Plan>),
    Bson(bson::TopLevel),
}

impl From<protobuf::Plan> for Codec {
    fn from(plan: protobuf::Plan) -> Self {
        Codec { kind: Kind::Protobuf(Box::new(plan)) }
    }
}

impl From<avro::Plan> for Codec {
    fn from(plan: avro::Plan) -> Self {
        Codec { kind: Kind::Avro(Box::new(plan)) }
    }
}

impl Codec {
    /// Creates a codec of `format` for values of `shape`.
    ///
    /// # Errors
    ///
    /// Fails with [`Category::Unsupported`] if the format cannot represent values of the shape.
    pub fn new(format: Format, shape: &Shape) -> Result<Codec> {
        let kind = match format {
            Format::Json => Kind::Json,
            Format::MsgPack => Kind::MsgPack(ExtraItems::of(shape)),
            Format::MsgPackArray => Kind::MsgPackArray(Box::new(shape.clone())),
            Format::Cbor => Kind::Cbor,
            Format::Protobuf => Kind::Protobuf(Box::new(protobuf::Plan::from_shape(shape)?)),
            Format::Avro => Kind::Avro(Box::new(avro::Plan::from_shape(shape)?)),
            Format::Bson => Kind::Bson(bson::TopLevel::of(shape)),
        };
        Ok(Codec { kind })
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        match self.kind {
            Kind::Json => Format::Json,
            Kind::MsgPack(_) => Format::MsgPack,
            Kind::MsgPackArray(_) => Format::MsgPackArray,
            Kind::Cbor => Format::Cbor,
            Kind::Protobuf(_) => Format::Protobuf,
            Kind::Avro(_) => Format::Avro,
            Kind::Bson(_) => Format::Bson,
        }
    }

    /// Appends the encoding of a value. On an error `out` is unchanged.
    ///
    /// # Errors
    ///
    /// Fails with [`Category::Unsupported`] or [`Category::Data`], with the path to the part that
    /// the format cannot represent or the shape does not allow.
    pub fn encode(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
        match &self.kind {
            Kind::Json => json::write_value(value, out),
            Kind::MsgPack(_) => msgpack::encode(value, msgpack::Layout::Map, out),
            Kind::MsgPackArray(shape) => msgpack::encode_arranged(value, shape, out),
            Kind::Cbor => cbor::encode(value, out),
            Kind::Protobuf(plan) => plan.encode(value, out),
            Kind::Avro(plan) => plan.encode(value, out),
            Kind::Bson(top) => {
                check_bson_top(*top, value)?;
                bson::encode(value, *top, out)
            }
        }
    }

    /// Reads one value within the default limits.
    ///
    /// # Errors
    ///
    /// Same as [`Codec::decode_with`].
    pub fn decode<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        self.decode_with(bytes, arena, Limits::DEFAULT)
    }

    /// Reads one value, which borrows from `bytes`, from `arena` and, for its field names, from the
    /// codec.
    ///
    /// # Errors
    ///
    /// Fails for invalid bytes, input that ends early, bytes after the value, and data beyond the
    /// limits. The error has the offset.
    pub fn decode_with<'a>(
        &'a self,
        bytes: &'a [u8],
        arena: &'a Arena,
        limits: Limits,
    ) -> Result<Value<'a>> {
        let seed = || ValueSeed::new(arena);
        match &self.kind {
            Kind::Json => read_value(Format::Json, bytes, arena, limits),
            Kind::MsgPack(_) => read_value(Format::MsgPack, bytes, arena, limits),
            Kind::MsgPackArray(shape) => msgpack::read_arranged(shape, bytes, arena, limits),
            Kind::Cbor => read_value(Format::Cbor, bytes, arena, limits),
            Kind::Protobuf(plan) => plan.decode_seed(&mut seed(), bytes, limits),
            Kind::Avro(plan) => plan.decode_seed(&mut seed(), bytes, limits),
            Kind::Bson(top) => {
                bson::from_slice_seed(&mut seed().with_widths(), bytes, *top, limits)
            }
        }
    }
}

// Values of Rust types, which are read and written by serde alone.

impl Codec {
    /// Appends the encoding of a value of the Rust type whose shape the codec was created for. On an
    /// error `out` is unchanged.
    ///
    /// # Errors
    ///
    /// Same as [`Codec::encode`].
    pub fn encode_typed<T: Serialize + ?Sized>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        match &self.kind {
            Kind::Json => json::encode(value, out),
            Kind::MsgPack(_) => msgpack::encode(value, msgpack::Layout::Map, out),
            Kind::MsgPackArray(_) => msgpack::encode(value, msgpack::Layout::Array, out),
            Kind::Cbor => cbor::encode(value, out),
            Kind::Protobuf(plan) => plan.encode(value, out),
            Kind::Avro(plan) => plan.encode(value, out),
            Kind::Bson(top) => bson::encode(value, *top, out),
        }
    }

    /// Reads one value by a seed. The seed of a Rust type is
    /// [`PhantomData`](std::marker::PhantomData).
    ///
    /// # Errors
    ///
    /// Same as [`Codec::decode_with`].
    pub fn decode_typed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match &self.kind {
            Kind::Json => json::from_slice_seed(seed, bytes, limits),
            Kind::MsgPack(extra_items) => {
                msgpack::from_slice_seed(seed, bytes, *extra_items, limits)
            }
            Kind::MsgPackArray(shape) => msgpack::Deserializer::new(bytes)
                .with_limits(limits)
                .with_layout(msgpack::Layout::Array)
                .with_extra_items(ExtraItems::of(shape))
                .read_last(seed),
            Kind::Cbor => cbor::from_slice_seed(seed, bytes, limits),
            Kind::Protobuf(plan) => plan.decode_seed(seed, bytes, limits),
            Kind::Avro(plan) => plan.decode_seed(seed, bytes, limits),
            Kind::Bson(top) => bson::from_slice_seed(seed, bytes, *top, limits),
        }
    }
}

/// Rejects an array if the shape has a document at the top, and a map if the shape has an array.
fn check_bson_top(top: bson::TopLevel, value: &Value<'_>) -> Result<()> {
    let message = match (top, value) {
        (bson::TopLevel::Document, Value::Array(_)) => "the shape has no array at the top",
        (bson::TopLevel::Array, Value::Map(_)) => "the shape has an array at the top, found a map",
        _ => return Ok(()),
    };
    Err(Error::unsupported(message).with_format(Format::Bson))
}

/// Reads one value of a format that needs no shape. A BSON document is read as a map.
///
/// # Errors
///
/// Same as [`Codec::decode_with`], and [`Category::Unsupported`] for a format that needs a shape.
pub fn read_value<'a>(
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
    limits: Limits,
) -> Result<Value<'a>> {
    let mut seed = ValueSeed::new(arena);
    match format {
        Format::Json => json::read_value(bytes, arena, limits),
        Format::MsgPack => msgpack::from_slice_seed(&mut seed, bytes, ExtraItems::Skipped, limits),
        Format::Cbor => cbor::from_slice_seed(&mut seed, bytes, limits),
        Format::Bson => {
            let top = bson::TopLevel::Document;
            bson::from_slice_seed(&mut seed.with_widths(), bytes, top, limits)
        }
        Format::MsgPackArray | Format::Protobuf | Format::Avro => Err(no_schema(format, "read")),
    }
}

/// Reads the value at the start of `bytes`, of a format that needs no shape, and returns it with the
/// number of bytes up to its end.
///
/// # Errors
///
/// Same as [`read_value`], but accepts bytes after the value. The error has the category
/// [`Category::Eof`] if the value may continue after the end of `bytes`, except for a number in JSON,
/// which ends there.
pub fn read_first<'a>(
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
    limits: Limits,
) -> Result<(Value<'a>, usize)> {
    let mut seed = ValueSeed::new(arena);
    match format {
        Format::Json => match json::ValueReader::new(limits).stream(bytes).next_value(arena)? {
            Some((range, value)) => Ok((value, range.end)),
            None => Ok((json::read_value(bytes, arena, limits)?, bytes.len())),
        },
        Format::MsgPack => {
            let mut deserializer = msgpack::Deserializer::new(bytes).with_limits(limits);
            Ok((deserializer.read_seed(&mut seed)?, deserializer.offset()))
        }
        Format::Cbor => {
            let mut deserializer = cbor::Deserializer::new(bytes).with_limits(limits);
            Ok((deserializer.read_seed(&mut seed)?, deserializer.offset()))
        }
        Format::Bson => {
            let mut deserializer = bson::Deserializer::new(bytes).with_limits(limits);
            Ok((deserializer.read_seed(&mut seed.with_widths())?, deserializer.offset()))
        }
        Format::MsgPackArray | Format::Protobuf | Format::Avro => Err(no_schema(format, "read")),
    }
}

/// Appends one value in a self-describing format, as [`read_value`] reads it: a BSON document is
/// written as a document, whatever its keys.
///
/// # Errors
///
/// Same as [`Codec::encode`], and [`Category::Unsupported`] for a format that needs a shape.
pub fn write_value(format: Format, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    match format {
        Format::Json => json::write_value(value, out),
        Format::MsgPack => msgpack::encode(value, msgpack::Layout::Map, out),
        Format::Cbor => cbor::encode(value, out),
        Format::Bson => bson::encode(value, bson::TopLevel::Document, out),
        Format::MsgPackArray | Format::Protobuf | Format::Avro => Err(no_schema(format, "written")),
    }
}

#[cold]
fn no_schema(format: Format, done: &str) -> Error {
    let message = format_args!("{} cannot be {done} without a schema", format.row().title);
    Error::unsupported(message).with_format(format)
}
