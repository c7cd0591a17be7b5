use bytes::Bytes;
use manywire_codec::{Category, Error, Result};

use super::{Content, Decode, Decoding, Encode, Encoding, Media, Representation};
use crate::Charset;

/// Text, as `text/plain`. A handler sees a `String`; the charset is what the client asks for by
/// `Accept-Charset`, or says of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text;

impl Content for Text {
    type Value = String;

    fn media() -> Media {
        Media::Text
    }
}

impl Encode for Text {
    fn encode_ref(value: &String, to: &mut Encoding<'_>) -> Result<Bytes> {
        Self::encode(value.clone(), to)
    }

    fn encode(value: String, to: &mut Encoding<'_>) -> Result<Bytes> {
        if let Some(bytes) = to.charset().encode(&value) {
            return Ok(bytes.into());
        }
        // A charset that lacks one of the characters gives way to the one that has them all.
        to.representation = Representation::Text(Charset::Utf8);
        Ok(value.into())
    }
}

impl Decode for Text {
    fn decode(bytes: Bytes, _from: Decoding<'_>) -> Result<String> {
        // Other charsets are UTF-8 by the time content is decoded.
        String::from_utf8(bytes.into()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::new(Category::Syntax, "expected UTF-8").with_offset(at)
        })
    }
}

/// Bytes as they are: `application/octet-stream`, or what a response header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw;

impl Content for Raw {
    type Value = Bytes;

    fn media() -> Media {
        Media::Raw
    }
}

impl Encode for Raw {
    fn encode_ref(value: &Bytes, _to: &mut Encoding<'_>) -> Result<Bytes> {
        Ok(value.clone())
    }
}

impl Decode for Raw {
    fn decode(bytes: Bytes, _from: Decoding<'_>) -> Result<Bytes> {
        Ok(bytes)
    }
}

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
