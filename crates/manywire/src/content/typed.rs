use bytes::Bytes;
use manywire_codec::Result;
use manywire_shape::Shaped;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Content, Decode, Decoding, Encode, Encoding, Media, Type};

impl<T: Shaped + Send + 'static> Content for T {
    type Value = T;

    fn media() -> Media {
        Media::Formats(Type::of::<T>())
    }
}

impl<T: Serialize + Shaped + Send + 'static> Encode for T {
    #[inline]
    fn encode_ref(value: &T, to: &mut Encoding<'_>) -> Result<Bytes> {
        to.value(value)
    }

    #[inline]
    fn append(value: &T, to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        to.append(value, out)
    }
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Decode for T {
    #[inline]
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<T> {
        from.value(&bytes)
    }

    #[inline]
    fn decode_slice(bytes: &[u8], from: Decoding<'_>) -> Result<T> {
        from.value(bytes)
    }
}
