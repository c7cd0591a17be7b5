use std::sync::Arc;

use bytes::Bytes;
use manywire_codec::{Limits, Result};
use manywire_shape::{Arena, Value, ValueSeed};

use super::codecs::no_shape;
use super::{Dynamic, Source};
use crate::content::{Codecs, Decoding, Media, Representation, Type};
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
    representation: Representation,
    codecs: Arc<Codecs>,
    limits: Limits,
}

impl Source for Received {
    fn value<'a>(&'a self, arena: &'a Arena) -> Result<Value<'a>> {
        match (self.representation, self.codecs.dynamic()) {
            (Representation::Format(format), Some(codecs)) => {
                codecs.decode(format, &self.bytes, arena, self.limits)
            }
            (Representation::Own(at), _) => {
                let mut seed = ValueSeed::new(arena);
                self.codecs.decode_own_seed(at, &mut seed, &self.bytes, self.limits)
            }
            _ => Err(no_shape()),
        }
    }
}

fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<Dynamic> {
    let (representation, limits) = (from.representation, from.limits);
    let codecs = from.codecs.ok_or_else(no_shape)?;
    let received = Received { bytes, representation, codecs: Arc::clone(codecs), limits };
    let arena = Arena::new();
    let checked = codecs.dynamic().ok_or_else(no_shape)?.check(&received.value(&arena)?);
    checked.map_err(|error| match representation {
        Representation::Format(format) => error.with_format(format),
        _ => error,
    })?;
    drop(arena);
    Ok(Dynamic::new(received))
}
