//! Payloads: the values of a source, each with the bytes that it was written in.

use std::path::Path;

use manywire_codec::Error;
use manywire_format::{Form, Format, Framing, Schema};

use crate::window::Counted;
use crate::{Found, Halt, Input, InputError, Item, Recorded, Take};

/// One sample of a user's data, as it was written.
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
}

impl Payload {
    /// A payload that comes from nowhere in particular.
    pub fn new(name: &str, format: Format, bytes: Vec<u8>) -> Self {
        Payload { name: name.to_owned(), format, bytes, endpoint: None }
    }

    /// What is wrong with its bytes, and where in them.
    #[cold]
    pub fn error(&self, error: &Error) -> InputError {
        InputError::decode(&self.name, &self.bytes, self.format, error)
    }
}

/// Whether payloads come in this form: each has to say by itself what it holds.
///
/// # Errors
/// Which forms they come in, in words.
pub fn check_form(form: Form) -> Result<(), String> {
    if form.format.row().schema == Schema::InBand {
        return Ok(());
    }
    Err(format!(
        "payloads are not read from {form}: they come in json, msgpack, cbor or bson, one or a \
         stream of them, which `manywire convert --to ndjson` makes of any other"
    ))
}

/// Opens a source of payloads. JSON is a value a line where its beginning shows that, so that a
/// broken line spoils no other.
///
/// # Errors
/// A form that payloads do not come in, or a source that cannot be read.
pub fn open(found: &Found) -> Result<Input, InputError> {
    let name = found.source.name();
    check_form(found.form).map_err(|message| InputError::whole(&name, message))?;
    let input = Input::open(&found.source, found.form, None)?;
    input.with_rounded_fractions().with_lines_where_shown()
}

/// Reads every payload of a source: each holds a value. What cannot be read joins the errors, and
/// hides nothing before it, nor other lines.
pub fn read(found: &Found, errors: &mut Vec<InputError>) -> Vec<Payload> {
    let mut taken = Taken { format: found.form.format, ..Taken::default() };
    let read = open(found).and_then(|input| taken.all(input, errors));
    errors.extend(read.err());
    taken.named(&found.source.name(), found.recorded.as_ref())
}

/// What was taken of a source.
struct Taken {
    format: Format,
    is_lines: bool,
    payloads: Vec<(Vec<u8>, usize)>,
    bytes: usize,
    lines: Counted,
    /// Why they cannot all be held.
    refused: Option<String>,
}

impl Default for Taken {
    fn default() -> Self {
        Taken {
            format: Format::Json,
            is_lines: false,
            payloads: Vec::new(),
            bytes: 0,
            lines: Counted::default(),
            refused: None,
        }
    }
}

impl Taken {
    fn all(&mut self, mut input: Input, errors: &mut Vec<InputError>) -> Result<(), InputError> {
        self.is_lines = input.form().framing == Framing::Lines;
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
        let (format, is_lines, several) = (self.format, self.is_lines, self.payloads.len() > 1);
        let payload = |(index, (bytes, line)): (usize, (Vec<u8>, usize))| Payload {
            name: match (is_lines, several) {
                (true, _) => format!("{base}:{line}"),
                (false, true) => format!("{base} #{}", index + 1),
                (false, false) => base.clone(),
            },
            format,
            bytes,
            endpoint: recorded.map(|recorded| recorded.endpoint.clone()),
        };
        self.payloads.into_iter().enumerate().map(payload).collect()
    }
}

impl Take for Taken {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        // All of them are held, and not the longest alone.
        self.bytes += item.bytes.len();
        if let Err(message) = item.check_held(self.bytes) {
            self.refused = Some(message);
            return Err(Halt::Stopped);
        }
        let line = if self.is_lines { item.line(&mut self.lines) } else { 0 };
        self.payloads.push((item.bytes.to_vec(), line));
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
