//! Conversions: read values, adapt each to the output format, and write it. If the output needs a schema
//! and none is given, it is inferred in a first pass over all values.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use manywire_codec::avro::container::Compression;
use manywire_codec::{Error, Segment};
use manywire_format::{Form, Format, SchemaNeeds};
use manywire_shape::Value;
use manywire_shape::fidelity::Losses;
use manywire_shape::infer::Inference;
use manywire_shape::path::{Path, Step};

use crate::convert::adapt::{Adapter, refusal_of};
use crate::convert::sink::{Layout, Sink};
use crate::payload::{Halt, Input, InputError, Item, ProtoJsonRules, Schema, Source, Take};

/// A conversion of values from one form to another.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The source of the values.
    pub source: Source,
    /// The form of the input.
    pub from: Form,
    /// The form of the output.
    pub to: Form,
    /// The schema of the values, for reading and writing formats that need one.
    pub schema: Option<Schema>,
    /// Allows replacements for values that the output cannot represent.
    pub lossy: bool,
    /// Indents JSON.
    pub pretty: bool,
    /// The compression of the blocks of an Avro container.
    pub compression: Compression,
}

/// The result of a conversion.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The number of values that were written.
    pub values: u64,
    /// The values that were replaced or lost, if that was allowed.
    pub losses: Losses,
    /// The error that ended the conversion early. The values before it are written.
    pub failure: Option<Failure>,
    /// True if the user interrupted the conversion.
    pub interrupted: bool,
}

/// The error that ends a conversion early.
#[derive(Debug)]
pub enum Failure {
    /// The input could not be read, or a value in it could not be converted.
    Input(InputError),
    /// The output could not be written.
    Output(io::Error),
    /// The schema could not be used or written.
    Schema(SchemaFailure),
}

/// The error for a schema that cannot be used or written.
#[derive(Debug)]
pub enum SchemaFailure {
    /// The format or the language of the schema cannot describe the shape of the values.
    Unsupported(manywire_codec::Error),
    /// The language of the file cannot describe the shape of the values.
    UnsupportedIn(PathBuf, manywire_codec::Error),
    /// The file of the schema could not be written.
    Write(io::Error),
}

impl fmt::Display for SchemaFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaFailure::Unsupported(error) => error.fmt(f),
            SchemaFailure::UnsupportedIn(file, error) => write!(f, "{}: {error}", file.display()),
            SchemaFailure::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SchemaFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            SchemaFailure::Unsupported(error) | SchemaFailure::UnsupportedIn(_, error) => error,
            SchemaFailure::Write(error) => error,
        })
    }
}

impl From<manywire_codec::Error> for SchemaFailure {
    fn from(error: manywire_codec::Error) -> Self {
        SchemaFailure::Unsupported(error)
    }
}

/// Takes the schema of the output before the first value is written.
pub type TakeSchema<'t> = dyn FnMut(&Schema) -> Result<(), SchemaFailure> + 't;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(error) => error.fmt(f),
            Failure::Output(error) => write!(f, "the output cannot be written: {error}"),
            Failure::Schema(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            Failure::Input(error) => error,
            Failure::Output(error) => error,
            Failure::Schema(error) => error,
        })
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error)
    }
}

impl Conversion {
    /// Converts every value. If the output format needs a schema and none is given, it is inferred
    /// in a first pass over all values; an input that cannot be read twice then fails at its second
    /// value. Passes the schema of the output to `schema` before the first value is written.
    ///
    /// Only whole values are written to `out`, also after an error.
    pub fn run(
        &self,
        out: &mut dyn Write,
        schema: &mut TakeSchema<'_>,
        interrupted: &AtomicBool,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let result = self.transfer(out, schema, interrupted, &mut outcome);
        outcome.failure = result.err();
        outcome.interrupted = interrupted.load(Ordering::Relaxed);
        outcome
    }

    fn transfer(
        &self,
        out: &mut dyn Write,
        write_schema: &mut TakeSchema<'_>,
        interrupted: &AtomicBool,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let mut input = self.open(self.schema.as_ref())?;
        let by_shape = self.to.format.row().schema != SchemaNeeds::InBand;
        let known = self.schema.clone().or_else(|| input.schema().cloned());
        let given = known.is_some();
        let learned;
        let mut transfer = if !by_shape || given {
            learned = known;
            if let Some(schema) = &learned {
                write_schema(schema).map_err(Failure::Schema)?;
            }
            self.start(learned.as_ref(), given, out, interrupted)?
        } else if self.source.is_repeatable() {
            learned = self.learn(&mut input, interrupted)?;
            let Some(schema) = &learned else { return Ok(()) };
            write_schema(schema).map_err(Failure::Schema)?;
            input = self.open(None)?;
            self.start(Some(schema), given, out, interrupted)?
        } else {
            Transfer::single_value(self, write_schema, out, interrupted)
        };
        let read = input.each(&mut transfer);
        transfer.finish();
        outcome.values = transfer.values;
        outcome.losses = transfer.losses();
        let missing = match &transfer.state {
            State::First(_) => Some(self.no_values()),
            State::Any(sink) if sink.awaits_value() => Some(self.no_single_value()),
            State::Only(_) | State::Any(_) => None,
        };
        if let Some(error) = transfer.failed {
            return Err(Failure::Output(error));
        }
        read?;
        missing.filter(|_| !interrupted.load(Ordering::Relaxed)).map_or(Ok(()), Err)
    }

