//! The traits of content types: [`Content`], [`Encode`] and [`Decode`] for whole values, [`Answer`]
//! and [`Receive`] for everything that can be sent and received, and the implementations for types
//! that derive `Shaped`.

use bytes::Bytes;
use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_shape::{Check, Shaped};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Decoding, Encoding, IncomingContent, Media, Type};
use crate::body::Body;
use crate::problem::Fault;

/// A type that a request or a response can carry.
///
/// Types that derive `Shaped` are content in every format. The other content types include
/// [`Form`](super::Form), [`Text`](super::Text), [`Raw`](super::Raw) and
/// [`NoContent`](super::NoContent).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried by a request or a response",
    label = "not content",
    note = "derive it: #[derive(Serialize, Deserialize, Shaped)]",
    note = "for text use `Text`, for bytes `Raw`"
)]
pub trait Content: 'static {
    /// The type that a handler receives or returns.
    type Value: Send + 'static;

    /// Returns the form of this content on the wire.
    fn media() -> Media;

    /// Checks the constraints of a value that was received. The default checks nothing: content
    /// whose type may have constraints overrides this function.
    fn check(_value: &Self::Value, _check: &mut Check<'_>) {}
}

/// Content that can be encoded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written into a message",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Encode: Content {
    /// Encodes a value as negotiated.
    ///
    /// # Errors
    /// Fails if the format cannot represent the value.
    fn encode_ref(value: &Self::Value, to: &mut Encoding<'_>) -> Result<Bytes>;

    /// Encodes a value that the caller no longer needs.
    ///
    /// # Errors
    /// Fails as [`Encode::encode_ref`] does.
    #[inline]
    fn encode(value: Self::Value, to: &mut Encoding<'_>) -> Result<Bytes> {
        Self::encode_ref(&value, to)
    }

    /// Appends an encoded value to `out`: one value of a stream.
    ///
    /// # Errors
    /// Fails as [`Encode::encode_ref`] does.
    fn append(value: &Self::Value, mut to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&Self::encode_ref(value, &mut to)?);
        Ok(())
    }
}

/// Content that can be decoded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a message",
    label = "not content that can be read",
    note = "derive it: #[derive(Deserialize, Shaped)]",
    note = "a type that borrows from the body (`&str`, `&[u8]`) is decoded as `ZeroCopy<…>`, which owns the body"
)]
pub trait Decode: Content {
    /// Decodes a value. `from` has the format and the limits.
    ///
    /// # Errors
    /// Fails if the bytes are invalid in the format, or if their value does not fit the type.
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<Self::Value>;

    /// Decodes a value out of a larger buffer: one value of a stream.
    ///
    /// # Errors
    /// Fails as [`Decode::decode`] does.
    fn decode_slice(bytes: &[u8], from: Decoding<'_>) -> Result<Self::Value> {
        Self::decode(Bytes::copy_from_slice(bytes), from)
    }

    /// Returns all faults of a body that could not be decoded. By default, `error` is the only
    /// fault.
    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        vec![Fault::of_body(error, bytes)]
    }
}

/// Content that can be sent as a response: everything that implements [`Encode`], and streams,
/// which are encoded while they are sent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as a response",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Answer: Content {
    /// Encodes a value as negotiated.
    ///
    /// # Errors
    /// Fails if the format cannot represent the value.
    fn answer(value: Self::Value, to: &mut Encoding<'_>) -> Result<Body>;

    /// Returns the media type of this value, if the value determines its media type.
    #[inline]
    fn content_type(_value: &Self::Value) -> Option<HeaderValue> {
        None
    }

    /// Encodes a value that may have to be sent again. Returns `None` if the value was sent before
    /// and cannot be repeated.
    ///
    /// # Errors
    /// Fails as [`Answer::answer`] does.
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

/// Content that can be received: everything that implements [`Decode`], and streams, which are
/// decoded while they arrive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a message",
    label = "not content that can be read",
    note = "derive it: #[derive(Deserialize, Shaped)]",
    note = "a type that borrows from the body (`&str`, `&[u8]`) is decoded as `ZeroCopy<…>`, which owns the body"
)]
pub trait Receive: Content {
    /// Decodes the content of a message. `from` has the format and the limits.
    ///
    /// # Errors
    /// Fails if the bytes are invalid in the format, or if their value does not fit the type.
    fn receive(content: IncomingContent, from: Decoding<'_>) -> Result<Self::Value>;

    /// Returns all faults of content that could not be decoded. By default, `error` is the only
    /// fault.
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
    Error::new(Category::Unsupported, "expected a complete body, found a stream")
}

impl<T: Shaped + Send + 'static> Content for T {
    type Value = T;

    fn media() -> Media {
        Media::Formats(Type::of::<T>())
    }

    fn check(value: &T, check: &mut Check<'_>) {
        Shaped::check(value, check);
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
