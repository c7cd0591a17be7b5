use bytes::Bytes;
use manywire_codec::Result;

use super::{Content, Decode, Decoding, Encode, Encoding, Media};

/// Nothing: what an endpoint returns that says no more than its status, 204 by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoContent;

impl Content for NoContent {
    type Value = ();

    fn media() -> Media {
        Media::Nothing
    }
}

impl Encode for NoContent {
    fn encode_ref((): &(), _to: &mut Encoding<'_>) -> Result<Bytes> {
        Ok(Bytes::new())
    }
}

impl Decode for NoContent {
    fn decode(_bytes: Bytes, _from: Decoding<'_>) -> Result<()> {
        Ok(())
    }
}
