//! Payloads as values: [`crate::payload`] reads their bytes, and a [`Corpus`] has their values.

use manywire_codec::json::ValueReader;
use manywire_format::Format;
use manywire_shape::fidelity::{Loss, with_doubles};
use manywire_shape::{Arena, Value};

use crate::payload::{InputError, LIMITS, Payload};

/// A payload read into a value.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The payload's name.
    pub name: &'a str,
    /// The value.
    pub value: Value<'a>,
    /// The data that was lost in reading: all entries with a duplicate key except the last, and
    /// digits of JSON numbers beyond a double.
    pub losses: Vec<Loss>,
}

/// Every payload that could be read.
#[derive(Clone, Debug, Default)]
pub struct Corpus<'a> {
    /// The samples, in the order of the payloads.
    pub samples: Vec<Sample<'a>>,
}

impl<'a> Sample<'a> {
    /// Reads a payload into a value that borrows from the bytes and the arena.
    ///
    /// # Errors
    ///
    /// Returns the error with its position in the bytes.
    pub fn read(
        name: &'a str,
        format: Format,
        bytes: &'a [u8],
        arena: &'a Arena,
    ) -> Result<Self, manywire_codec::Error> {
        let (value, rounded) = read_with_doubles(format, bytes, arena)?;
        let (value, mut losses) = manywire_shape::fidelity::without_duplicates(value, arena);
        losses.extend(rounded);
        Ok(Sample { name, value, losses })
    }
}

impl<'a> Corpus<'a> {
    /// Reads payloads as [`load`](Corpus::load) does, but fails if one of the payloads cannot be
    /// read.
    ///
    /// # Errors
    ///
    /// Returns the error of the first payload that cannot be read.
    pub(crate) fn load_all(payloads: &'a [Payload], arena: &'a Arena) -> Result<Self, InputError> {
        let (corpus, errors) = Corpus::load(payloads, arena);
        errors.into_iter().next().map_or(Ok(corpus), Err)
    }

    /// Reads payloads into values that borrow from the payloads and from the arena. Also returns
    /// the errors of the payloads that cannot be read, in order.
    pub fn load(payloads: &'a [Payload], arena: &'a Arena) -> (Corpus<'a>, Vec<InputError>) {
        let mut corpus = Corpus::default();
        let mut errors = Vec::new();
        for payload in payloads {
            match Sample::read(&payload.name, payload.format, &payload.bytes, arena) {
                Ok(sample) => corpus.samples.push(sample),
                Err(error) => errors.push(payload.error(&error)),
            }
        }
        (corpus, errors)
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

/// Reads one value of a format that needs no schema. JSON numbers with a fraction or an exponent
/// become doubles, as in most programs, and numbers that are [not
/// exact](manywire_shape::fidelity::is_exact_double) as doubles are returned as losses. Numbers
/// beyond the range of a double stay text.
pub(crate) fn read_with_doubles<'a>(
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
) -> manywire_codec::Result<(Value<'a>, Vec<Loss>)> {
    if format != Format::Json {
        return Ok((manywire_codec::read_value(format, bytes, arena, LIMITS)?, Vec::new()));
    }
    let value = ValueReader::new(LIMITS).with_exact_fractions().read(bytes, arena)?;
    Ok(with_doubles(value, arena))
}
