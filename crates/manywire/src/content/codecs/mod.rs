//! The codecs of a type: the one `match` on the format, for encoding and for decoding.

mod dynamic;
#[cfg(feature = "avro")]
mod single_object;

use std::marker::PhantomData;
use std::sync::Arc;

#[cfg(feature = "bson")]
use manywire_codec::bson;
#[cfg(feature = "cbor")]
use manywire_codec::cbor;
#[cfg(debug_assertions)]
use manywire_codec::erased;
#[cfg(feature = "msgpack")]
use manywire_codec::msgpack;
#[cfg(feature = "protobuf")]
use manywire_codec::protobuf;
use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_format::Format;
use manywire_shape::{Node, Shape};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::own::{AnyFormat, FormatIndex, OwnFormats, OwnFraming, built_in};
use super::{AnyFraming, Representation, Type};
use crate::field_numbers::FieldNumbers;
#[cfg(feature = "multipart")]
use crate::field_numbers::multipart_formats;
#[cfg(feature = "multipart")]
pub(super) use dynamic::shape_mismatch;
pub(super) use dynamic::{DynamicCodecs, missing_shape};
#[cfg(feature = "avro")]
use single_object::SingleObject;

/// The data that each format needs for one type, compiled once at start.
///
/// The format is matched where the type is known, so that each pair of type and format is compiled
/// separately. Passing values through trait objects costs up to eight times as much.
#[derive(Debug)]
pub(crate) struct Codecs {
    #[cfg(feature = "protobuf")]
    protobuf: Option<Box<protobuf::Plan>>,
    #[cfg(feature = "avro")]
    avro: Option<Box<SingleObject>>,
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
        let formats = &*ty.supported_among(formats)?;
        let own = OwnFormats::new(formats, ty)?;
        let formats = &*built_in(formats);
        let shape = ty.shape();
        for format in formats {
            check(&shape, *format).map_err(|error| error.with_format(*format))?;
        }
        if ty.is_shapeless() {
            // Serde, or the content's own code, needs no plan.
            return Ok(Codecs {
                #[cfg(feature = "protobuf")]
                protobuf: None,
                #[cfg(feature = "avro")]
                avro: None,
                parts: Vec::new(),
                dynamic: None,
                own,
            });
        }
        let schema = numbers.schema(ty);
        if ty.is_dynamic() {
            let dynamic = DynamicCodecs::new(shape, formats, schema.as_ref())?;
            return Ok(Codecs {
                #[cfg(feature = "protobuf")]
                protobuf: None,
                #[cfg(feature = "avro")]
                avro: None,
                parts: Vec::new(),
                dynamic: Some(Arc::new(dynamic)),
                own,
            });
        }
        #[cfg(feature = "protobuf")]
        let protobuf = || match &schema {
            Some(schema) => protobuf::Plan::new(schema),
            None => protobuf::Plan::from_shape(&shape),
        };
        Ok(Codecs {
            #[cfg(feature = "protobuf")]
            protobuf: formats
                .contains(&Format::Protobuf)
                .then(|| protobuf().map(Box::new))
                .transpose()?,
            #[cfg(feature = "avro")]
            avro: formats
                .contains(&Format::Avro)
                .then(|| SingleObject::new(&shape).map(Box::new))
                .transpose()?,
            parts: Vec::new(),
            dynamic: None,
            own,
        })
    }

    /// Returns the representation of a value in a format.
    pub(crate) fn representation(&self, format: AnyFormat) -> Representation {
        self.own.representation(format)
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
        self.own.framing(at)
    }

    /// Returns the codecs of a form whose parts may use these formats. The codec of a part is
    /// compiled when its type is known.
    #[cfg(feature = "multipart")]
    pub(crate) fn for_parts(formats: &[AnyFormat], numbers: &FieldNumbers) -> Codecs {
        Codecs {
            #[cfg(feature = "protobuf")]
            protobuf: None,
            #[cfg(feature = "avro")]
            avro: None,
            parts: multipart_formats(formats, numbers.messages().is_some()),
            dynamic: None,
            own: OwnFormats::default(),
        }
    }

    /// Compiles the codec of one part.
    ///
    /// # Errors
    /// Fails as [`Codecs::new`] does.
    #[cfg(feature = "multipart")]
    pub(super) fn for_part(shape: &Shape, format: AnyFormat) -> Result<Codecs> {
        let built_in = format.built_in();
        if let Some(format) = built_in {
            check(shape, format).map_err(|error| error.with_format(format))?;
        }
        Ok(Codecs {
            #[cfg(feature = "protobuf")]
            protobuf: (built_in == Some(Format::Protobuf))
                .then(|| protobuf::Plan::from_shape(shape).map(Box::new))
                .transpose()?,
            #[cfg(feature = "avro")]
            avro: (built_in == Some(Format::Avro))
                .then(|| SingleObject::new(shape).map(Box::new))
                .transpose()?,
            parts: Vec::new(),
            dynamic: None,
            own: OwnFormats::new(&[format], &Type::from(shape.clone()))?,
        })
    }

    /// Decodes the value of a part.
    #[cfg(feature = "multipart")]
    pub(super) fn decode_part<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: AnyFormat,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match self.representation(format) {
            Representation::Own(at) => self.own.decode_seed_with_path(at, seed, bytes, limits),
            Representation::Format(format) => self.decode_seed(format, seed, bytes, limits),
            _ => Err(Error::new(Category::Unsupported, "no format was agreed on")),
        }
    }

    /// The formats that parts of a form may use.
    #[cfg(feature = "multipart")]
    pub(super) fn parts(&self) -> &[AnyFormat] {
        &self.parts
    }

    /// Returns the codecs of dynamic values.
    pub(super) fn dynamic(&self) -> Option<&Arc<DynamicCodecs>> {
        self.dynamic.as_ref()
    }
}