    /// Opens the input. Fields that the schema does not have are dropped and listed as losses if
    /// losses are allowed, and are errors otherwise. JSON that a `.proto` describes is ProtoJSON, except
    /// for formats that need no schema, which are written without it.
    fn open(&self, schema: Option<&Schema>) -> Result<Input, InputError> {
        let mut input = Input::open(&self.source, self.from, schema)?;
        let rules = ProtoJsonRules::STRICT;
        if self.to.format == Format::Avro {
            input = input.with_proto_json(rules.with_zeros());
        } else if self.to.format.row().schema != SchemaNeeds::InBand {
            input = input.with_proto_json(rules);
        }
        Ok(if self.lossy { input.with_unknown_fields_dropped() } else { input })
    }

    fn start<'t>(
        &'t self,
        schema: Option<&'t Schema>,
        given: bool,
        out: &'t mut dyn Write,
        interrupted: &'t AtomicBool,
    ) -> Result<Transfer<'t>, Failure> {
        let mut buffer = Vec::new();
        let sink = self.sink(schema, given, &mut buffer);
        let sink = sink.map_err(|error| Failure::Schema(error.into()))?;
        let mut transfer = Transfer::to_sink(self, sink, buffer, out, interrupted);
        if let Some(schema) = schema {
            transfer.adapter = transfer.adapter.for_shape(&schema.shape);
        }
        Ok(transfer)
    }

    pub(crate) fn sink(
        &self,
        schema: Option<&Schema>,
        given: bool,
        out: &mut Vec<u8>,
    ) -> manywire_codec::Result<Sink> {
        let layout = Layout { pretty: self.pretty, compression: self.compression };
        Sink::new(self.to, layout, schema, given, out)
    }

    /// Infers the schema of all values. Returns `None` after an interrupt.
    fn learn(
        &self,
        input: &mut Input,
        interrupted: &AtomicBool,
    ) -> Result<Option<Schema>, Failure> {
        let adapter = Adapter::new(self.to.format, self.lossy);
        let mut learner = SchemaLearner::new(adapter, interrupted);
        input.each(&mut learner)?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        learner.schema().map(Some).ok_or_else(|| self.no_values())
    }

    /// Returns the error for an input without values, from which no schema can be inferred.
    #[cold]
    fn no_values(&self) -> Failure {
        let title = self.to.format.row().title;
        let message = format!("cannot infer a schema for {title}: the input has no values");
        Failure::Input(InputError::whole(&self.source.name(), message))
    }

    /// Returns the error for an input without values, if the form of the output has exactly one.
    #[cold]
    fn no_single_value(&self) -> Failure {
        let message = format!("the input has no values, and the form {} has exactly one", self.to);
        Failure::Input(InputError::whole(&self.source.name(), message))
    }
}

/// Infers the shape of all values, in the first of the two passes over an input.
pub(crate) struct SchemaLearner<'l> {
    adapter: Adapter<'l>,
    inference: Inference,
    interrupted: &'l AtomicBool,
}

impl<'l> SchemaLearner<'l> {
    pub(crate) fn new(adapter: Adapter<'l>, interrupted: &'l AtomicBool) -> Self {
        SchemaLearner { adapter, inference: Inference::new(), interrupted }
    }

    /// Returns the inferred schema, if there was a value.
    pub(crate) fn schema(&self) -> Option<Schema> {
        (self.inference.samples() > 0).then(|| Schema::from(self.inference.shape()))
    }
}

impl Take for SchemaLearner<'_> {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        // Infers from the adapted value, because that is what will be written.
        let value = self.adapter.fit(item.value, item.arena)?;
        self.inference.add(&value);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// The number of bytes that are buffered before they are written.
const WRITE_BYTES: usize = 64 << 10;

/// Adapts values and writes them.
pub(crate) struct Transfer<'t> {
    conversion: &'t Conversion,
    adapter: Adapter<'t>,
    state: State<'t>,
    out: &'t mut dyn Write,
    buffer: Vec<u8>,
    interrupted: &'t AtomicBool,
    /// The number of values so far.
    pub(crate) values: u64,
    /// The error that stopped writing.
    pub(crate) failed: Option<io::Error>,
}

