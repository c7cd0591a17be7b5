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
}

impl<T: DeserializeOwned + Shaped + Send + 'static> Decode for T {
    #[inline]
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<T> {
        from.value(&bytes)
    }
}
