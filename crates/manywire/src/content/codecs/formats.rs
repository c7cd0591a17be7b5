//! The formats that are compiled in, and the functions that select the codec of a format: one for
//! encoding and one for decoding.
//!
//! Each format beside JSON has a feature. Without the feature, a stand-in replaces the codec: it
//! has the same signatures and always fails, so that callers need no `cfg` and no code is compiled
//! for a type.

use manywire_codec::{Category, Error, Limits, Result, json};
use manywire_format::Format;
use serde::Serialize;
use serde::de::DeserializeSeed;

use super::{Codecs, require_plan};

/// Selects the codec or its stand-in for each row: the codec's module, its feature, its formats.
macro_rules! formats {
    ($($module:ident $feature:literal: $($format:ident)|+),+ $(,)?) => {
        $(
            #[cfg(not(feature = $feature))]
            pub(super) use disabled::$module;
            #[cfg(feature = $feature)]
            pub(super) use manywire_codec::$module;
        )+

        /// Returns whether a format is compiled in.
        pub(super) fn is_compiled_in(format: Format) -> bool {
            match format {
                Format::Json => true,
                $($(Format::$format)|+ => cfg!(feature = $feature),)+
            }
        }

        /// Returns the feature of a format.
        fn feature(format: Format) -> &'static str {
            match format {
                Format::Json => "default",
                $($(Format::$format)|+ => $feature,)+
            }
        }
    };
}

formats! {
    msgpack "msgpack": MsgPack | MsgPackArray,
    cbor "cbor": Cbor,
    protobuf "protobuf": Protobuf,
    avro "avro": Avro,
    bson "bson": Bson,
}

impl Codecs {
    /// Encodes a value in a built-in format.
    #[inline]
    pub(crate) fn encode<T: Serialize>(
        &self,
        format: Format,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match format {
            Format::Json => json::encode(value, out),
            Format::MsgPack => msgpack::encode(value, msgpack::Layout::Map, out),
            Format::MsgPackArray => msgpack::encode(value, msgpack::Layout::Array, out),
            Format::Cbor => cbor::encode(value, out),
            Format::Protobuf => require_plan(&self.protobuf, format)?.encode(value, out),
            Format::Avro => require_plan(&self.avro, format)?.encode(value, out),
            Format::Bson => bson::encode(value, self.bson, out),
        }
    }

    /// Decodes any format but JSON with the format's codec.
    #[inline]
    pub(super) fn decode_format<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        match format {
            // The callers decode JSON themselves, by the same code with and without the feature
            // `fast-compile`.
            Format::Json => Err(not_compiled_in(format)),
            Format::MsgPack if self.by_name_only => {
                msgpack::from_slice_by_name(seed, bytes, limits)
            }
            Format::MsgPack | Format::MsgPackArray => {
                msgpack::from_slice_seed(seed, bytes, self.extra_items, limits)
            }
            Format::Cbor => cbor::from_slice_seed(seed, bytes, limits),
            Format::Protobuf => {
                require_plan(&self.protobuf, format)?.decode_seed(seed, bytes, limits)
            }
            Format::Avro => require_plan(&self.avro, format)?.decode_seed(seed, bytes, limits),
            Format::Bson => bson::from_slice_seed(seed, bytes, self.bson, limits),
        }
    }
}

/// Returns the error for a format whose feature is off.
#[cold]
#[inline(never)]
pub(super) fn not_compiled_in(format: Format) -> Error {
    let (title, feature) = (format.row().title, feature(format));
    let message =
        format_args!("{title} was not compiled in: enable the feature {feature} of manywire");
    Error::new(Category::Unsupported, message).with_format(format)
}

/// The stand-ins for the codecs of formats whose features are off.
#[allow(dead_code, reason = "each stand-in replaces one format, whose feature may be on")]
mod disabled {
    use manywire_codec::{Limits, Result};
    use manywire_format::Format;
    use manywire_shape::Shape;
    use serde::de::DeserializeSeed;

    use super::not_compiled_in;

    /// Declares the two functions of a codec without a plan. Their parameters between value and
    /// output, or between bytes and limits, are listed.
    macro_rules! functions {
        ($format:ident, encode($($option:ty),*), from_slice_seed($($setting:ty),*)) => {
            use super::*;

            pub(in crate::content::codecs) fn encode<T>(
                _: &T,
                $(_: $option,)*
                _: &mut Vec<u8>,
            ) -> Result<()> {
                Err(not_compiled_in(Format::$format))
            }

            pub(in crate::content::codecs) fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
                _: S,
                _: &'de [u8],
                $(_: $setting,)*
                _: Limits,
            ) -> Result<S::Value> {
                Err(not_compiled_in(Format::$format))
            }
        };
    }

    /// Declares a plan that cannot exist.
    macro_rules! plan {
        ($format:ident, $schema:path) => {
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
        };
    }

    pub(in crate::content::codecs) mod msgpack {
        use manywire_codec::msgpack::ExtraItems;
        pub(in crate::content::codecs) use manywire_codec::msgpack::Layout;

        functions!(MsgPack, encode(Layout), from_slice_seed(ExtraItems));

        pub(in crate::content::codecs) fn from_slice_by_name<'de, S: DeserializeSeed<'de>>(
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
        functions!(Cbor, encode(), from_slice_seed());
    }

    pub(in crate::content::codecs) mod bson {
        use manywire_codec::bson::TopLevel;

        functions!(Bson, encode(TopLevel), from_slice_seed(TopLevel));
    }

    pub(in crate::content::codecs) mod protobuf {
        plan!(Protobuf, manywire_shape::proto::Schema);
    }

    pub(in crate::content::codecs) mod avro {
        plan!(Avro, manywire_shape::avro::Schema);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_of_messagepack_name_the_same_feature() {
        for format in [Format::MsgPack, Format::MsgPackArray] {
            let text = not_compiled_in(format).to_string();
            assert!(text.contains("enable the feature msgpack of manywire"), "{text}");
        }
    }
}
