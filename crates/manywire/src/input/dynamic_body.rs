//! [`DynamicBody`]: a body whose shape is known only at run time.

use manywire_codec::Category;

use super::{Input, InputDescription, InputReader, Read};
use crate::content::dynamic::{self, Dynamic};
use crate::content::{Media, Type};
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

    fn describe(&self, description: &mut Vec<InputDescription>) {
        description.push(InputDescription::Body(Media::Formats(self.0.clone())));
    }
}

impl Read for DynamicBody {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<Dynamic> {
        let bytes = reading.take_body();
        match dynamic::decode(bytes.clone(), reading.decoding()) {
            Ok((value, violations)) if violations.is_empty() => Some(value),
            Ok((_, violations)) => reading.note_body(
                Category::Data,
                violations.into_iter().map(Fault::of_violation).collect(),
            ),
            Err(error) => reading.note_body(error.category(), vec![Fault::of_body(&error, &bytes)]),
        }
    }
}
