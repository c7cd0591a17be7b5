//! Payloads in memory: the values of a source, each with its own bytes, or as CBOR if those bytes need
//! a schema; and the schema that all container files contain.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use manywire_codec::Error;
use manywire_format::{Form, Format, Framing, SchemaNeeds};
use manywire_schema::Language;

use crate::payload::window::{Counted, RatioExceeded};
use crate::payload::{Halt, Input, InputError, Item, PayloadSource, RecordedBody, Schema, Take};

/// A value of the user's data, in its original bytes if their format is self-describing, and in
/// CBOR otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The name: the file and the position in it, `events.ndjson:12` or `events.cborseq #3`.
    pub name: String,
    /// The format of the bytes.
    pub format: Format,
    /// The bytes of this value.
    pub bytes: Vec<u8>,
    /// The endpoint that sent the value, such as `GET /v1/hotels`, if it is known. Payloads of one
    /// endpoint share rows; those of different endpoints are reported separately.
    pub endpoint: Option<String>,
    /// The original form and size, if the bytes were converted.
    pub origin: Option<Origin>,
}

impl Payload {
    /// Returns a payload without an endpoint, in its original bytes.
    pub fn new(name: &str, format: Format, bytes: Vec<u8>) -> Self {
        Payload { name: name.to_owned(), format, bytes, endpoint: None, origin: None }
    }

    /// Returns the number of bytes that the value has in the input, without framing.
    pub fn given_bytes(&self) -> u64 {
        self.origin.map_or(self.bytes.len() as u64, |origin| origin.bytes)
    }

    /// Returns the error for invalid bytes of the payload.
    #[cold]
    pub fn error(&self, error: &Error) -> InputError {
        InputError::decode(&self.name, &self.bytes, self.format, error)
    }
}

/// The error for a form that needs a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingSchema(Form);

impl fmt::Display for MissingSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} has neither the names nor the types of its fields: give the schema with --schema, or \
             use json, msgpack, cbor, bson or an avro file, which need no schema",
            self.0
        )
    }
}

impl std::error::Error for MissingSchema {}

/// Checks that payloads of this form can be read, with or without a schema.
///
/// # Errors
/// Fails if the form needs a schema and `has_schema` is false.
pub fn check_form(form: Form, has_schema: bool) -> Result<(), MissingSchema> {
    match has_schema || !form.needs_schema() {
        true => Ok(()),
        false => Err(MissingSchema(form)),
    }
}

/// Opens a source of payloads. `schema` is for forms that need one. JSON is read line by line as far as
/// it has one value per line, so that an invalid line does not affect others.
///
/// # Errors
/// Fails if the form needs a schema and there is none, or if the source cannot be read.
pub fn open(found: &PayloadSource, schema: Option<&Schema>) -> Result<Input, InputError> {
    let name = found.source.name();
    let checked = check_form(found.form, schema.is_some());
    checked.map_err(|error| InputError::whole(&name, error))?;
    let input = Input::open(&found.source, found.form, schema)?;
    input.with_rounded_fractions().with_lines_where_shown()
}

/// Reads payloads, source by source.
#[derive(Debug, Default)]
pub struct Reader<'s> {
    /// The schema for forms that need one.
    pub schema: Option<&'s Schema>,
    /// The errors so far.
    pub errors: Vec<InputError>,
    /// The schema that the sources contain.
    pub carried: EmbeddedSchema,
}

impl Reader<'_> {
    /// Reads every payload of these sources, in order. Payloads of different sources have different
    /// names, because rows with one name are compared with each other.
    pub fn read_all(&mut self, sources: &[PayloadSource]) -> Vec<Payload> {
        let names = distinct_names(sources);
        sources.iter().zip(&names).flat_map(|(found, name)| self.read(found, name)).collect()
    }

    /// Reads every payload of a source with this name. An error is added to [`Reader::errors`]. The
    /// payloads before an error, and other lines, are still returned, except if the payloads take too
    /// much memory: then none is returned.
    fn read(&mut self, found: &PayloadSource, name: &str) -> Vec<Payload> {
        let mut collected = SourcePayloads::new(found.form);
        let read = open(found, self.schema).and_then(|input| {
            self.carried.add(&input);
            collected.all(input, &mut self.errors)
        });
        self.errors.extend(read.err());
        collected.into_named(name, found.recorded.as_ref())
    }
}

