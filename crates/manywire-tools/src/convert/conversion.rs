//! `Conversion`: reads values, makes each fit the output format, and writes it.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use manywire_codec::avro::container::Compression;
use manywire_format::{Form, Schema as Needs};
use manywire_shape::fidelity::Losses;
use manywire_shape::infer::Inference;

use crate::convert::adapt::{Adapter, refused};
use crate::convert::sink::{Layout, Sink};
use crate::payload::{Halt, Input, InputError, Item, Schema, Source, Take};

/// Values from one form to another.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Where they come from.
    pub source: Source,
    /// What they are in.
    pub from: Form,
    /// What they become.
    pub to: Form,
    /// The schema they are of, for the formats that need one: to read by, and to write by.
    pub schema: Option<Schema>,
    /// Whether what the format cannot hold may be replaced.
    pub lossy: bool,
    /// JSON for people.
    pub pretty: bool,
    /// How the blocks of an Avro container are compressed.
    pub compression: Compression,
}

/// What came of a conversion.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many values were written.
    pub values: u64,
    /// What was replaced or lost on the way, if that was allowed.
    pub losses: Losses,
    /// Why it ended early, if it did. The values before are written.
    pub failure: Option<Failure>,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

/// Why a conversion ended before its input did.
#[derive(Debug)]
pub enum Failure {
    /// The input could not be read, or a value in it could not be converted.
    Input(InputError),
    /// The output could not be written.
    Output(io::Error),
    /// The schema could not be made, used or passed on.
    Schema(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(error) => error.fmt(f),
            Failure::Output(error) => write!(f, "the output cannot be written: {error}"),
            Failure::Schema(message) => f.write_str(message),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error)
    }
}

impl Conversion {
    /// Converts every value. Where the format is written by a shape and none is given, it is
    /// learnt from all of them, in a first reading; where that is not possible, there may only be
    /// one. `schema` is told what the values are written by before the first of them is.
    ///
    /// Bytes go to `out` value by value, so what was written is whole whatever happens.
    pub fn run(
        &self,
        out: &mut dyn Write,
        schema: &mut dyn FnMut(&Schema) -> Result<(), String>,
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
        tell: &mut dyn FnMut(&Schema) -> Result<(), String>,
        interrupted: &AtomicBool,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let mut input = Input::open(&self.source, self.from, self.schema.as_ref())?;
        let by_shape = self.to.format.row().schema != Needs::InBand;
        let known = self.schema.clone().or_else(|| input.schema().cloned());
        let given = known.is_some();
        let learnt;
        let mut transfer = if !by_shape || given {
            learnt = known;
            if let Some(schema) = &learnt {
                tell(schema).map_err(Failure::Schema)?;
            }
            self.start(learnt.as_ref(), given, out, interrupted)?
        } else if self.source.is_repeatable() {
            let Some(schema) = self.learn(&mut input, interrupted)? else { return Ok(()) };
            tell(&schema).map_err(Failure::Schema)?;
            input = Input::open(&self.source, self.from, None)?;
            self.start(Some(&schema), given, out, interrupted)?
        } else {
            Transfer::of_one(self, tell, out, interrupted)
        };
        let read = input.each(&mut transfer);
        transfer.finish();
        outcome.values = transfer.values;
        outcome.losses = transfer.losses();
        match transfer.failed {
            Some(error) => Err(Failure::Output(error)),
            None => Ok(read?),
        }
    }

    fn start<'t>(
        &'t self,
        schema: Option<&Schema>,
        given: bool,
        out: &'t mut dyn Write,
        interrupted: &'t AtomicBool,
    ) -> Result<Transfer<'t>, Failure> {
        let mut buffer = Vec::new();
        let sink = self.sink(schema, given, &mut buffer);
        let sink = sink.map_err(|error| Failure::Schema(error.to_string()))?;
        Ok(Transfer::of_any(self, sink, buffer, out, interrupted))
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

    /// The schema of all values; none if there are no values, or it was interrupted.
    fn learn(
        &self,
        input: &mut Input,
        interrupted: &AtomicBool,
    ) -> Result<Option<Schema>, Failure> {
        let adapter = Adapter::new(self.to.format, self.lossy);
        let mut learner = Learner::new(adapter, interrupted);
        input.each(&mut learner)?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        learner.schema().map(Some).ok_or_else(|| {
            let title = self.to.format.row().title;
            let message = format!("there is no value to learn the schema of {title} from");
            Failure::Input(InputError::whole(&self.source.name(), message))
        })
    }
}

