//! Reads and writes dynamic values in any format, through one type.

use manywire_format::Format;
use manywire_shape::{Arena, Node, Shape, Value, ValueSeed};

use crate::{Category, Error, Limits, Result, avro, bson, cbor, json, msgpack, protobuf};

/// Reads and writes dynamic values in one format.
///
/// A format that needs the shape of its values keeps its compiled plan here. BSON has no arrays at
/// the top level, so its codec keeps whether the root is an array. Where the root may be one, a map
/// with the keys of an array is rejected, and so is an empty array, because no key tells it from an
/// empty map.
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
            Format::MsgPack => Kind::MsgPack,
            Format::MsgPackArray => Kind::MsgPackArray(Box::new(shape.clone())),
            Format::Cbor => Kind::Cbor,
            Format::Protobuf => Kind::Protobuf(Box::new(protobuf::Plan::from_shape(shape)?)),
            Format::Avro => Kind::Avro(Box::new(avro::Plan::from_shape(shape)?)),
            Format::Bson => Kind::Bson(bson_top(shape)),
        };
        Ok(Codec { kind })
    }

    /// Returns the format.
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

    /// Appends the encoding of a value. On an error `out` is unchanged.
    ///
    /// # Errors
    ///
    /// Fails with [`Category::Unsupported`] or [`Category::Data`], with the path to the part that
    /// the format cannot represent or the shape does not allow.
    pub fn encode(&self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
        match &self.kind {
            Kind::Json => json::write_value(value, out),
            Kind::MsgPack => msgpack::encode(value, msgpack::Layout::Map, out),
            Kind::MsgPackArray(shape) => msgpack::encode_arranged(value, shape, out),
            Kind::Cbor => cbor::encode(value, out),
            Kind::Protobuf(plan) => plan.encode(value, out),
            Kind::Avro(plan) => plan.encode(value, out),
            Kind::Bson(top) => {
                check_bson_top(*top, value)?;
                bson::encode(value, out)
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
            Kind::MsgPack => read_value(Format::MsgPack, bytes, arena, limits),
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

/// Returns the type of top-level value that documents of this shape stand for.
fn bson_top(shape: &Shape) -> bson::TopLevel {
    let mut ids = vec![shape.root()];
    let mut seen = vec![false; shape.nodes().len()];
    let (mut array, mut document) = (false, false);
    while let Some(id) = ids.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match shape.node(id) {
            Node::Array(_) | Node::Tuple(_) => array = true,
            Node::Map { .. } | Node::Record(_) | Node::Enum(_) => document = true,
            Node::Any => (array, document) = (true, true),
            Node::Option(inner) => ids.push(*inner),
            Node::Union(branches) => ids.extend(branches),
            // Scalars are rejected at the top level.
            _ => {}
        }
    }
    match (array, document) {
        (true, true) => bson::TopLevel::ByKeys,
        (true, false) => bson::TopLevel::Array,
        (false, _) => bson::TopLevel::Document,
    }
}

/// Rejects values that would be read back as something else.
fn check_bson_top(top: bson::TopLevel, value: &Value<'_>) -> Result<()> {
    let ambiguous = match (top, value) {
        (bson::TopLevel::Document, Value::Array(_)) => "the shape has no array at the top",
        (bson::TopLevel::Array, Value::Map(_)) => "the shape has an array at the top, found a map",
        (bson::TopLevel::ByKeys, Value::Array([])) => {
            "an empty array at the top would be read as an empty map"
        }
        (bson::TopLevel::ByKeys, Value::Map(entries))
            if !entries.is_empty() && is_numbered(entries) =>
        {
            "a map at the top with the keys 0, 1, … would be read as an array"
        }
        _ => return Ok(()),
    };
    Err(Error::new(Category::Unsupported, ambiguous).with_format(Format::Bson))
}

/// Checks whether the keys are those of an array.
fn is_numbered(entries: &[(Value<'_>, Value<'_>)]) -> bool {
    let mut digits = itoa::Buffer::new();
    entries
        .iter()
        .enumerate()
        .all(|(index, (key, _))| matches!(key, Value::Str(text) if *text == digits.format(index)))
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
        Format::MsgPack => msgpack::from_slice_seed(&mut seed, bytes, limits),
        Format::Cbor => cbor::from_slice_seed(&mut seed, bytes, limits),
        Format::Bson => {
            let top = bson::TopLevel::Document;
            bson::from_slice_seed(&mut seed.with_widths(), bytes, top, limits)
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
        Format::Bson => bson::encode(value, out),
        Format::MsgPackArray | Format::Protobuf | Format::Avro => Err(no_schema(format, "written")),
    }
}

#[cold]
fn no_schema(format: Format, done: &str) -> Error {
    let message = format_args!("{} cannot be {done} without a schema", format.row().title);
    Error::new(Category::Unsupported, message).with_format(format)
}