/// The payloads of one source.
struct SourcePayloads {
    form: Form,
    payloads: Vec<UnnamedPayload>,
    bytes: usize,
    lines: Counted,
    /// The error if the payloads take too much memory.
    refused: Option<RatioExceeded>,
}

/// A payload that has no name yet.
struct UnnamedPayload {
    bytes: Vec<u8>,
    /// The number of bytes in the input.
    given: u64,
    /// The number of its line, in sources of lines.
    line: usize,
}

impl SourcePayloads {
    fn new(form: Form) -> SourcePayloads {
        let (payloads, lines) = (Vec::new(), Counted::default());
        SourcePayloads { form, payloads, bytes: 0, lines, refused: None }
    }

    fn all(&mut self, mut input: Input, errors: &mut Vec<InputError>) -> Result<(), InputError> {
        self.form = input.form();
        let mut whole = true;
        while let Err(error) = input.each(self) {
            if !input.can_continue() {
                return Err(error);
            }
            errors.push(error);
            whole = false;
        }
        if let Some(error) = self.refused.take() {
            // A part of the payloads would give a wrong result.
            self.payloads.clear();
            return Err(InputError::whole(input.name(), error));
        }
        if self.payloads.is_empty() && whole {
            return Err(InputError::whole(input.name(), "empty: the input has no payload"));
        }
        Ok(())
    }

    /// Names the payloads: by line, or by number if there are several. The later ones of several on a
    /// line have a number, too, because rows with one name are compared with each other.
    fn into_named(self, base: &str, recorded: Option<&RecordedBody>) -> Vec<Payload> {
        let (form, several) = (self.form, self.payloads.len() > 1);
        let is_lines = form.framing == Framing::Lines;
        // The line of the previous payload, and the number of payloads there.
        let mut on_line = (0, 0_u64);
        let payload = |(index, one): (usize, UnnamedPayload)| {
            let count = if on_line.0 == one.line { on_line.1 + 1 } else { 1 };
            on_line = (one.line, count);
            Payload {
                name: match (is_lines, several) {
                    (true, _) if count > 1 => format!("{base}:{} #{count}", one.line),
                    (true, _) => format!("{base}:{}", one.line),
                    (false, true) => format!("{base} #{}", index + 1),
                    (false, false) => base.to_owned(),
                },
                format: stored_format(form),
                bytes: one.bytes,
                endpoint: recorded.map(|recorded| recorded.endpoint.clone()),
                origin: (!is_stored_as_is(form)).then_some(Origin { from: form, bytes: one.given }),
            }
        };
        self.payloads.into_iter().enumerate().map(payload).collect()
    }
}

