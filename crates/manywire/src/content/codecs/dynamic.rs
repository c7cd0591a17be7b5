use std::fmt;

use manywire_codec::protobuf::Plan;
use manywire_codec::{Category, Codec, Error, Limits, Result};
use manywire_format::Format;
use manywire_shape::infer::fits;
use manywire_shape::proto::Schema;
use manywire_shape::{Arena, Shape, Value};

#[cfg(feature = "avro")]
use super::single_object::SingleObject;

/// The codecs of dynamic values of one shape, one a format.
pub(in crate::content) struct DynamicCodecs {
    shape: Shape,
    codecs: Vec<Codec>,
    /// What stands before a datum of Avro.
    #[cfg(feature = "avro")]
    avro: Option<SingleObject>,
}

impl DynamicCodecs {
    /// Compiles what these formats need; the numbers of Protocol Buffers may be promised already.
    ///
    /// # Errors
    /// A format that cannot hold values of the shape at all.
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
            #[cfg(feature = "avro")]
            avro: formats.contains(&Format::Avro).then(|| SingleObject::new(&shape)).transpose()?,
            shape,
        })
    }

    /// Appends a value; on an error `out` is as it was.
    pub(in crate::content) fn encode(
        &self,
        format: Format,
        value: &Value<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let codec = self.codec(format)?;
        #[cfg(feature = "avro")]
        if let (Format::Avro, Some(avro)) = (format, &self.avro) {
            let start = out.len();
            out.extend_from_slice(&avro.head());
            return codec.encode(value, out).inspect_err(|_| out.truncate(start));
        }
        codec.encode(value, out)
    }

    /// Reads a value.
    pub(in crate::content) fn decode<'a>(
        &'a self,
        format: Format,
        bytes: &'a [u8],
        arena: &'a Arena,
        limits: Limits,
    ) -> Result<Value<'a>> {
        #[cfg(feature = "avro")]
        let bytes = match (format, &self.avro) {
            (Format::Avro, Some(avro)) => avro.datum(bytes)?,
            _ => bytes,
        };
        // Both layouts of MessagePack go by one name, and an endpoint may list either.
        self.codec(format)?.decode_with(bytes, arena, limits)
    }

    /// Whether a value is of the shape: what formats that describe themselves do not say.
    ///
    /// # Errors
    /// [`Category::Data`], with the first place that does not fit.
    pub(in crate::content) fn check(&self, value: &Value<'_>) -> Result<()> {
        fits(&self.shape, value).map_err(|misfit| Error::new(Category::Data, misfit))
    }

    fn codec(&self, format: Format) -> Result<&Codec> {
        let codec = self.codecs.iter().find(|codec| codec.format() == format);
        codec.ok_or_else(missing_shape)
    }
}

/// What is wrong with bytes that are to hold a value of a shape, if anything is, and at which
/// place within the value.
#[cfg(feature = "multipart")]
#[cold]
pub(in crate::content) fn shape_mismatch(
    shape: Shape,
    format: Format,
    bytes: &[u8],
    limits: Limits,
) -> Option<(String, Error)> {
    let codecs = DynamicCodecs::new(shape, &[format], None).ok()?;
    let arena = Arena::new();
    let value = match codecs.decode(format, bytes, &arena, limits) {
        Ok(value) => value,
        Err(error) => return Some((String::new(), error)),
    };
    let misfit = fits(&codecs.shape, &value).err()?;
    let message = format_args!("expected {}, found {}", misfit.expected, misfit.found);
    let place = misfit.path.trim_start_matches('$').to_owned();
    Some((place, Error::new(Category::Data, message).with_format(format)))
}

/// A value without an endpoint that says what it looks like.
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
