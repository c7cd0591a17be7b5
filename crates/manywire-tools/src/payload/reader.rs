//! Payloads: the values of a source, each with the bytes that it was written in, or as CBOR where those
//! bytes need a schema; and the schema that all sources carry.

use std::fmt;
use std::path::Path;

use manywire_codec::Error;
use manywire_format::{Form, Format, Framing, Schema as SchemaNeeds};
use manywire_schema::Language;

use crate::payload::window::Counted;
use crate::payload::{Found, Halt, Input, InputError, Item, Recorded, Schema, Take};

/// One sample of a user's data: as it was written, where that says itself what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What it is called: its file, and where in it, `events.ndjson:12` or `events.cborseq #3`.
    pub name: String,
    /// The format of the bytes.
    pub format: Format,
    /// The bytes of this sample alone.
    pub bytes: Vec<u8>,
    /// What it answers, such as `GET /v1/hotels`, where that is known: payloads of one endpoint
    /// share their rows, those of different ones have nothing in common.
    pub endpoint: Option<String>,
    /// What it was, where the bytes are not those that were given.
    pub made: Option<Made>,
}

impl Payload {
    /// A payload that comes from nowhere in particular.
    pub fn new(name: &str, format: Format, bytes: Vec<u8>) -> Self {
        Payload { name: name.to_owned(), format, bytes, endpoint: None, made: None }
    }

    /// How many bytes were given.
    pub fn given_bytes(&self) -> u64 {
        self.made.map_or(self.bytes.len() as u64, |made| made.bytes)
    }

    /// What is wrong with its bytes, and where in them.
    #[cold]
    pub fn error(&self, error: &Error) -> InputError {
        InputError::decode(&self.name, &self.bytes, self.format, error)
    }
}

/// Whether payloads of this form can be read, with a schema or without.
///
/// # Errors
/// What it takes, in words.
pub fn check_form(form: Form, has_schema: bool) -> Result<(), String> {
    if has_schema || !form.needs_schema() {
        return Ok(());
    }
    Err(format!(
        "{form} says itself neither what its fields are called nor what they hold: give the schema \
         with --schema, or take json, msgpack, cbor, bson or an avro file, which need none"
    ))
}

/// Opens a source of payloads; those that only a schema makes sense of are read by this one. JSON
/// is a value a line where its beginning shows that, so that a broken line spoils no other.
///
/// # Errors
/// A form that takes a schema where there is none, or a source that cannot be read.
pub fn open(found: &Found, schema: Option<&Schema>) -> Result<Input, InputError> {
    let name = found.source.name();
    let checked = check_form(found.form, schema.is_some());
    checked.map_err(|message| InputError::whole(&name, message))?;
    let input = Input::open(&found.source, found.form, schema)?;
    input.with_rounded_fractions().with_lines_where_shown()
}

/// Reads payloads, source by source.
#[derive(Debug, Default)]
pub struct Reader<'s> {
    /// What makes sense of payloads that do not say themselves what they hold.
    pub schema: Option<&'s Schema>,
    /// What could not be read.
    pub errors: Vec<InputError>,
    /// What the sources said of their payloads.
    pub carried: Carried,
}

impl Reader<'_> {
    /// Reads every payload of a source: each holds a value. What cannot be read joins the errors,
    /// and hides nothing before it, nor other lines.
    pub fn read(&mut self, found: &Found) -> Vec<Payload> {
        let mut taken = Taken::new(found.form);
        let read = open(found, self.schema).and_then(|input| {
            self.carried.add(&input);
            taken.all(input, &mut self.errors)
        });
        self.errors.extend(read.err());
        taken.named(&found.source.name(), found.recorded.as_ref())
    }
}

/// What was taken of a source.
struct Taken {
    form: Form,
    payloads: Vec<One>,
    bytes: usize,
    lines: Counted,
    /// Why they cannot all be held.
    refused: Option<String>,
}

/// A payload without a name.
struct One {
    bytes: Vec<u8>,
    /// How many bytes were given.
    given: u64,
    /// Where in the source, if that is by lines.
    line: usize,
}

impl Taken {
    fn new(form: Form) -> Taken {
        let (payloads, lines) = (Vec::new(), Counted::default());
        Taken { form, payloads, bytes: 0, lines, refused: None }
    }

