use std::any::TypeId;
use std::fmt;

use manywire_codec::Result;

use super::{Answer, Encoding, Media};
use crate::server::Body;

/// A body to be sent, its type forgotten: it may have to be written again, in another format.
pub(crate) struct Outgoing {
    pub(crate) media: Media,
    pub(crate) id: TypeId,
    encode: Box<Encoder>,
}

type Encoder = dyn FnMut(&mut Encoding<'_>) -> Result<Option<Body>> + Send;

impl Outgoing {
    pub(crate) fn new<C: Answer>(value: C::Value) -> Self {
        let mut value = Some(value);
        let encode = Box::new(move |to: &mut Encoding<'_>| C::answer_again(&mut value, to));
        Outgoing { media: C::media(), id: TypeId::of::<C>(), encode }
    }

    /// Writes it; nothing if it was a stream, and has been sent.
    pub(crate) fn encode(&mut self, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        (self.encode)(to)
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outgoing").field(&self.media).finish()
    }
}
