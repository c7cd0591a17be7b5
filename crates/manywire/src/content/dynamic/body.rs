use std::sync::Arc;

use bytes::Bytes;
use manywire_codec::{Limits, Result};
use manywire_format::Format;
use manywire_shape::{Arena, Value};

use super::codecs::no_shape;
use super::{Dynamic, DynamicCodecs, Source};
use crate::content::{Decoding, Media, Representation, Type};
use crate::input::{Described, Input, Read, Reading};
use crate::problem::Fault;

/// The body, as a value of a shape that is known at run time.
#[derive(Clone, Debug)]
pub struct DynamicBody(Type);

impl DynamicBody {
    pub(crate) fn new(ty: Type) -> Self {
        DynamicBody(ty)
    }
}

impl Input for DynamicBody {
    type Value = Dynamic;

    fn describe(&self, description: &mut Vec<Described>) {
        description.push(Described::Body(Media::Formats(self.0.clone())));
    }
}

impl Read for DynamicBody {
    fn read(&self, reading: &mut Reading<'_>) -> Option<Dynamic> {
        let bytes = reading.take_body();
        match decode(bytes.clone(), reading.decoding()) {
            Ok(value) => Some(value),
            Err(error) => reading.note_body(error.category(), vec![Fault::of_body(&error, &bytes)]),
        }
    }
}

/// The bytes of a body, which hold a value of the shape: it was read once, and let go.
struct Received {
    bytes: Bytes,
    format: Format,
    codecs: Arc<DynamicCodecs>,
    limits: Limits,
}

impl Source for Received {
    fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>> {
        self.codecs.decode(self.format, &self.bytes, arena, self.limits)
    }
}

fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<Dynamic> {
    let dynamic = from.codecs.and_then(|codecs| codecs.dynamic());
    let (Representation::Format(format), Some(codecs)) = (from.representation, dynamic) else {
        return Err(no_shape());
    };
    let received = Received { bytes, format, codecs: Arc::clone(codecs), limits: from.limits };
    let arena = Arena::new();
    codecs.check(format, &received.value(&arena)?)?;
    drop(arena);
    Ok(Dynamic::new(received))
}
