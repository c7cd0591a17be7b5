//! Payloads as values: [`crate::payload`] reads their bytes, and a [`Corpus`] has their values.
//!
//! JSON by a `.proto` is ProtoJSON, and has two values. Formats that need the schema get the one that
//! its text stands for. The others get the text as it is, as from `convert`, so that the rows of JSON
//! are those of the payload.

use manywire_codec::json::ValueReader;
use manywire_format::{Format, SchemaNeeds};
use manywire_shape::fidelity::{self, Loss, with_doubles, without_duplicates};
use manywire_shape::{Arena, Value};

use crate::payload::{InputError, LIMITS, Payload, ProtoJson, ProtoJsonRules, Schema};

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
    /// The values in formats that need the schema, if the payload is ProtoJSON.
    proto_json: Option<ProtoJsonValues<'a>>,
}

/// Every payload that could be read.
#[derive(Clone, Debug, Default)]
pub struct Corpus<'a> {
    /// The samples, in the order of the payloads.
    pub samples: Vec<Sample<'a>>,
}

impl<'a> Sample<'a> {
    /// Reads a payload into values that borrow from the bytes and the arena. `schema` is that of JSON
    /// by a `.proto`.
    ///
    /// # Errors
    ///
    /// Returns the error with its position in the bytes.
    pub fn read(
        name: &'a str,
        format: Format,
        bytes: &'a [u8],
        schema: Option<&Schema>,
        arena: &'a Arena,
    ) -> Result<Self, manywire_codec::Error> {
        let (value, rounded) = read_with_doubles(format, bytes, arena)?;
        let (value, mut losses) = without_duplicates(value, arena);
        losses.extend(rounded);
        let reader = schema.filter(|_| format == Format::Json).and_then(ProtoJsonReader::of);
        let proto_json = reader.map(|reader| reader.read(value, arena).without_duplicates(arena));
        Ok(Sample { name, value, losses, proto_json })
    }

    /// Returns the value that a format has: the value itself, except for ProtoJSON in a format that
    /// needs the schema.
    pub fn value_in(&self, format: Format) -> Value<'a> {
        let proto_json = self.proto_json.as_ref();
        proto_json.and_then(|values| values.value_in(format)).unwrap_or(self.value)
    }

    /// Returns the data that was lost in reading the value that a format has.
    pub fn losses_in(&self, format: Format) -> Vec<Loss> {
        let mut losses = self.losses.clone();
        if let Some(values) = &self.proto_json {
            fidelity::merge(&mut losses, values.losses_in(format).to_vec());
        }
        losses
    }
}

/// Reads JSON by a `.proto` for formats that need the schema.
pub(crate) struct ProtoJsonReader<'s> {
    plain: ProtoJson<'s>,
    with_zeros: ProtoJson<'s>,
}

/// The values that ProtoJSON stands for.
#[derive(Clone, Debug)]
pub(crate) struct ProtoJsonValues<'a> {
    /// The value without the fields that the text leaves out.
    plain: Value<'a>,
    /// The value with the fields that the text leaves out because they are zero or empty.
    with_zeros: Value<'a>,
    losses: Vec<Loss>,
}

impl<'s> ProtoJsonReader<'s> {
    /// Returns the reader for a schema, or `None` if the schema is not a `.proto`.
    pub(crate) fn of(schema: &'s Schema) -> Option<Self> {
        let (rules, by) = (ProtoJsonRules::TOLERANT, |rules| ProtoJson::of(schema, rules));
        Some(ProtoJsonReader { plain: by(rules)?, with_zeros: by(rules.with_zeros())? })
    }

    /// Returns the values that a value of JSON stands for.
    pub(crate) fn read<'a>(&self, value: Value<'a>, arena: &'a Arena) -> ProtoJsonValues<'a> {
        // By tolerant rules, no value is refused.
        let read = |reader: &ProtoJson<'s>| reader.read(value, arena).unwrap_or(value);
        let (with_zeros, _) = with_doubles(read(&self.with_zeros), arena);
        let (plain, losses) = with_doubles(read(&self.plain), arena);
        ProtoJsonValues { plain, with_zeros, losses }
    }
}

impl<'a> ProtoJsonValues<'a> {
    /// Returns the value that a format has, or `None` if the format needs no schema.
    pub(crate) fn value_in(&self, format: Format) -> Option<Value<'a>> {
        match format.row().schema {
            SchemaNeeds::InBand => None,
            SchemaNeeds::FieldOrder => Some(self.plain),
            // Avro cannot leave out a field, and Protocol Buffers returns the zero that it leaves out.
            SchemaNeeds::Shape => Some(self.with_zeros),
        }
    }

    /// Returns the data that was lost in reading the value that a format has: digits beyond a double in
    /// numbers that are text, and all entries of a field but the last.
    pub(crate) fn losses_in(&self, format: Format) -> &[Loss] {
        match format.row().schema {
            SchemaNeeds::InBand => &[],
            SchemaNeeds::FieldOrder | SchemaNeeds::Shape => &self.losses,
        }
    }

    /// Removes all entries of a field but the last: the names of a field are one key.
    fn without_duplicates(mut self, arena: &'a Arena) -> Self {
        let (plain, repeated) = without_duplicates(self.plain, arena);
        let (with_zeros, _) = without_duplicates(self.with_zeros, arena);
        self.losses.extend(repeated);
        ProtoJsonValues { plain, with_zeros, ..self }
    }
}

impl<'a> Corpus<'a> {
    /// Reads payloads as [`load`](Corpus::load) does, but fails if one of the payloads cannot be
    /// read.
    ///
    /// # Errors
    ///
    /// Returns the error of the first payload that cannot be read.
    pub(crate) fn load_all(
        payloads: &'a [Payload],
        schema: Option<&Schema>,
        arena: &'a Arena,
    ) -> Result<Self, InputError> {
        let (corpus, errors) = Corpus::load(payloads, schema, arena);
        errors.into_iter().next().map_or(Ok(corpus), Err)
    }

    /// Reads payloads into values that borrow from the payloads and from the arena. `schema` is that of
    /// JSON by a `.proto`. Also returns the errors of the payloads that cannot be read, in order.
    pub fn load(
        payloads: &'a [Payload],
        schema: Option<&Schema>,
        arena: &'a Arena,
    ) -> (Corpus<'a>, Vec<InputError>) {
        let mut corpus = Corpus::default();
        let mut errors = Vec::new();
        for payload in payloads {
            match Sample::read(&payload.name, payload.format, &payload.bytes, schema, arena) {
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
