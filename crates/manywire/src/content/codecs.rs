#[cfg(any(feature = "msgpack", feature = "cbor", feature = "protobuf", feature = "bson"))]
use std::marker::PhantomData;

use std::sync::Arc;

use bytes::Bytes;
#[cfg(feature = "bson")]
use manywire_codec::bson;
#[cfg(feature = "cbor")]
use manywire_codec::cbor;
#[cfg(feature = "msgpack")]
use manywire_codec::msgpack;
#[cfg(feature = "protobuf")]
use manywire_codec::protobuf;
use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_format::Format;
use manywire_shape::{Arena, Node, Shape};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Type;
use super::dynamic::{Dynamic, DynamicCodecs};
#[cfg(feature = "avro")]
use super::single_object::SingleObject;
use crate::Charset;
#[cfg(feature = "multipart")]
use crate::numbers::NUMBERED;
use crate::numbers::Numbers;

/// What the formats need to know of one type, compiled once at start.
///
/// The format is matched on where a type is known, so that each pair of type and format is code of
/// its own: handing a value through a table of trait objects costs up to eight times as much.
#[derive(Debug)]
pub(crate) struct Codecs {
    #[cfg(feature = "protobuf")]
    protobuf: Option<Box<protobuf::Plan>>,
    #[cfg(feature = "avro")]
    avro: Option<Box<SingleObject>>,
    /// The formats that parts of a form may be in.
    #[cfg_attr(not(feature = "multipart"), expect(dead_code, reason = "no parts are read"))]
    parts: Vec<Format>,
    /// Where a shape and no Rust type says what is carried.
    dynamic: Option<Arc<DynamicCodecs>>,
}

impl Codecs {
    /// Compiles what these formats need for values of this type, which may be known only at run
    /// time.
    ///
    /// # Errors
    /// [`Category::Unsupported`] for a format that was not compiled in, or that has no place for
    /// any such value.
    pub(crate) fn of(ty: &Type, formats: &[Format], numbers: &Numbers) -> Result<Codecs> {
        let shape = ty.shape();
        for format in formats {
            check(&shape, *format).map_err(|error| error.with_format(*format))?;
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
        })
    }

    /// What a form needs whose parts may be in these formats: nothing yet, since what a part is
    /// compiled for is known when it comes.
    ///
    /// Parts have no numbers that were promised. Where an API keeps to some, they are not read in
    /// formats that go by them: a number that moved would be mistaken for another.
    #[cfg(feature = "multipart")]
    pub(crate) fn of_parts(formats: &[Format], numbers: &Numbers) -> Codecs {
        let is_safe = |format: &&Format| numbers.messages().is_none() || !NUMBERED.contains(format);
        Codecs {
            #[cfg(feature = "protobuf")]
            protobuf: None,
            #[cfg(feature = "avro")]
            avro: None,
            parts: formats.iter().filter(is_safe).copied().collect(),
            dynamic: None,
        }
    }

    /// What the format of one part needs, whose shape is this.
    ///
    /// # Errors
    /// As [`Codecs::of`].
    #[cfg(feature = "multipart")]
    pub(super) fn of_part(shape: &Shape, format: Format) -> Result<Codecs> {
        check(shape, format).map_err(|error| error.with_format(format))?;
        Ok(Codecs {
            #[cfg(feature = "protobuf")]
            protobuf: (format == Format::Protobuf)
                .then(|| protobuf::Plan::from_shape(shape).map(Box::new))
                .transpose()?,
            #[cfg(feature = "avro")]
            avro: (format == Format::Avro)
                .then(|| SingleObject::new(shape).map(Box::new))
                .transpose()?,
            parts: Vec::new(),
            dynamic: None,
        })
    }

    /// The formats that parts of a form may be in.
    #[cfg(feature = "multipart")]
    pub(super) fn parts(&self) -> &[Format] {
        &self.parts
    }

    /// [`Codecs::decode`] by a seed.
    #[cfg(feature = "multipart")]
    pub(super) fn decode_seed<'de, S: serde::de::DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match format {
            Format::Json => json::from_slice_seed(seed, bytes, limits),
            #[cfg(feature = "msgpack")]
            Format::MsgPack | Format::MsgPackArray => msgpack::from_slice_seed(seed, bytes, limits),
            #[cfg(feature = "cbor")]
            Format::Cbor => cbor::from_slice_seed(seed, bytes, limits),
            #[cfg(feature = "protobuf")]
            Format::Protobuf => planned(&self.protobuf, format)?.decode_seed(seed, bytes, limits),
            #[cfg(feature = "avro")]
            Format::Avro => planned(&self.avro, format)?.decode_seed(seed, bytes, limits),
            #[cfg(feature = "bson")]
            Format::Bson => bson::from_slice_seed(seed, bytes, bson::Top::Document, limits),
            #[allow(unreachable_patterns, reason = "reached when a format is not compiled in")]
            format => Err(not_compiled_in(format)),
        }
    }

    /// The codecs of dynamic values.
    pub(super) fn dynamic(&self) -> Option<&Arc<DynamicCodecs>> {
        self.dynamic.as_ref()
    }

    /// [`Codecs::encode`] of a value whose type is known only at run time.
    pub(super) fn encode_dynamic(
        &self,
        format: Format,
        value: &Dynamic,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match &self.dynamic {
            Some(codecs) => codecs.encode(format, &value.value(&Arena::new())?, out),
            None => Err(not_compiled_in(format)),
        }
    }

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
            Format::Protobuf => planned(&self.protobuf, format)?.encode(value, out),
            #[cfg(feature = "avro")]
            Format::Avro => planned(&self.avro, format)?.encode(value, out),
            #[cfg(feature = "bson")]
            Format::Bson => bson::encode(value, out),
            #[allow(unreachable_patterns, reason = "reached when a format is not compiled in")]
            format => Err(not_compiled_in(format)),
        }
    }

    #[inline]
    pub(super) fn decode<'de, T: Deserialize<'de>>(
        &'de self,
        format: Format,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        match format {
            Format::Json => json::from_slice_with(bytes, limits),
            #[cfg(feature = "msgpack")]
            Format::MsgPack | Format::MsgPackArray => {
                msgpack::from_slice_seed(PhantomData::<T>, bytes, limits)
            }
            #[cfg(feature = "cbor")]
            Format::Cbor => cbor::from_slice_seed(PhantomData::<T>, bytes, limits),
            // At the depth it knows, the plan need not look each message through beforehand.
            #[cfg(feature = "protobuf")]
            Format::Protobuf if limits == Limits::DEFAULT => {
                planned(&self.protobuf, format)?.decode(bytes)
            }
            #[cfg(feature = "protobuf")]
            Format::Protobuf => {
                planned(&self.protobuf, format)?.decode_seed(PhantomData::<T>, bytes, limits)
            }
            #[cfg(feature = "avro")]
            Format::Avro => planned(&self.avro, format)?.decode(bytes, limits),
            #[cfg(feature = "bson")]
            Format::Bson => {
                bson::from_slice_seed(PhantomData::<T>, bytes, bson::Top::Document, limits)
            }
            #[allow(unreachable_patterns, reason = "reached when a format is not compiled in")]
            format => Err(not_compiled_in(format)),
        }
    }
}