    fn all(&mut self, mut input: Input, errors: &mut Vec<InputError>) -> Result<(), InputError> {
        self.form = input.form();
        let mut whole = true;
        while let Err(error) = input.each(self) {
            if !input.goes_on() {
                return Err(error);
            }
            errors.push(error);
            whole = false;
        }
        if let Some(message) = self.refused.take() {
            // Some of them would not be what was asked for.
            self.payloads.clear();
            return Err(InputError::whole(input.name(), message));
        }
        if self.payloads.is_empty() && whole {
            return Err(InputError::whole(input.name(), "empty: there is no payload in it"));
        }
        Ok(())
    }

    /// Lines have numbers; of other values only those that are not alone.
    fn named(self, source: &str, recorded: Option<&Recorded>) -> Vec<Payload> {
        let base = recorded.map_or_else(|| short(source), |recorded| recorded.name.clone());
        let (form, several) = (self.form, self.payloads.len() > 1);
        let is_lines = form.framing == Framing::Lines;
        let payload = |(index, one): (usize, One)| Payload {
            name: match (is_lines, several) {
                (true, _) => format!("{base}:{}", one.line),
                (false, true) => format!("{base} #{}", index + 1),
                (false, false) => base.clone(),
            },
            format: kept_in(form),
            bytes: one.bytes,
            endpoint: recorded.map(|recorded| recorded.endpoint.clone()),
            made: (!is_kept(form)).then_some(Made { from: form, bytes: one.given }),
        };
        self.payloads.into_iter().enumerate().map(payload).collect()
    }
}

impl Take for Taken {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        let mut bytes = Vec::new();
        item.keep(self.form, &mut bytes)?;
        // All of them are held, and not the longest alone.
        self.bytes += bytes.len();
        if let Err(message) = item.check_held(self.bytes, is_kept(self.form)) {
            self.refused = Some(message);
            return Err(Halt::Stopped);
        }
        let is_lines = self.form.framing == Framing::Lines;
        let line = if is_lines { item.line(&mut self.lines) } else { 0 };
        self.payloads.push(One { bytes, given: item.bytes.len() as u64, line });
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// The last part of a path: what tables have room for.
fn short(source: &str) -> String {
    let name = Path::new(source).file_name();
    name.map_or_else(|| source.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// What keeps every value as it is: integers beyond 64 bits, floats of 32 bits, bytes, points in
/// time to the nanosecond, keys that are no text.
const KEEPER: Format = Format::Cbor;

/// What a payload was before it was made into something that says itself what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The form that it was read from.
    pub from: Form,
    /// How many bytes it took there, without what framed it.
    pub bytes: u64,
}

/// Whether payloads of a form are kept in the bytes that they came in.
pub fn is_kept(form: Form) -> bool {
    form.format.row().schema == SchemaNeeds::InBand
}

/// The format that payloads of a form are kept in.
pub fn kept_in(form: Form) -> Format {
    if is_kept(form) { form.format } else { KEEPER }
}

impl Item<'_> {
    /// Appends the bytes that a payload of this form is kept in.
    ///
    /// # Errors
    /// A value that they cannot hold, with the path to it.
    pub fn keep(&self, form: Form, out: &mut Vec<u8>) -> Result<(), Halt> {
        if is_kept(form) {
            out.extend_from_slice(self.bytes);
            return Ok(());
        }
        manywire_codec::write_value(KEEPER, &self.value, out).map_err(|error| Halt::Refused {
            path: error.path_text(),
            message: error.message().to_owned(),
        })
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.fmt(f)
    }
}

/// The schema that container files bring, where every source is one and all bring the same.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    first: Option<(String, String)>,
    differs: bool,
}

impl Carried {
    /// That of these sources, of which the headers are read and nothing else. What cannot be read, or
    /// not again, brings none.
    pub fn by(sources: &[Found]) -> Carried {
        let mut carried = Carried::default();
        let again = |found: &Found| {
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

    /// Takes notice of what a source brings.
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

    /// The name of the first source, and the text of the schema, as an `.avsc` has it.
    pub fn avsc(&self) -> Option<(&str, &str)> {
        let (name, text) = self.first.as_ref().filter(|_| !self.differs)?;
        Some((name, text))
    }
}
