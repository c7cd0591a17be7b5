//! Splits inputs into batches of payloads.
//!
//! Lines are split by the threads that count them. Other values end where a reader finds their end,
//! so a thread of its own reads one batch ahead.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use manywire_format::{Form, Format, Framing};

use crate::payload::{Halt, Input, Item, Lines, Schema, Take, is_stored_as_is, stored_format};
use crate::weigh::payload::{InputError, PayloadSource, open};

/// Payloads that were read together and are worked on together.
pub(super) struct Batch {
    /// Whole lines, or values behind each other.
    pub(super) bytes: Vec<u8>,
    /// The file they came from.
    pub(super) file: String,
    /// The format of each payload.
    pub(super) format: Format,
    /// What they were read from, where these are not the bytes that were given.
    pub(super) made_from: Option<Form>,
    /// What tells one from the next.
    pub(super) division: Division,
}

/// A payload of a batch.
pub(super) struct BatchPayload<'b> {
    /// Which it is.
    pub(super) number: PayloadNumber,
    /// Its bytes.
    pub(super) bytes: &'b [u8],
    /// How many were given.
    pub(super) input_bytes: usize,
}

/// Where a value ends in a batch.
pub(super) struct ValueEnd {
    pub(super) at: usize,
    /// How many bytes were given of it.
    pub(super) input_bytes: usize,
}

/// What tells the payloads of a batch from each other.
pub(super) enum Division {
    /// Each line is one.
    Lines {
        /// How many lines of the file stand before them.
        before: usize,
    },
    /// They have been found already.
    Values {
        /// How many values of the file stand before them.
        before: usize,
        /// Where each ends.
        ends: Vec<ValueEnd>,
    },
}

impl Default for Batch {
    fn default() -> Self {
        let division = Division::Lines { before: 0 };
        let (bytes, file) = (Vec::new(), String::new());
        Batch { bytes, file, format: Format::Json, made_from: None, division }
    }
}

/// Which payload of its file one is, counted from 1.
#[derive(Clone, Copy)]
pub(super) enum PayloadNumber {
    /// The line that it is.
    Line(usize),
    /// How many values there are up to it.
    Value(usize),
}

/// Reads several inputs, batch by batch.
pub(super) struct Batches {
    waiting: std::vec::IntoIter<PayloadSource>,
    schema: Option<Schema>,
    open: Option<OpenInput>,
    /// What could not be opened or read.
    pub(super) errors: Vec<InputError>,
    /// Bytes read so far.
    pub(super) bytes_read: u64,
}

/// An input that is being read.
enum OpenInput {
    /// Lines are left to those who work on them.
    Lines(Format, Lines),
    /// Where other values end is known only when they have been read.
    Values(Values),
}

impl Batches {
    /// What only a schema makes sense of is read by this one.
    pub(super) fn new(inputs: &[PayloadSource], schema: Option<&Schema>) -> Self {
        let (waiting, schema) = (inputs.to_vec(), schema.cloned());
        let (open, errors) = (None, Vec::new());
        Batches { waiting: waiting.into_iter(), schema, open, errors, bytes_read: 0 }
    }

    /// Fills the batch with what comes next; `false` once there is nothing more.
    pub(super) fn next(&mut self, batch: &mut Batch) -> bool {
        loop {
            let Some(input) = &mut self.open else {
                let Some(found) = self.waiting.next() else { return false };
                match start(&found, self.schema.as_ref()) {
                    Ok(input) => self.open = Some(input),
                    Err(error) => self.errors.push(error),
                }
                continue;
            };
            match input.fill(batch) {
                Ok(true) => {
                    self.bytes_read += batch.bytes.len() as u64;
                    return true;
                }
                Ok(false) => self.open = None,
                Err(error) => {
                    self.errors.push(error);
                    self.open = None;
                }
            }
        }
    }
}

fn start(found: &PayloadSource, schema: Option<&Schema>) -> Result<OpenInput, InputError> {
    let input = open(found, schema)?;
    let form = input.form();
    Ok(match form.framing {
        Framing::Lines => OpenInput::Lines(form.format, input.into_lines()),
        _ => OpenInput::Values(Values::start(input)),
    })
}

impl OpenInput {
    fn fill(&mut self, batch: &mut Batch) -> Result<bool, InputError> {
        match self {
            OpenInput::Lines(format, lines) => {
                let Some(before) = lines.next(&mut batch.bytes)? else { return Ok(false) };
                batch.division = Division::Lines { before };
                batch.format = *format;
                batch.made_from = None;
                batch.file.clear();
                batch.file.push_str(lines.name());
                Ok(true)
            }
            OpenInput::Values(values) => match values.next()? {
                Some(next) => {
                    *batch = next;
                    Ok(true)
                }
                None => Ok(false),
            },
        }
    }
}

