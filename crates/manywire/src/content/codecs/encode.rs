//! Writing: the one `match` on the format, where the type is known.

#[cfg(feature = "bson")]
use manywire_codec::bson;
#[cfg(feature = "cbor")]
use manywire_codec::cbor;
#[cfg(feature = "msgpack")]
use manywire_codec::msgpack;
use manywire_codec::{Result, json};
use manywire_format::Format;
use serde::Serialize;

#[cfg(any(feature = "protobuf", feature = "avro"))]
use super::planned;
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
}