enum State<'t> {
    /// The first value decides the schema, and must be the only one.
    First(&'t mut TakeSchema<'t>),
    /// The only value has been written.
    Only(Sink),
    /// Any number of values.
    Any(Sink),
}

impl<'t> Transfer<'t> {
    /// Returns a transfer of any number of values to a sink. `buffer` has the bytes before the
    /// first value, such as the header of a container file.
    pub(crate) fn to_sink(
        conversion: &'t Conversion,
        sink: Sink,
        buffer: Vec<u8>,
        out: &'t mut dyn Write,
        interrupted: &'t AtomicBool,
    ) -> Self {
        Transfer::new(conversion, State::Any(sink), buffer, out, interrupted)
    }

    /// Returns a transfer of a single value, whose own shape is the schema. A second value is an
    /// error.
    pub(crate) fn single_value(
        conversion: &'t Conversion,
        schema: &'t mut TakeSchema<'t>,
        out: &'t mut dyn Write,
        interrupted: &'t AtomicBool,
    ) -> Self {
        Transfer::new(conversion, State::First(schema), Vec::new(), out, interrupted)
    }

    fn new(
        conversion: &'t Conversion,
        state: State<'t>,
        buffer: Vec<u8>,
        out: &'t mut dyn Write,
        interrupted: &'t AtomicBool,
    ) -> Self {
        let adapter = Adapter::new(conversion.to.format, conversion.lossy);
        Transfer { conversion, adapter, state, out, buffer, interrupted, values: 0, failed: None }
    }

    /// Writes the buffered values and the end of the output.
    pub(crate) fn finish(&mut self) {
        if let State::Only(sink) | State::Any(sink) = &mut self.state
            && let Err(error) = sink.finish(&mut self.buffer)
        {
            self.failed.get_or_insert_with(|| io::Error::other(error));
        }
        // The error is in `failed`.
        drop(self.flush());
    }

    /// Returns the losses so far.
    pub(crate) fn losses(&mut self) -> Losses {
        std::mem::take(self.adapter.losses())
    }

    fn flush(&mut self) -> Result<(), Halt> {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(&self.buffer).and_then(|()| self.out.flush())
        {
            self.failed = Some(error);
        }
        self.buffer.clear();
        if self.failed.is_some() { Err(Halt::Stopped) } else { Ok(()) }
    }
}

impl Take for Transfer<'_> {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        if let Some(error) = item.dropped {
            self.adapter.losses().add(&path_of(error), dropped(error));
        }
        let value = self.adapter.fit(item.value, item.arena)?;
        if let State::First(write_schema) = &mut self.state {
            let mut inference = Inference::new();
            inference.add(&value);
            let schema = Schema::from(inference.shape());
            write_schema(&schema).map_err(|error| Halt::Refused {
                path: "$".to_owned(),
                message: error.to_string(),
            })?;
            let sink = self.conversion.sink(Some(&schema), false, &mut self.buffer);
            self.state = State::Only(sink.map_err(|error| refusal_of(&error))?);
        }
        let sink = match &mut self.state {
            State::Any(sink) => sink,
            State::Only(sink) if item.number == 1 => sink,
            _ => return Err(second_value(self.conversion)),
        };
        sink.write(&value, self.adapter.losses_if_lossy(), &mut self.buffer)?;
        self.values += 1;
        if self.buffer.len() >= WRITE_BYTES { self.pause() } else { Ok(()) }
    }

    fn pause(&mut self) -> Result<(), Halt> {
        match self.state {
            // Nothing is written before it is known that there is only one value.
            State::First(_) | State::Only(_) => Ok(()),
            State::Any(_) => self.flush(),
        }
    }
}

/// Returns the path of the first field that was dropped.
#[cold]
fn path_of(error: &Error) -> Path<'_> {
    let mut path = Path::default();
    for segment in error.path() {
        path.push(match segment {
            Segment::Key(key) => Step::Key(Value::Str(key)),
            Segment::Index(index) => Step::Index(*index),
        });
    }
    path
}

/// Describes the loss of the first field that was dropped from a value. More fields may have been
/// dropped, which `error` does not tell.
#[cold]
fn dropped(error: &Error) -> String {
    format!("a field was dropped, and perhaps more: {}", error.message())
}

#[cold]
fn second_value(conversion: &Conversion) -> Halt {
    let format = conversion.to.format.row().title;
    let message = format!(
        "a second value: without a schema, {format} is written by the shape of all values, which \
         takes reading them twice; write them to a file first, or give a schema with --schema"
    );
    Halt::Refused { path: "$".to_owned(), message }
}
