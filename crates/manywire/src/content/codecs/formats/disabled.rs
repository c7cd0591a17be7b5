//! Stand-ins for the codecs of formats whose features are off, with the signatures of
//! `manywire_codec`, so that callers need no `cfg`. They compile nothing for a type.

#![allow(dead_code, reason = "each stand-in replaces one format, whose feature may be on")]

use manywire_codec::{Limits, Result};
use manywire_format::Format;
use manywire_shape::Shape;
use serde::de::DeserializeSeed;

use super::not_compiled_in;

pub(in crate::content::codecs) mod msgpack {
    use super::*;
    pub(in crate::content::codecs) use manywire_codec::msgpack::Layout;

    pub(in crate::content::codecs) fn encode<T>(_: &T, _: Layout, _: &mut Vec<u8>) -> Result<()> {
        Err(not_compiled_in(Format::MsgPack))
    }

    pub(in crate::content::codecs) fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
        _: S,
        _: &'de [u8],
        _: Limits,
    ) -> Result<S::Value> {
        Err(not_compiled_in(Format::MsgPack))
    }

    pub(in crate::content::codecs) fn check_array_layout(_: &Shape) -> Result<()> {
        Err(not_compiled_in(Format::MsgPackArray))
    }
}

pub(in crate::content::codecs) mod cbor {
    use super::*;

    pub(in crate::content::codecs) fn encode<T>(_: &T, _: &mut Vec<u8>) -> Result<()> {
        Err(not_compiled_in(Format::Cbor))
    }

    pub(in crate::content::codecs) fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
        _: S,
        _: &'de [u8],
        _: Limits,
    ) -> Result<S::Value> {
        Err(not_compiled_in(Format::Cbor))
    }
}

pub(in crate::content::codecs) mod bson {
    use super::*;
    pub(in crate::content::codecs) use manywire_codec::bson::TopLevel;

    pub(in crate::content::codecs) fn encode<T>(_: &T, _: &mut Vec<u8>) -> Result<()> {
        Err(not_compiled_in(Format::Bson))
    }

    pub(in crate::content::codecs) fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
        _: S,
        _: &'de [u8],
        _: TopLevel,
        _: Limits,
    ) -> Result<S::Value> {
        Err(not_compiled_in(Format::Bson))
    }
}

/// Declares a plan that cannot exist.
macro_rules! plan {
    ($module:ident, $format:ident, $schema:path) => {
        pub(in crate::content::codecs) mod $module {
            use std::convert::Infallible;

            use serde::Deserialize;
            use $schema as Schema;

            use super::*;

            #[derive(Debug)]
            pub(in crate::content::codecs) struct Plan(Infallible);

            impl Plan {
                pub(in crate::content::codecs) fn new(_: &Schema) -> Result<Plan> {
                    Err(not_compiled_in(Format::$format))
                }

                pub(in crate::content::codecs) fn from_shape(_: &Shape) -> Result<Plan> {
                    Err(not_compiled_in(Format::$format))
                }

                pub(in crate::content::codecs) fn encode<T>(
                    &self,
                    _: &T,
                    _: &mut Vec<u8>,
                ) -> Result<()> {
                    match self.0 {}
                }

                pub(in crate::content::codecs) fn decode<'de, T: Deserialize<'de>>(
                    &'de self,
                    _: &'de [u8],
                ) -> Result<T> {
                    match self.0 {}
                }

                pub(in crate::content::codecs) fn decode_seed<'de, S: DeserializeSeed<'de>>(
                    &'de self,
                    _: S,
                    _: &'de [u8],
                    _: Limits,
                ) -> Result<S::Value> {
                    match self.0 {}
                }
            }
        }
    };
}

plan!(protobuf, Protobuf, manywire_shape::proto::Schema);
plan!(avro, Avro, manywire_shape::avro::Schema);
