//! The formats beside JSON: the codec of each or, without its feature, a stand-in that fails.

mod disabled;

use manywire_codec::{Category, Error};
use manywire_format::Format;

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

/// Returns the error for a format whose feature is off.
#[cold]
#[inline(never)]
pub(super) fn not_compiled_in(format: Format) -> Error {
    let (title, feature) = (format.row().title, feature(format));
    let message =
        format_args!("{title} was not compiled in: enable the feature {feature} of manywire");
    Error::new(Category::Unsupported, message).with_format(format)
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
