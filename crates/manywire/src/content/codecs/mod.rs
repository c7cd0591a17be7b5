//! The codecs of a type: the plans that its formats need, compiled once at start.

#[cfg(not(feature = "fast-compile"))]
mod direct;
mod dynamic;
#[cfg(feature = "fast-compile")]
mod erased;
mod formats;
#[cfg(feature = "multipart")]
mod parts;
mod single_object;

use std::sync::Arc;

use manywire_codec::bson::TopLevel;
use manywire_codec::msgpack::ExtraItems;
use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_format::Format;
use manywire_shape::proto::Schema;
use manywire_shape::{Node, Shape};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::framing::OwnFraming;
use super::own::{AnyFormat, FormatIndex, OwnFormats, built_in};
use super::{AnyFraming, Representation, Type, supported_formats};
use crate::field_numbers::{FieldNumbers, is_numbered};
pub(super) use dynamic::{DynamicCodecs, missing_shape};
use formats::{is_compiled_in, msgpack, not_compiled_in, protobuf};
#[cfg(feature = "multipart")]
pub(super) use parts::shape_mismatch;
use single_object::SingleObject;

/// The data that each format needs for one type, compiled once at start.
///
/// The format is matched where the type is known, so that each pair of type and format is compiled
/// separately. Passing values through trait objects takes up to eight times as long.
#[derive(Debug, Default)]
pub(crate) struct Codecs {
    protobuf: Option<Box<protobuf::Plan>>,
    avro: Option<Box<SingleObject>>,
    /// The kind of value that a top-level BSON document represents.
    bson: TopLevel,
    /// The handling of items beyond the fields of a struct in MessagePack.
    extra_items: ExtraItems,
    /// True if records are read from MessagePack by name only: a schema lock is set, and it does
    /// not fix the positions of their fields.
    by_name_only: bool,
    /// The formats that parts of a form may use.
    #[cfg_attr(not(feature = "multipart"), expect(dead_code, reason = "no parts are read"))]
    parts: Vec<AnyFormat>,
    /// The codecs of dynamic values, if the type is known only at run time.
    dynamic: Option<Arc<DynamicCodecs>>,
    /// The user-defined formats.
    own: OwnFormats,
}

impl Codecs {
    /// Compiles the codecs of these formats for a type.
    ///
    /// # Errors
    /// Fails with [`Category::Unsupported`] for a format that is not compiled in, or that cannot
    /// represent values of the type.
    pub(crate) fn new(ty: &Type, formats: &[AnyFormat], numbers: &FieldNumbers) -> Result<Codecs> {
        let formats = &*supported_formats(ty, formats)?;
        let own = OwnFormats::new(formats, ty)?;
        let formats = &*built_in(formats);
        let shape = ty.shape();
        for format in formats {
            check(&shape, *format).map_err(|error| error.with_format(*format))?;
        }
        if ty.is_shapeless() {
            // Serde, or the content's own code, needs no plan.
            return Ok(Codecs { own, ..Codecs::default() });
        }
        let schema = numbers.schema(ty);
        if ty.is_dynamic() {
            let dynamic = DynamicCodecs::new(shape, formats, schema.as_ref())?;
            return Ok(Codecs { dynamic: Some(Arc::new(dynamic)), own, ..Codecs::default() });
        }
        Ok(Codecs { own, ..Codecs::of_shape(&shape, formats, schema.as_ref())? })
    }

    /// Compiles the codecs of built-in formats for a Rust type of this shape. `locked` has the
    /// Protocol Buffers field numbers of a published schema.
    ///
    /// # Errors
    /// Fails for a format that cannot represent values of the shape.
    fn of_shape(shape: &Shape, formats: &[Format], locked: Option<&Schema>) -> Result<Codecs> {
        if formats.contains(&Format::MsgPackArray) {
            msgpack::check_array_layout(shape)?;
        }
        let protobuf = || match locked {
            Some(schema) => protobuf::Plan::new(schema),
            None => protobuf::Plan::from_shape(shape),
        };
        Ok(Codecs {
            protobuf: formats
                .contains(&Format::Protobuf)
                .then(|| protobuf().map(Box::new))
                .transpose()?,
            avro: formats
                .contains(&Format::Avro)
                .then(|| SingleObject::new(shape).map(Box::new))
                .transpose()?,
            bson: TopLevel::of(shape),
            extra_items: ExtraItems::of(shape),
            ..Codecs::default()
        })
    }

