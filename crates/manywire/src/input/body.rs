use std::fmt;
use std::marker::PhantomData;

use super::{Described, Input, Read, Reading};
use crate::content::{Content, Receive};

/// The body, as content `C`.
pub struct Body<C>(PhantomData<fn() -> C>);

impl<C> Body<C> {
    pub(crate) fn new() -> Self {
        Body(PhantomData)
    }
}

impl<C: Content> Input for Body<C> {
    type Value = C::Value;

    fn describe(&self, description: &mut Vec<Described>) {
        description.push(Described::Body(C::media()));
    }
}

impl<C: Receive> Read for Body<C> {
    #[inline]
    fn read(&self, reading: &mut Reading<'_>) -> Option<C::Value> {
        let content = reading.take_received();
        let bytes = content.whole();
        match C::receive(content, reading.decoding()) {
            Ok(value) => Some(value),
            Err(error) => reading.note_body(error.category(), C::faults(&error, &bytes)),
        }
    }
}

impl<C> Clone for Body<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Body<C> {}

impl<C> fmt::Debug for Body<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Body")
    }
}
