use std::any::TypeId;
use std::fmt;

use http::HeaderValue;
use manywire_codec::Result;

use super::{Answer, Content, Encoding, Media};
use crate::server::Body;

/// Content that a client can send: all that can be answered with, and forms of parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent by a client",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Submit: Content {
    /// Writes a value as was agreed on; nothing if it was sent before and cannot be sent again.
    ///
    /// # Errors
    /// When the format has no place for the value.
    fn submit(value: &mut Option<Self::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>>;

    /// What this value says it is, where that is more than its format.
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

/// A body to be sent, its type forgotten: it may have to be written again, in another format.
pub(crate) struct Outgoing {
    pub(crate) media: Media,
    pub(crate) id: TypeId,
    /// What it says it is, where that is more than its format.
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

    /// Writes it; nothing if it was sent before and cannot be made anew.
    pub(crate) fn encode(&mut self, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        (self.encode)(to)
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outgoing").field(&self.media).finish()
    }
}
