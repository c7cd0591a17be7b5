//! Content that a client sends, and the type-erased body of a request.

use std::any::TypeId;
use std::fmt;

use http::HeaderValue;
use manywire_codec::Result;

use super::{Answer, Content, Encoding, Media};
use crate::body::Body;

/// Content that a client can send: everything that implements [`Answer`], and multipart forms.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent by a client",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Submit: Content {
    /// Encodes a value as negotiated. Returns `None` if the value was sent before and cannot be
    /// repeated.
    ///
    /// # Errors
    /// Fails if the format cannot represent the value.
    fn submit(value: &mut Option<Self::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>>;

    /// Returns the media type of this value, if the value determines its media type.
    fn content_type(_value: &Self::Value) -> Option<HeaderValue> {
        None
    }
}

impl<C: Answer> Submit for C {
    #[inline]
    fn submit(value: &mut Option<C::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        C::answer_again(value, to)
    }

    fn content_type(value: &C::Value) -> Option<HeaderValue> {
        C::content_type(value)
    }
}

/// A type-erased request body, which may have to be encoded again in another format.
pub(crate) struct Outgoing {
    pub(crate) media: Media,
    pub(crate) id: TypeId,
    /// The media type of the value, if the value determines its media type.
    pub(crate) content_type: Option<HeaderValue>,
    encode: Box<Encoder>,
}

type Encoder = dyn FnMut(&mut Encoding<'_>) -> Result<Option<Body>> + Send;

impl Outgoing {
    pub(crate) fn new<C: Submit>(value: C::Value) -> Self {
        let content_type = C::content_type(&value);
        let mut value = Some(value);
        let encode = Box::new(move |to: &mut Encoding<'_>| C::submit(&mut value, to));
        Outgoing { media: C::media(), id: TypeId::of::<C>(), content_type, encode }
    }

    /// Encodes the body. Returns `None` if it was sent before and cannot be repeated.
    pub(crate) fn encode(&mut self, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        (self.encode)(to)
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outgoing").field(&self.media).finish()
    }
}
