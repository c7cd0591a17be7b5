//! Reading: the one `match` on the format, where the type is known.

use std::marker::PhantomData;

#[cfg(feature = "bson")]
use manywire_codec::bson;
#[cfg(feature = "cbor")]
use manywire_codec::cbor;
#[cfg(debug_assertions)]
use manywire_codec::erased;
#[cfg(feature = "msgpack")]
use manywire_codec::msgpack;
use manywire_codec::{Limits, Result, json};
use manywire_format::Format;
use serde::Deserialize;
use serde::de::DeserializeSeed;

#[cfg(any(feature = "protobuf", feature = "avro"))]
use super::planned;
use super::{Codecs, not_compiled_in};
use crate::content::own::At;

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
            // At the depth it knows, the plan need not look each message through beforehand.
            #[cfg(all(feature = "protobuf", not(debug_assertions)))]
            Format::Protobuf if limits == Limits::DEFAULT => {
                planned(&self.protobuf, format)?.decode(bytes)
            }
            format => self.decode_binary(format, PhantomData::<T>, bytes, limits),
        }
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
            format => self.decode_binary(format, seed, bytes, limits),
        }
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

    /// Any format but JSON. With debug assertions, a type is compiled once for all of them: who
    /// writes a service of a hundred types waits for the compiler, not for the decoder. What is
    /// read is the same (see [`erased`]).
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
            self.decode_straight(format, seed, bytes, limits)
        }
    }

    /// Known to no type, so that it is compiled here and nowhere else.
    #[cfg(debug_assertions)]
    #[inline(never)]
    fn decode_erased<'de>(
        &'de self,
        format: Format,
        seed: erased::Seed<'_, 'de>,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<()> {
        self.decode_straight(format, seed, bytes, limits)
    }

    #[inline]
    #[allow(unused_variables, reason = "JSON may be the only format")]
    fn decode_straight<'de, S: DeserializeSeed<'de>>(
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
            Format::Protobuf => planned(&self.protobuf, format)?.decode_seed(seed, bytes, limits),
            #[cfg(feature = "avro")]
            Format::Avro => planned(&self.avro, format)?.decode_seed(seed, bytes, limits),
            #[cfg(feature = "bson")]
            Format::Bson => bson::from_slice_seed(seed, bytes, bson::Top::Document, limits),
            format => Err(not_compiled_in(format)),
        }
    }
}
