//! The codecs of the parts of a multipart form, whose types are known when the form is read.

use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_format::Format;
use manywire_shape::fit::fits;
use manywire_shape::{Arena, Shape};
use serde::de::DeserializeSeed;

use super::{AnyFormat, Codecs, DynamicCodecs, OwnFormats, check};
use crate::content::{Representation, Type};

impl Codecs {
    /// Compiles the codec of one part of a form that has these codecs.
    ///
    /// # Errors
    /// Fails as [`Codecs::new`] does.
    pub(in crate::content) fn for_part(&self, shape: &Shape, format: AnyFormat) -> Result<Codecs> {
        let built_in = format.built_in();
        if let Some(format) = built_in {
            check(shape, format).map_err(|error| error.with_format(format))?;
        }
        Ok(Codecs {
            by_name_only: self.by_name_only,
            own: OwnFormats::new(&[format], &Type::from(shape.clone()))?,
            ..Codecs::of_shape(shape, built_in.as_slice(), None)?
        })
    }

    /// Decodes the value of a part.
    pub(in crate::content) fn decode_part<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: AnyFormat,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match self.representation(format) {
            Representation::Own(at) => self.own.decode_seed(at, seed, bytes, limits, true),
            Representation::Format(Format::Json) => json::from_slice_seed(seed, bytes, limits),
            Representation::Format(format) => self.decode_binary_seed(format, seed, bytes, limits),
            _ => Err(Error::new(Category::Unsupported, "no format was negotiated")),
        }
    }

    /// Returns the formats that parts of a form may use.
    pub(in crate::content) fn parts(&self) -> &[AnyFormat] {
        &self.parts
    }
}

/// Returns the path and the error of the first place where the bytes do not hold a value of the
/// shape, or nothing if they do.
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
