//! One face for every format: dynamic values to bytes and back.

use manywire_format::Format;
use manywire_shape::{Arena, Node, Shape, Value, ValueSeed};

use crate::{Category, Error, Limits, Result, avro, bson, cbor, json, msgpack, protobuf};

/// Reads and writes dynamic values in one format.
///
/// A format that needs the shape of its values keeps what it compiled from it. BSON has no arrays
/// at the top, so it keeps whether the root is one.
pub struct Codec {
    kind: Kind,
}

enum Kind {
    Json,
    MsgPack,
    MsgPackArray(Box<Shape>),
    Cbor,
    Protobuf(Box<protobuf::Plan>),
    Avro(Box<avro::Plan>),
    Bson(bson::Top),
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
    /// The codec of a format for values of this shape.
    ///
    /// # Errors
    ///
    /// [`Category::Unsupported`] if the format cannot hold values of the shape at all.
    pub fn new(format: Format, shape: &Shape) -> Result<Codec> {
        let kind = match format {
            Format::Json => Kind::Json,
            Format::MsgPack => Kind::MsgPack,
            Format::MsgPackArray => Kind::MsgPackArray(Box::new(shape.clone())),
            Format::Cbor => Kind::Cbor,
            Format::Protobuf => Kind::Protobuf(Box::new(protobuf::Plan::from_shape(shape)?)),
            Format::Avro => Kind::Avro(Box::new(avro::Plan::from_shape(shape)?)),
            Format::Bson => Kind::Bson(match shape.node(shape.root()) {
                Node::Array(_) | Node::Tuple(_) => bson::Top::Array,
                _ => bson::Top::Document,
            }),
        };
        Ok(Codec { kind })
    }

    /// The format.
    pub fn format(&self) -> Format {
        match self.kind {
            Kind::Json => Format::Json,
            Kind::MsgPack => Format::MsgPack,
            Kind::MsgPackArray(_) => Format::MsgPackArray,
            Kind::Cbor => Format::Cbor,
            Kind::Protobuf(_) => Format::Protobuf,
            Kind::Avro(_) => Format::Avro,
            Kind::Bson(_) => Format::Bson,
        }
    }

    /// Appends the bytes of a value; on an error `out` is left as it was.
    ///
    /// # Errors
    ///
    /// [`Category::Unsupported`] or [`Category::Data`], with the path to what the format cannot
    /// hold or the shape does not allow.
    pub fn encode(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
        match &self.kind {
            Kind::Json => json::write_value(value, out),
            Kind::MsgPack => msgpack::encode(value, msgpack::Layout::Map, out),
            Kind::MsgPackArray(shape) => msgpack::encode_arranged(value, shape, out),
            Kind::Cbor => cbor::encode(value, out),
            Kind::Protobuf(plan) => plan.encode(value, out),
            Kind::Avro(plan) => plan.encode(value, out),
            Kind::Bson(_) => bson::encode(value, out),
        }
    }

    /// Reads one value within the default limits.
    ///
    /// # Errors
    ///
    /// As [`Codec::decode_with`].
    pub fn decode<'a>(&'a self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        self.decode_with(bytes, arena, Limits::DEFAULT)
    }

    /// Reads one value, which borrows from the bytes, the arena and, for its field names, the codec.
    ///
    /// # Errors
    ///
    /// Bytes that are not of the format, end early or are left over, and whatever goes beyond the
    /// limits; each with its offset.
    pub fn decode_with<'a>(
        &'a self,
        bytes: &'a [u8],
        arena: &'a Arena,
        limits: Limits,
    ) -> Result<Value<'a>> {
        let mut seed = ValueSeed::new(arena);
        match &self.kind {
            Kind::Json => read_value(Format::Json, bytes, arena, limits),
            Kind::MsgPack => read_value(Format::MsgPack, bytes, arena, limits),
            Kind::MsgPackArray(shape) => msgpack::read_arranged(shape, bytes, arena, limits),
            Kind::Cbor => read_value(Format::Cbor, bytes, arena, limits),
            Kind::Protobuf(plan) => plan.decode_seed(&mut seed, bytes, limits),
            Kind::Avro(plan) => plan.decode_seed(&mut seed, bytes, limits),
            Kind::Bson(top) => bson::from_slice_seed(&mut seed, bytes, *top, limits),
        }
    }
}

/// Reads one value of a format that needs no shape. A BSON document is read as a map.
///
/// # Errors
///
/// As [`Codec::decode_with`], and [`Category::Unsupported`] for a format that needs a shape.
pub fn read_value<'a>(
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
    limits: Limits,
) -> Result<Value<'a>> {
    let mut seed = ValueSeed::new(arena);
    match format {
        Format::Json => json::read_value(bytes, arena, limits),
        Format::MsgPack => msgpack::from_slice_seed(&mut seed, bytes, limits),
        Format::Cbor => cbor::from_slice_seed(&mut seed, bytes, limits),
        Format::Bson => bson::from_slice_seed(&mut seed, bytes, bson::Top::Document, limits),
        Format::MsgPackArray | Format::Protobuf | Format::Avro => {
            let message = format_args!("{} cannot be read without a schema", format.row().title);
            Err(Error::new(Category::Unsupported, message).with_format(format))
        }
    }
}
