use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::payload::{Input, InputError, Schema, Source};
use manywire_codec::avro::container::Compression;
use manywire_format::{Form, Schema as Needs};
use manywire_shape::fidelity::Losses;

use crate::convert::adapt::Adapter;
use crate::convert::learn::Learner;
use crate::convert::sink::{Layout, Sink};
use crate::convert::transfer::Transfer;

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
