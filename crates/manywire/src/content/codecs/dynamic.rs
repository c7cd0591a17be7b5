//! The codecs of dynamic values, which are driven by a shape.

use std::fmt;

use manywire_codec::protobuf::Plan;
use manywire_codec::{Category, Codec, Error, Limits, Result, msgpack};
use manywire_format::Format;
use manywire_shape::fit::{Misfit, fits};
use manywire_shape::proto::Schema;
use manywire_shape::{Arena, Check, Shape, ShapeRules, Value, Violation};

use super::single_object::SingleObject;

/// The codecs of dynamic values of one shape, one for each format.
pub(in crate::content) struct DynamicCodecs {
    pub(super) shape: Shape,
    rules: ShapeRules,
    codecs: Vec<Codec>,
    /// The header of an Avro datum.
    avro: Option<SingleObject>,
}

impl DynamicCodecs {
    /// Compiles the codecs of these formats. `locked` has the Protocol Buffers field numbers of a
    /// published schema.
    ///
    /// # Errors
    /// Fails for a format that cannot represent values of the shape.
    pub(in crate::content) fn new(
        shape: Shape,
        formats: &[Format],
        locked: Option<&Schema>,
    ) -> Result<DynamicCodecs> {
        let codecs = formats.iter().map(|format| match locked {
            Some(schema) if *format == Format::Protobuf => Plan::new(schema).map(Codec::from),
            _ => Codec::new(*format, &shape),
        });
        Ok(DynamicCodecs {
            codecs: codecs.collect::<Result<_>>()?,
            avro: formats.contains(&Format::Avro).then(|| SingleObject::new(&shape)).transpose()?,
            rules: ShapeRules::new(&shape),
            shape,
        })
    }

    /// Appends a value. On an error `out` is unchanged.
    pub(in crate::content) fn encode(
        &self,
        format: Format,
        value: &Value<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let codec = self.codec(format)?;
        if let (Format::Avro, Some(avro)) = (format, &self.avro) {
            let start = out.len();
            out.extend_from_slice(&avro.head());
            return codec.encode(value, out).inspect_err(|_| out.truncate(start));
        }
        codec.encode(value, out)
    }

    /// Decodes a value.
    pub(in crate::content) fn decode<'a>(
        &'a self,
        format: Format,
        bytes: &'a [u8],
        arena: &'a Arena,
        limits: Limits,
    ) -> Result<Value<'a>> {
        let bytes = match (format, &self.avro) {
            (Format::Avro, Some(avro)) => avro.datum(bytes)?,
            _ => bytes,
        };
        match format {
            // An endpoint that lists MessagePack by name reads this layout, too, without its codec.
            Format::MsgPackArray => msgpack::read_arranged(&self.shape, bytes, arena, limits),
            _ => self.codec(format)?.decode_with(bytes, arena, limits),
        }
    }

    /// Checks that a value has the shape, which self-describing formats do not ensure.
    ///
    /// # Errors
    /// Returns the first part that does not fit.
    pub(in crate::content) fn check(&self, value: &Value<'_>) -> std::result::Result<(), Misfit> {
        fits(&self.shape, value)
    }

    /// Returns the constraints that a value of the shape violates.
    pub(in crate::content) fn violations(&self, value: &Value<'_>) -> Vec<Violation> {
        Check::run(|check| self.rules.check(&self.shape, value, check))
    }

    fn codec(&self, format: Format) -> Result<&Codec> {
        let codec = self.codecs.iter().find(|codec| codec.format() == format);
        codec.ok_or_else(missing_shape)
    }
}

/// The error for a dynamic value outside an endpoint that declares its shape.
#[cold]
pub(in crate::content) fn missing_shape() -> Error {
    let message = "dynamic values are written by the endpoint that returns them";
    Error::new(Category::Unsupported, message)
}

impl fmt::Debug for DynamicCodecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.codecs.iter().map(Codec::format)).finish()
    }
}
