//! Content without a format: text, bytes, and nothing.

use bytes::Bytes;
use manywire_codec::{Category, Error, Result};

use super::{Content, Decode, Decoding, Encode, Encoding, Media, Representation};
use crate::charset::Charset;

/// Text, as `text/plain`. A handler receives and returns a `String`. The charset of a response is
/// negotiated by `Accept-Charset`; the charset of a body is a parameter of its media type.
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
        // UTF-8 replaces a charset that lacks one of the characters.
        to.representation = Representation::Text(Charset::Utf8);
        Ok(value.into())
    }
}

impl Decode for Text {
    fn decode(bytes: Bytes, _from: Decoding<'_>) -> Result<String> {
        // Content in other charsets is converted to UTF-8 before it is decoded.
        String::from_utf8(bytes.into()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::new(Category::Syntax, "expected UTF-8").with_offset(at)
        })
    }
}

/// Bytes, unchanged: `application/octet-stream`, or the `Content-Type` of the response.
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

/// No content: a response with a status only, 204 by default.
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