    /// Compiles the codecs of these formats for content that another program has written: the
    /// bodies of requests, and the responses to a client.
    ///
    /// Both layouts of MessagePack have the same media type, and either is read if one of them is
    /// listed. With a schema lock, arrays of fields are read only if `listed`, the formats of the
    /// endpoint or client, have the layout by position, because only then the positions of the
    /// fields are published. Streams have fewer `formats` than are listed.
    ///
    /// # Errors
    /// Fails as [`Codecs::new`] does.
    pub(crate) fn for_reading(
        ty: &Type,
        formats: &[AnyFormat],
        listed: &[AnyFormat],
        numbers: &FieldNumbers,
    ) -> Result<Codecs> {
        let by_name_only =
            numbers.messages().is_some() && !listed.contains(&Format::MsgPackArray.into());
        Ok(Codecs { by_name_only, ..Codecs::new(ty, formats, numbers)? })
    }

    /// Returns the representation of a value in a format.
    pub(crate) fn representation(&self, format: AnyFormat) -> Representation {
        match format.built_in() {
            Some(format) => Representation::Format(format),
            None => Representation::Own(self.own.index(format)),
        }
    }

    /// Returns the representation of a stream in a framing.
    pub(crate) fn stream(&self, framing: AnyFraming) -> Representation {
        match (framing, self.representation(framing.format())) {
            (AnyFraming::BuiltIn(framing), _) => Representation::Items(framing),
            (AnyFraming::Own(_), Representation::Own(at)) => Representation::OwnItems(at),
            (AnyFraming::Own(_), other) => other,
        }
    }

    /// Returns the framing of a user-defined format, if it has one.
    pub(super) fn framing(&self, at: FormatIndex) -> Option<OwnFraming> {
        self.own.get(at).ok().and_then(OwnFraming::of)
    }

    /// Returns the codecs of a form whose parts may use these formats. The codec of a part is
    /// compiled when its type is known.
    pub(crate) fn for_parts(formats: &[AnyFormat], numbers: &FieldNumbers) -> Codecs {
        let is_locked = numbers.messages().is_some();
        let parts = multipart_formats(formats, is_locked);
        Codecs { parts, by_name_only: is_locked, ..Codecs::default() }
    }

    /// Returns whether records are read from MessagePack by name only.
    pub(super) fn is_by_name_only(&self) -> bool {
        self.by_name_only
    }

    /// Returns the codecs of dynamic values, if the type is known only at run time.
    pub(super) fn dynamic(&self) -> Option<&Arc<DynamicCodecs>> {
        self.dynamic.as_ref()
    }
}

/// Returns the formats that parts of forms may have.
///
/// Parts have no locked numbers. If the API has a schema lock, parts may not use formats that
/// depend on numbers: if a number changed, readers would mistake the field for another. MessagePack
/// is then read by name only.
pub(crate) fn multipart_formats(formats: &[AnyFormat], is_locked: bool) -> Vec<AnyFormat> {
    let is_numbered = |format: &AnyFormat| format.built_in().is_some_and(is_numbered);
    formats.iter().filter(|format| !is_locked || !is_numbered(format)).copied().collect()
}

#[inline]
fn require_plan<P>(plan: &Option<Box<P>>, format: Format) -> Result<&P> {
    plan.as_deref().ok_or_else(|| not_compiled_in(format))
}

/// Checks that a format is compiled in and can represent the shape at the top level.
fn check(shape: &Shape, format: Format) -> Result<()> {
    if !is_compiled_in(format) {
        return Err(not_compiled_in(format));
    }
    let root = shape.node(shape.root());
    let is_scalar = root.is_scalar() || *root == Node::Null;
    if format == Format::Bson && is_scalar {
        return Err(Error::new(
            Category::Unsupported,
            "BSON has no scalars at the top: return a record, or leave bson out of the formats",
        ));
    }
    Ok(())
}

impl Codecs {
    /// Encodes a value in a user-defined format.
    #[inline]
    pub(in crate::content) fn encode_own<T: Serialize>(
        &self,
        at: FormatIndex,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.own.encode(at, value, out)
    }

    /// Decodes a value in a built-in format.
    #[inline]
    pub(in crate::content) fn decode<'de, T: Deserialize<'de>>(
        &'de self,
        format: Format,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        match format {
            Format::Json => json::from_slice_with(bytes, limits),
            format => self.decode_binary(format, bytes, limits),
        }
    }

    /// Decodes a value in a user-defined format.
    #[inline]
    pub(in crate::content) fn decode_own<'de, T: Deserialize<'de>>(
        &self,
        at: FormatIndex,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.own.decode(at, bytes, limits)
    }

    /// Decodes a value in a user-defined format with a seed.
    pub(in crate::content) fn decode_own_seed<'de, S: DeserializeSeed<'de>>(
        &self,
        at: FormatIndex,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.own.decode_seed(at, seed, bytes, limits, false)
    }
}
