use std::any::TypeId;
use std::fmt;

use bytes::Bytes;
use manywire_codec::Result;

use super::{Encode, Encoding, Media};

/// A body to be sent, its type forgotten: it may have to be written again, in another format.
pub(crate) struct Outgoing {
    pub(crate) media: Media,
    pub(crate) id: TypeId,
    encode: Box<Encoder>,
}

type Encoder = dyn FnMut(&mut Encoding<'_>) -> Result<Bytes> + Send;

impl Outgoing {
    pub(crate) fn new<C: Encode>(value: C::Value) -> Self {
        let encode = Box::new(move |to: &mut Encoding<'_>| C::encode_ref(&value, to));
        Outgoing { media: C::media(), id: TypeId::of::<C>(), encode }
    }

    pub(crate) fn encode(&mut self, to: &mut Encoding<'_>) -> Result<Bytes> {
        (self.encode)(to)
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outgoing").field(&self.media).finish()
    }
}