#[cfg(any(feature = "protobuf", feature = "avro"))]
#[inline]
fn planned<P>(plan: &Option<Box<P>>, format: Format) -> Result<&P> {
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

/// Whether a format is there, and can hold anything of a shape at the top.
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

/// How a value is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Encoding<'e> {
    pub(crate) representation: super::Representation,
    pub(crate) codecs: Option<&'e Arc<Codecs>>,
    pub(crate) capacity_bytes: usize,
}

impl Encoding<'_> {
    /// Writes a value in the format that was agreed on.
    ///
    /// # Errors
    /// When the format has no place for the value.
    #[inline]
    pub fn value<T: Serialize>(&self, value: &T) -> Result<Bytes> {
        let mut out = Vec::with_capacity(self.capacity_bytes);
        match (self.representation, self.codecs) {
            (super::Representation::Format(format), Some(codecs)) => {
                codecs.encode(format, value, &mut out)?;
            }
            _ => json::encode(value, &mut out)?,
        }
        Ok(out.into())
    }

    /// The charset of text.
    pub fn charset(&self) -> Charset {
        match self.representation {
            super::Representation::Text(charset) => charset,
            _ => Charset::Utf8,
        }
    }
}

/// How a value was written.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'d> {
    pub(crate) representation: super::Representation,
    pub(crate) codecs: Option<&'d Arc<Codecs>>,
    pub(crate) limits: Limits,
}

impl Decoding<'_> {
    /// Bytes of which nothing is known.
    pub(crate) const RAW: Decoding<'static> = Decoding {
        representation: super::Representation::Raw,
        codecs: None,
        limits: Limits::DEFAULT,
    };

    /// Reads a value out of the format it came in.
    ///
    /// # Errors
    /// When the bytes are not of the format, or the value not of the type.
    #[inline]
    pub fn value<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T> {
        self.lent(self.codecs.map(|codecs| &**codecs), bytes)
    }

    /// The same of a value that borrows from the bytes, and from the codecs it is read by: names
    /// of fields are theirs.
    #[inline]
    pub(super) fn lent<'de, T: Deserialize<'de>>(
        &self,
        codecs: Option<&'de Codecs>,
        bytes: &'de [u8],
    ) -> Result<T> {
        match (self.representation, codecs) {
            (super::Representation::Format(format), Some(codecs)) => {
                codecs.decode(format, bytes, self.limits)
            }
            _ => json::from_slice_with(bytes, self.limits),
        }
    }
}
