//! The one `match` on the format, where the type is known.

#[cfg(any(feature = "msgpack", feature = "cbor", feature = "protobuf", feature = "bson"))]
use std::marker::PhantomData;

#[cfg(feature = "bson")]
use manywire_codec::bson;
#[cfg(feature = "cbor")]
use manywire_codec::cbor;
#[cfg(feature = "msgpack")]
use manywire_codec::msgpack;
use manywire_codec::{Limits, Result, json};
use manywire_format::Format;
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::{Codecs, not_compiled_in};
use crate::content::own::At;

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
    pub(in crate::content) fn decode<'de, T: Deserialize<'de>>(
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

    /// [`Codecs::encode`] in a format that is not built in.
    #[inline]
    pub(in crate::content) fn encode_own<T: Serialize>(
        &self,
        at: At,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.own.encode(at, value, out)
    }

    /// [`Codecs::decode`] in a format that is not built in.
    #[inline]
    pub(in crate::content) fn decode_own<'de, T: Deserialize<'de>>(
        &self,
        at: At,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.own.decode(at, bytes, limits)
    }

    /// [`Codecs::decode_own`] by a seed.
    pub(in crate::content) fn decode_own_seed<'de, S: DeserializeSeed<'de>>(
        &self,
        at: At,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.own.decode_seed(at, seed, bytes, limits)
    }

    /// [`Codecs::decode`] by a seed.
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
}

#[cfg(any(feature = "protobuf", feature = "avro"))]
#[inline]
fn planned<P>(plan: &Option<Box<P>>, format: Format) -> Result<&P> {
    plan.as_deref().ok_or_else(|| not_compiled_in(format))
}
