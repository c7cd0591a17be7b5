use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::payload::{Halt, Item, Schema, Take};
use manywire_shape::fidelity::Losses;
use manywire_shape::infer::Inference;

use crate::convert::adapt::{Adapter, refused};
use crate::convert::conversion::Conversion;
use crate::convert::sink::Sink;

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