/// Learns the shape of all values: the first of the two readings of an input.
pub(crate) struct Learner<'l> {
    adapter: Adapter,
    inference: Inference,
    interrupted: &'l AtomicBool,
}

impl<'l> Learner<'l> {
    pub(crate) fn new(adapter: Adapter, interrupted: &'l AtomicBool) -> Self {
        Learner { adapter, inference: Inference::new(), interrupted }
    }

    /// What was learnt, if there was a value to learn it from.
    pub(crate) fn schema(&self) -> Option<Schema> {
        (self.inference.samples() > 0).then(|| Schema::from(self.inference.shape()))
    }
}

impl Take for Learner<'_> {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        // As it will be written: what the format cannot hold has no place in its schema.
        let value = self.adapter.fit(item.value, item.arena)?;
        self.inference.add(&value);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// Bytes gathered before they are written.
const WRITE_BYTES: usize = 64 << 10;

/// Takes values and writes them.
pub(crate) struct Transfer<'t> {
    conversion: &'t Conversion,
    adapter: Adapter,
    state: State<'t>,
    out: &'t mut dyn Write,
    buffer: Vec<u8>,
    interrupted: &'t AtomicBool,
    /// How many values were taken.
    pub(crate) values: u64,
    /// Why nothing more can be written.
    pub(crate) failed: Option<io::Error>,
}

enum State<'t> {
    /// The sink is made of the first value, which must be the only one; then `schema` is told.
    First(&'t mut dyn FnMut(&Schema) -> Result<(), String>),
    /// That value has been written.
    Only(Sink),
    /// Any number of values.
    Any(Sink),
}

impl<'t> Transfer<'t> {
    /// Writes any number of values into a sink; `buffer` is what it has begun with.
    pub(crate) fn of_any(
        conversion: &'t Conversion,
        sink: Sink,
        buffer: Vec<u8>,
        out: &'t mut dyn Write,
        interrupted: &'t AtomicBool,
    ) -> Self {
        Transfer::new(conversion, State::Any(sink), buffer, out, interrupted)
    }

    /// Writes one value by its own shape.
    pub(crate) fn of_one(
        conversion: &'t Conversion,
        schema: &'t mut dyn FnMut(&Schema) -> Result<(), String>,
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

    /// Writes the values that are whole, and what ends them.
    pub(crate) fn finish(&mut self) {
        if let State::Only(sink) | State::Any(sink) = &mut self.state
            && let Err(error) = sink.finish(&mut self.buffer)
        {
            self.failed.get_or_insert_with(|| io::Error::other(error));
        }
        // What was said by the halt is in `failed`.
        drop(self.flush());
    }

    /// What was replaced on the way.
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
        let value = self.adapter.fit(item.value, item.arena)?;
        if let State::First(tell) = &mut self.state {
            let mut inference = Inference::new();
            inference.add(&value);
            let schema = Schema::from(inference.shape());
            tell(&schema).map_err(|message| Halt::Refused { path: "$".to_owned(), message })?;
            let sink = self.conversion.sink(Some(&schema), false, &mut self.buffer);
            self.state = State::Only(sink.map_err(|error| refused(&error))?);
        }
        let sink = match &mut self.state {
            State::Any(sink) => sink,
            State::Only(sink) if item.number == 1 => sink,
            _ => return Err(only_one(self.conversion)),
        };
        sink.write(&value, self.adapter.losses_if_lossy(), &mut self.buffer)?;
        self.values += 1;
        if self.buffer.len() >= WRITE_BYTES { self.pause() } else { Ok(()) }
    }

    fn pause(&mut self) -> Result<(), Halt> {
        match self.state {
            // Nothing is written before it is certain that there is but one.
            State::First(_) | State::Only(_) => Ok(()),
            State::Any(_) => self.flush(),
        }
    }
}

#[cold]
fn only_one(conversion: &Conversion) -> Halt {
    let format = conversion.to.format.row().title;
    let message = format!(
        "a second value: without a schema, {format} is written by the shape of all values, which \
         takes reading them twice; write them to a file first, or give a schema with --schema"
    );
    Halt::Refused { path: "$".to_owned(), message }
}
