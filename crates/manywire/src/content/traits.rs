use bytes::Bytes;
use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_shape::Shaped;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Decoding, Encoding, IncomingContent, Media, Type};
use crate::problem::Fault;
use crate::server::Body;

/// Something that a request or a response can carry.
///
/// Types that derive `Shaped` are content in every format; [`Form`], [`Text`], [`Raw`] and
/// [`NoContent`] are the rest.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried by a request or a response",
    label = "not content",
    note = "derive it: #[derive(Serialize, Deserialize, Shaped)]",
    note = "for text use `Text`, for bytes `Raw`"
)]
pub trait Content: 'static {
    /// What a handler is given or gives back.
    type Value: Send + 'static;

    /// What it is on the wire.
    fn media() -> Media;
}

/// Content that can be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written into a message",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Encode: Content {
    /// Writes a value as was agreed on.
    ///
    /// # Errors
    /// When the format has no place for the value.
    fn encode_ref(value: &Self::Value, to: &mut Encoding<'_>) -> Result<Bytes>;

    /// The same, of a value that is not needed any more.
    ///
    /// # Errors
    /// As [`Encode::encode_ref`].
    #[inline]
    fn encode(value: Self::Value, to: &mut Encoding<'_>) -> Result<Bytes> {
        Self::encode_ref(&value, to)
    }

    /// The same, appended to what is there: one value of a stream.
    ///
    /// # Errors
    /// As [`Encode::encode_ref`].
    fn append(value: &Self::Value, mut to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&Self::encode_ref(value, &mut to)?);
        Ok(())
    }
}

/// Content that can be read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a message",
    label = "not content that can be read",
    note = "derive it: #[derive(Deserialize, Shaped)]",
    note = "a type that borrows from the body (`&str`, `&[u8]`) is taken as `ZeroCopy<…>`, which owns it"
)]
pub trait Decode: Content {
    /// Reads a value that came as `from` says.
    ///
    /// # Errors
    /// When the bytes are not of the format, or their value not of the type.
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<Self::Value>;

    /// The same of bytes that others stand around: one value of a stream.
    ///
    /// # Errors
    /// As [`Decode::decode`].
    fn decode_slice(bytes: &[u8], from: Decoding<'_>) -> Result<Self::Value> {
        Self::decode(Bytes::copy_from_slice(bytes), from)
    }

    /// All that is wrong with a body that could not be decoded: the error, unless more is known.
    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        vec![Fault::of_body(error, bytes)]
    }
}

/// Content that can be sent: all that can be written whole, and streams, which are written as they
/// are read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be answered with",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Answer: Content {
    /// Writes a value as was agreed on.
    ///
    /// # Errors
    /// When the format has no place for the value.
    fn answer(value: Self::Value, to: &mut Encoding<'_>) -> Result<Body>;

    /// What this value says it is, where that is more than its format.
    #[inline]
    fn content_type(_value: &Self::Value) -> Option<HeaderValue> {
        None
    }

    /// [`Answer::answer`] of a value that may have to be sent again; nothing if it was one that cannot be.
    ///
    /// # Errors
    /// As [`Answer::answer`].
    fn answer_again(
        value: &mut Option<Self::Value>,
        to: &mut Encoding<'_>,
    ) -> Result<Option<Body>> {
        value.take().map(|value| Self::answer(value, to)).transpose()
    }
}

impl<C: Encode> Answer for C {
    #[inline]
    fn answer(value: C::Value, to: &mut Encoding<'_>) -> Result<Body> {
        C::encode(value, to).map(Body::new)
    }

    fn answer_again(value: &mut Option<C::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        value.as_ref().map(|value| C::encode_ref(value, to).map(Body::new)).transpose()
    }
}

/// Content that can be taken in: all that can be read whole, and streams, which are read as they
/// come.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a message",
    label = "not content that can be read",
    note = "derive it: #[derive(Deserialize, Shaped)]",
    note = "a type that borrows from the body (`&str`, `&[u8]`) is taken as `ZeroCopy<…>`, which owns it"
)]
pub trait Receive: Content {
    /// Takes a message's content, which came as `from` says.
    ///
    /// # Errors
    /// When the bytes are not of the format, or their value not of the type.
    fn receive(content: IncomingContent, from: Decoding<'_>) -> Result<Self::Value>;

    /// All that is wrong with content that could not be read: the error, unless more is known.
    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        vec![Fault::of_body(error, bytes)]
    }
}

impl<C: Decode> Receive for C {
    #[inline]
    fn receive(content: IncomingContent, from: Decoding<'_>) -> Result<C::Value> {
        match content {
            IncomingContent::Whole(bytes) => C::decode(bytes, from),
            IncomingContent::Stream(_) => Err(not_whole()),
        }
    }

    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        C::faults(error, bytes)
    }
}

#[cold]
fn not_whole() -> Error {
    Error::new(Category::Unsupported, "this content is read whole, and came piece by piece")
}

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