impl Batch {
    /// Each payload, and which it is.
    pub(super) fn payloads(&self) -> impl Iterator<Item = BatchPayload<'_>> {
        let (lines, values) = match &self.division {
            Division::Lines { before } => (Some(self.lines(*before)), None),
            Division::Values { before, ends } => (None, Some(self.values(*before, ends))),
        };
        lines.into_iter().flatten().chain(values.into_iter().flatten())
    }

    fn lines(&self, before: usize) -> impl Iterator<Item = BatchPayload<'_>> {
        let lines = self.bytes.split(|&byte| byte == b'\n').enumerate();
        let written = lines.filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace));
        written.map(move |(index, bytes)| BatchPayload {
            number: PayloadNumber::Line(before + index + 1),
            bytes,
            input_bytes: bytes.len(),
        })
    }

    fn values<'b>(
        &'b self,
        before: usize,
        ends: &'b [ValueEnd],
    ) -> impl Iterator<Item = BatchPayload<'b>> {
        let starts = std::iter::once(0).chain(ends.iter().map(|end| end.at));
        let values = starts.zip(ends).enumerate();
        values.map(move |(index, (start, end))| BatchPayload {
            number: PayloadNumber::Value(before + index + 1),
            bytes: &self.bytes[start..end.at],
            input_bytes: end.input_bytes,
        })
    }

    /// What a payload of it is called.
    pub(super) fn name(&self, number: PayloadNumber) -> String {
        match number {
            PayloadNumber::Line(line) => format!("{}:{line}", self.file),
            // The first is most often the only one.
            PayloadNumber::Value(1) => self.file.clone(),
            PayloadNumber::Value(value) => format!("{} #{value}", self.file),
        }
    }
}

/// Bytes gathered before a batch is handed out: enough to make handing out rare, few enough for a
/// batch a thread to stay small.
const BATCH_BYTES: usize = 1 << 20;

/// An input that a thread finds the values of, a batch ahead.
pub(super) struct Values {
    batches: Receiver<Result<Batch, InputError>>,
}

impl Values {
    pub(super) fn start(input: Input) -> Values {
        let (sender, batches) = sync_channel(1);
        thread::spawn(move || PartialBatch::new(&input, sender).all(input));
        Values { batches }
    }

    /// The next batch; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, InputError> {
        // A sender that is gone has sent all there was.
        self.batches.recv().ok().transpose()
    }
}

/// A batch that is not full.
struct PartialBatch {
    form: Form,
    batch: Batch,
    ends: Vec<ValueEnd>,
    // Values in the batches before.
    before: usize,
    sender: SyncSender<Result<Batch, InputError>>,
}

impl PartialBatch {
    fn new(input: &Input, sender: SyncSender<Result<Batch, InputError>>) -> PartialBatch {
        let (file, form) = (input.name().to_owned(), input.form());
        let made_from = (!is_stored_as_is(form)).then_some(form);
        let batch = Batch { file, format: stored_format(form), made_from, ..Batch::default() };
        PartialBatch { form, batch, ends: Vec::new(), before: 0, sender }
    }

    fn all(mut self, mut input: Input) {
        let read = input.each(&mut self);
        // Whoever wants no more has gone, and is told nothing.
        let rest = self.hand_out();
        if let (Ok(()), Err(error)) = (rest, read) {
            drop(self.sender.send(Err(error)));
        }
    }

    fn hand_out(&mut self) -> Result<(), Halt> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let ends = std::mem::take(&mut self.ends);
        let (before, count) = (self.before, ends.len());
        self.before += count;
        let full = Batch {
            bytes: std::mem::take(&mut self.batch.bytes),
            file: self.batch.file.clone(),
            format: self.batch.format,
            made_from: self.batch.made_from,
            division: Division::Values { before, ends },
        };
        self.sender.send(Ok(full)).map_err(|_| Halt::Stopped)
    }
}

impl Take for PartialBatch {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        item.write_stored(self.form, &mut self.batch.bytes)?;
        self.ends.push(ValueEnd { at: self.batch.bytes.len(), input_bytes: item.bytes.len() });
        if self.batch.bytes.len() >= BATCH_BYTES { self.hand_out() } else { Ok(()) }
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}
