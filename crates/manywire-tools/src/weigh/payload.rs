//! Payloads for weighing: read by [`crate::payload`], then loaded as values into a [`Corpus`].

use manywire_shape::fidelity::Loss;
use manywire_shape::{Arena, Value};

pub(crate) use crate::payload::LIMITS;
pub use crate::payload::reader::{Reader, check_form, open};
pub use crate::payload::{
    EmbeddedSchema, InputError, InputPosition, Origin, Payload, PayloadSource, find,
};

/// A payload read into a value.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The payload's name.
    pub name: &'a str,
    /// The value.
    pub value: Value<'a>,
    /// The data that was lost in reading: all entries with a duplicate key except the last.
    pub losses: Vec<Loss>,
}

/// Every payload that could be read.
#[derive(Clone, Debug, Default)]
pub struct Corpus<'a> {
    /// In the order of the payloads.
    pub samples: Vec<Sample<'a>>,
}

impl<'a> Corpus<'a> {
    /// Reads payloads into values that borrow from them and from the arena.
    pub fn load(payloads: &'a [Payload], arena: &'a Arena) -> (Corpus<'a>, Vec<InputError>) {
        let mut corpus = Corpus::default();
        let mut errors = Vec::new();
        for payload in payloads {
            match manywire_codec::read_value(payload.format, &payload.bytes, arena, LIMITS) {
                Ok(value) => {
                    let (value, losses) =
                        manywire_shape::fidelity::without_duplicates(value, arena);
                    corpus.samples.push(Sample { name: &payload.name, value, losses });
                }
                Err(error) => errors.push(payload.error(&error)),
            }
        }
        (corpus, errors)
    }

    /// Returns the values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value<'a>> + '_ {
        self.samples.iter().map(|sample| sample.value)
    }
}

/// Checks that a payload holds a value.
///
/// # Errors
///
/// Returns the error with its position in the payload.
pub fn check(payload: &Payload) -> Result<(), InputError> {
    let arena = Arena::new();
    manywire_codec::read_value(payload.format, &payload.bytes, &arena, LIMITS)
        .map(drop)
        .map_err(|error| payload.error(&error))
}