#[cfg(any(feature = "protobuf", feature = "avro"))]
#[inline]
fn require_plan<P>(plan: &Option<Box<P>>, format: Format) -> Result<&P> {
    plan.as_deref().ok_or_else(|| not_compiled_in(format))
}

#[cold]
#[inline(never)]
fn not_compiled_in(format: Format) -> Error {
    let message = format_args!(
        "{} was not compiled in: enable the feature {format} of manywire",
        format.row().title
    );
    Error::new(Category::Unsupported, message).with_format(format)
}

/// Checks that a format is compiled in and can represent the shape at the top level.
fn check(shape: &Shape, format: Format) -> Result<()> {
    let compiled_in = match format {
        Format::Json => true,
        Format::MsgPack | Format::MsgPackArray => cfg!(feature = "msgpack"),
        Format::Cbor => cfg!(feature = "cbor"),
        Format::Protobuf => cfg!(feature = "protobuf"),
        Format::Avro => cfg!(feature = "avro"),
        Format::Bson => cfg!(feature = "bson"),
    };
    if !compiled_in {
        return Err(not_compiled_in(format));
    }
    let is_scalar = matches!(
        shape.node(shape.root()),
        Node::Null
            | Node::Bool
            | Node::Int(_)
            | Node::F32
            | Node::F64
            | Node::Char
            | Node::Str
            | Node::Bytes
            | Node::Timestamp
    );
    if format == Format::Bson && is_scalar {
        return Err(Error::new(
            Category::Unsupported,
            "BSON has no scalars at the top: return a record, or leave bson out of the formats",
        ));
    }
    Ok(())
}

impl Codecs {
    #[inline]
    pub(crate) fn encode<T: Serialize>(
        &self,
        format: Format,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match format {
            Format::Json => json::encode(value, out),
            #[cfg(feature = "msgpack")]
            Format::MsgPack => msgpack::encode(value, msgpack::Layout::Map, out),
            #[cfg(feature = "msgpack")]
            Format::MsgPackArray => msgpack::encode(value, msgpack::Layout::Array, out),
            #[cfg(feature = "cbor")]
            Format::Cbor => cbor::encode(value, out),
            #[cfg(feature = "protobuf")]
            Format::Protobuf => require_plan(&self.protobuf, format)?.encode(value, out),
            #[cfg(feature = "avro")]
            Format::Avro => require_plan(&self.avro, format)?.encode(value, out),
            #[cfg(feature = "bson")]
            Format::Bson => bson::encode(value, out),
            #[allow(unreachable_patterns, reason = "reached when a format is not compiled in")]
            format => Err(not_compiled_in(format)),
        }
    }

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
}

impl Codecs {
    #[inline]
    pub(in crate::content) fn decode<'de, T: Deserialize<'de>>(
        &'de self,
        format: Format,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        match format {
            Format::Json => json::from_slice_with(bytes, limits),
            // With default limits, the plan does not need to scan each message for its depth first.
            #[cfg(all(feature = "protobuf", not(debug_assertions)))]
            Format::Protobuf if limits == Limits::DEFAULT => {
                require_plan(&self.protobuf, format)?.decode(bytes)
            }
            format => self.decode_binary(format, PhantomData::<T>, bytes, limits),
        }
    }

    /// Decodes a value with a seed.
    #[cfg(feature = "multipart")]
    pub(in crate::content) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match format {
            Format::Json => json::from_slice_seed(seed, bytes, limits),
            format => self.decode_binary(format, seed, bytes, limits),
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
        self.own.decode_seed(at, seed, bytes, limits)
    }

    /// Decodes any format but JSON. With debug assertions, one decoder is compiled for all types,
    /// because the compile time of a service with a hundred types matters more than its speed then.
    /// The result is the same (see [`erased`]).
    #[inline]
    fn decode_binary<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        #[cfg(debug_assertions)]
        {
            erased::read(seed, |seed| self.decode_erased(format, seed, bytes, limits))
        }
        #[cfg(not(debug_assertions))]
        {
            self.decode_direct(format, seed, bytes, limits)
        }
    }

    /// Decodes through the type-erased seed, so that this code is compiled once.
    #[cfg(debug_assertions)]
    #[inline(never)]
    fn decode_erased<'de>(
        &'de self,
        format: Format,
        seed: erased::Seed<'_, 'de>,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<()> {
        self.decode_direct(format, seed, bytes, limits)
    }

    #[inline]
    #[allow(unused_variables, reason = "JSON may be the only format")]
    fn decode_direct<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match format {
            #[cfg(feature = "msgpack")]
            Format::MsgPack | Format::MsgPackArray => msgpack::from_slice_seed(seed, bytes, limits),
            #[cfg(feature = "cbor")]
            Format::Cbor => cbor::from_slice_seed(seed, bytes, limits),
            #[cfg(feature = "protobuf")]
            Format::Protobuf => {
                require_plan(&self.protobuf, format)?.decode_seed(seed, bytes, limits)
            }
            #[cfg(feature = "avro")]
            Format::Avro => require_plan(&self.avro, format)?.decode_seed(seed, bytes, limits),
            #[cfg(feature = "bson")]
            Format::Bson => bson::from_slice_seed(seed, bytes, bson::TopLevel::Document, limits),
            format => Err(not_compiled_in(format)),
        }
    }
}