impl Take for SourcePayloads {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        let mut bytes = Vec::new();
        item.write_stored(self.form, &mut bytes)?;
        // All payloads stay in memory, so their sum is limited.
        self.bytes += bytes.len();
        if let Err(error) = item.check_buffered(self.bytes, is_stored_as_is(self.form)) {
            self.refused = Some(error);
            return Err(Halt::Stopped);
        }
        let is_lines = self.form.framing == Framing::Lines;
        let line = if is_lines { item.line(&mut self.lines) } else { 0 };
        self.payloads.push(UnnamedPayload { bytes, given: item.bytes.len() as u64, line });
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// Returns the name of each source: the last part of its path, or the name of the recorded body. If
/// several sources have the same name, the whole path is part of it; a source that is named again has a
/// number, too.
fn distinct_names(sources: &[PayloadSource]) -> Vec<String> {
    let short = |found: &PayloadSource| match &found.recorded {
        Some(recorded) => recorded.name.clone(),
        None => file_name(&found.source.name()),
    };
    let long = |found: &PayloadSource| match &found.recorded {
        Some(recorded) => format!("{} in {}", recorded.name, found.source.name()),
        None => found.source.name(),
    };
    let mut totals: HashMap<String, u64> = HashMap::new();
    for found in sources {
        *totals.entry(short(found)).or_default() += 1;
    }
    let mut seen: HashMap<String, u64> = HashMap::new();
    let numbered = |found: &PayloadSource| {
        let name = Some(short(found)).filter(|name| totals[name] == 1);
        let name = name.unwrap_or_else(|| long(found));
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        if *number == 1 { name } else { format!("{name} ({number})") }
    };
    sources.iter().map(numbered).collect()
}

/// Returns the last part of a path, which is short enough for tables.
fn file_name(source: &str) -> String {
    let name = Path::new(source).file_name();
    name.map_or_else(|| source.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The format for converted payloads. CBOR represents every value exactly: integers beyond 64 bits,
/// 32-bit floats, bytes, times to the nanosecond, and keys that are not text.
const STORED_FORMAT: Format = Format::Cbor;

/// The original form and size of a payload that was converted to a self-describing format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The form in the input.
    pub from: Form,
    /// The number of bytes in the input, without framing.
    pub bytes: u64,
}

/// Returns whether payloads of a form are stored in their original bytes.
pub fn is_stored_as_is(form: Form) -> bool {
    form.format.row().schema == SchemaNeeds::InBand
}

/// Returns the format that payloads of a form are stored in.
pub fn stored_format(form: Form) -> Format {
    if is_stored_as_is(form) { form.format } else { STORED_FORMAT }
}

impl Item<'_> {
    /// Appends the bytes that a payload of this form is stored in.
    ///
    /// # Errors
    /// Fails for a value that the stored format cannot represent, with its path.
    pub fn write_stored(&self, form: Form, out: &mut Vec<u8>) -> Result<(), Halt> {
        if is_stored_as_is(form) {
            out.extend_from_slice(self.bytes);
            return Ok(());
        }
        manywire_codec::write_value(STORED_FORMAT, &self.value, out).map_err(|error| {
            Halt::Refused { path: error.path_text(), message: error.message().to_owned() }
        })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.fmt(f)
    }
}

/// The schema in container files, if every source is a container file and all have the same schema.
#[derive(Clone, Debug, Default)]
pub struct EmbeddedSchema {
    first: Option<(String, String)>,
    differs: bool,
}

impl EmbeddedSchema {
    /// Reads the headers of these sources. A source that is unreadable, or that cannot be read twice,
    /// has no schema.
    pub fn by(sources: &[PayloadSource]) -> EmbeddedSchema {
        let mut carried = EmbeddedSchema::default();
        let again = |found: &PayloadSource| {
            found.form.framing == Framing::Container && found.source.is_repeatable()
        };
        carried.differs = !sources.iter().all(again);
        for found in sources {
            if carried.differs {
                break;
            }
            match open(found, None) {
                Ok(input) => carried.add(&input),
                Err(_) => carried.differs = true,
            }
        }
        carried
    }

    /// Adds a source.
    pub fn add(&mut self, input: &Input) {
        let text = match input.schema().and_then(|schema| schema.language.as_ref()) {
            Some(Language::Avro(schema)) if input.brings_schema() => schema.to_string(),
            _ => {
                self.differs = true;
                return;
            }
        };
        match &self.first {
            None => self.first = Some((input.name().to_owned(), text)),
            Some((_, first)) => self.differs |= *first != text,
        }
    }

    /// Returns the name of the first source, and the schema as the text of an `.avsc`. Returns
    /// `None` without a source, if a source has no schema, or if schemas differ.
    pub fn avsc(&self) -> Option<(&str, &str)> {
        let (name, text) = self.first.as_ref().filter(|_| !self.differs)?;
        Some((name, text))
    }
}
