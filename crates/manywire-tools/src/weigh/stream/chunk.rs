//! Splits inputs into chunks of payloads.
//!
//! The counting threads split lines. Other values end where a reader finds their end, so a separate
//! thread reads one chunk ahead.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use manywire_format::{Form, Format, Framing};

use crate::payload::reader::open;
use crate::payload::{
    Counted, Halt, Input, InputError, Item, Lines, PayloadSource, Schema, Take, is_stored_as_is,
    stored_format,
};

/// Payloads that are read and processed together.
pub(super) struct Chunk {
    /// The number of chunks of all inputs before this one.
    pub(super) index: u64,
    /// Whole lines, or values one after another.
    pub(super) bytes: Vec<u8>,
    /// The file that the payloads came from.
    pub(super) file: String,
    /// The format of each payload.
    pub(super) format: Format,
    /// The original form, if the bytes were converted from it.
    pub(super) made_from: Option<Form>,
    /// The boundaries between payloads.
    pub(super) division: Division,
    /// The number of bytes of the input since the chunk before.
    bytes_read: u64,
    /// The errors of invalid lines before and between the payloads.
    pub(super) faults: Vec<InputError>,
}

/// A payload of a chunk.
pub(super) struct ChunkPayload<'b> {
    /// The number in the file.
    pub(super) number: PayloadNumber,
    /// The bytes.
    pub(super) bytes: &'b [u8],
    /// The size of the payload in the input, in bytes.
    pub(super) input_bytes: usize,
}

/// The end of a value in a chunk.
pub(super) struct ValueEnd {
    pub(super) at: usize,
    /// The size of the value in the input, in bytes.
    pub(super) input_bytes: usize,
    /// The number of the line where the value begins, in sources of lines.
    pub(super) line: Option<usize>,
}

/// The boundaries between the payloads of a chunk.
pub(super) enum Division {
    /// Each line that is not blank is a payload.
    Lines {
        /// The number of earlier lines of the file.
        before: usize,
    },
    /// The ends of values are listed.
    Values {
        /// The number of earlier values of the file.
        before: usize,
        /// The end of each value.
        ends: Vec<ValueEnd>,
    },
}

impl Default for Chunk {
    fn default() -> Self {
        let division = Division::Lines { before: 0 };
        let (bytes, file) = (Vec::new(), String::new());
        let faults = Vec::new();
        let (index, bytes_read) = (0, 0);
        let (format, made_from) = (Format::Json, None);
        Chunk { index, bytes, file, format, made_from, division, bytes_read, faults }
    }
}

/// The number of a payload in its file, counted from 1.
#[derive(Clone, Copy)]
pub(super) enum PayloadNumber {
    /// The line number.
    Line(usize),
    /// The number of the value.
    Value(usize),
}

/// Reads several inputs, chunk by chunk.
pub(super) struct Chunks {
    waiting: std::vec::IntoIter<PayloadSource>,
    schema: Option<Schema>,
    open: Option<OpenInput>,
    /// Inputs that could not be opened or read.
    pub(super) errors: Vec<InputError>,
    /// Chunks read so far.
    chunks_read: u64,
    /// Bytes read so far.
    pub(super) bytes_read: u64,
    /// The number of bytes of all inputs, if it is known: not for streams and compressed files.
    pub(super) bytes_total: Option<u64>,
}

/// An input that is being read.
enum OpenInput {
    /// Lines, which the counting threads split.
    Lines(Format, Lines),
    /// Other values, whose ends are known only after reading them.
    Values(Values),
}

impl Chunks {
    /// Creates a reader of these inputs. `schema` is for formats that cannot be read without one.
    pub(super) fn new(inputs: &[PayloadSource], schema: Option<&Schema>) -> Self {
        let (waiting, schema) = (inputs.to_vec(), schema.cloned());
        let (open, errors) = (None, Vec::new());
        let size = |found: &PayloadSource| match found.source.is_coded() {
            true => None,
            false => found.source.coded_bytes(),
        };
        let bytes_total = inputs.iter().map(size).sum();
        let waiting = waiting.into_iter();
        Chunks { waiting, schema, open, errors, chunks_read: 0, bytes_read: 0, bytes_total }
    }

    /// Fills the chunk with the next payloads. Returns `false` at the end.
    pub(super) fn next(&mut self, chunk: &mut Chunk) -> bool {
        loop {
            let Some(input) = &mut self.open else {
                let Some(found) = self.waiting.next() else { return false };
                match start(&found, self.schema.as_ref()) {
                    Ok(input) => self.open = Some(input),
                    Err(error) => self.errors.push(error),
                }
                continue;
            };
            match input.fill(chunk) {
                Ok(true) => {
                    chunk.index = self.chunks_read;
                    self.chunks_read += 1;
                    self.bytes_read += chunk.bytes_read;
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
    Ok(match input.has_one_value_a_line() {
        true => OpenInput::Lines(input.form().format, input.into_lines()),
        false => OpenInput::Values(Values::start(input)),
    })
}

impl OpenInput {
    fn fill(&mut self, chunk: &mut Chunk) -> Result<bool, InputError> {
        match self {
            OpenInput::Lines(format, lines) => {
                let Some(before) = lines.next(&mut chunk.bytes)? else { return Ok(false) };
                chunk.division = Division::Lines { before };
                chunk.bytes_read = chunk.bytes.len() as u64;
                chunk.format = *format;
                chunk.made_from = None;
                chunk.faults.clear();
                chunk.file.clear();
                chunk.file.push_str(lines.name());
                Ok(true)
            }
            OpenInput::Values(values) => match values.next()? {
                Some(next) => {
                    *chunk = next;
                    Ok(true)
                }
                None => Ok(false),
            },
        }
    }
}

impl Chunk {
    /// Returns each payload with its number.
    pub(super) fn payloads(&self) -> impl Iterator<Item = ChunkPayload<'_>> {
        let (lines, values) = match &self.division {
            Division::Lines { before } => (Some(self.lines(*before)), None),
            Division::Values { before, ends } => (None, Some(self.values(*before, ends))),
        };
        lines.into_iter().flatten().chain(values.into_iter().flatten())
    }

    fn lines(&self, before: usize) -> impl Iterator<Item = ChunkPayload<'_>> {
        let lines = self.bytes.split(|&byte| byte == b'\n').enumerate();
        let written = lines.filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace));
        written.map(move |(index, bytes)| ChunkPayload {
            number: PayloadNumber::Line(before + index + 1),
            bytes,
            input_bytes: bytes.len(),
        })
    }

    fn values<'b>(
        &'b self,
        before: usize,
        ends: &'b [ValueEnd],
    ) -> impl Iterator<Item = ChunkPayload<'b>> {
        let starts = std::iter::once(0).chain(ends.iter().map(|end| end.at));
        let values = starts.zip(ends).enumerate();
        values.map(move |(index, (start, end))| ChunkPayload {
            number: match end.line {
                Some(line) => PayloadNumber::Line(line),
                None => PayloadNumber::Value(before + index + 1),
            },
            bytes: &self.bytes[start..end.at],
            input_bytes: end.input_bytes,
        })
    }

    /// Returns the name of a payload.
    pub(super) fn name(&self, number: PayloadNumber) -> String {
        match number {
            PayloadNumber::Line(line) => format!("{}:{line}", self.file),
            // The first value is usually the only one, so it has no number.
            PayloadNumber::Value(1) => self.file.clone(),
            PayloadNumber::Value(value) => format!("{} #{value}", self.file),
        }
    }
}

/// The size of a chunk: large enough that handing out is rare, small enough for one chunk per
/// thread.
const CHUNK_BYTES: usize = 1 << 20;

/// An input whose values a separate thread finds, one chunk ahead.
pub(super) struct Values {
    chunks: Receiver<Result<Chunk, InputError>>,
}

impl Values {
    pub(super) fn start(input: Input) -> Values {
        let (sender, chunks) = sync_channel(1);
        let (form, file) = (input.form(), input.name().to_owned());
        let (bytes, ends) = (Vec::new(), Vec::new());
        let (lines, faults) = (Counted::default(), Vec::new());
        let (before, read, handed_out) = (0, 0, 0);
        let partial = PartialChunk {
            form,
            file,
            bytes,
            ends,
            before,
            lines,
            read,
            handed_out,
            faults,
            sender,
        };
        thread::spawn(move || partial.all(input));
        Values { chunks }
    }

    /// Returns the next chunk; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Chunk>, InputError> {
        // A closed channel means the end of the input.
        self.chunks.recv().ok().transpose()
    }
}

/// A chunk that is not full.
struct PartialChunk {
    form: Form,
    file: String,
    bytes: Vec<u8>,
    ends: Vec<ValueEnd>,
    // Values in the chunks before.
    before: usize,
    lines: Counted,
    // The offsets in the input of the ends of this chunk and of the one before.
    read: u64,
    handed_out: u64,
    faults: Vec<InputError>,
    sender: SyncSender<Result<Chunk, InputError>>,
}

/// The maximum number of errors in a chunk.
const FAULTS_MAX: usize = 1_000;

impl PartialChunk {
    fn all(mut self, mut input: Input) {
        let read = loop {
            match input.each(&mut self) {
                Err(error) if input.can_continue() => {
                    if self.add_fault(error).is_err() {
                        break Ok(());
                    }
                }
                read => break read,
            }
        };
        // The receiver may open the input again once it has the last chunk or the error. The window
        // and the decoder are freed before, so that the memory never holds both twice.
        drop(input);
        // If the receiver is gone, the error is not needed.
        let rest = self.hand_out();
        if let (Ok(()), Err(error)) = (rest, read) {
            drop(self.sender.send(Err(error)));
        }
    }

    /// Adds the error of an invalid line.
    fn add_fault(&mut self, error: InputError) -> Result<(), Halt> {
        self.faults.push(error);
        if self.faults.len() >= FAULTS_MAX { self.hand_out() } else { Ok(()) }
    }

    fn hand_out(&mut self) -> Result<(), Halt> {
        if self.ends.is_empty() && self.faults.is_empty() {
            return Ok(());
        }
        let ends = std::mem::take(&mut self.ends);
        let (before, count) = (self.before, ends.len());
        self.before += count;
        let full = Chunk {
            // Set by the reader of all inputs.
            index: 0,
            bytes: std::mem::take(&mut self.bytes),
            file: self.file.clone(),
            format: stored_format(self.form),
            made_from: (!is_stored_as_is(self.form)).then_some(self.form),
            division: Division::Values { before, ends },
            bytes_read: self.read - std::mem::replace(&mut self.handed_out, self.read),
            faults: std::mem::take(&mut self.faults),
        };
        self.sender.send(Ok(full)).map_err(|_| Halt::Stopped)
    }
}

impl Take for PartialChunk {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        item.write_stored(self.form, &mut self.bytes)?;
        let is_lines = self.form.framing == Framing::Lines;
        let line = is_lines.then(|| item.line(&mut self.lines));
        let (at, input_bytes) = (self.bytes.len(), item.bytes.len());
        self.ends.push(ValueEnd { at, input_bytes, line });
        self.read = item.end();
        if self.bytes.len() >= CHUNK_BYTES { self.hand_out() } else { Ok(()) }
    }

    /// Hands out lines before a read that may wait, so that an interrupt reports those that came.
    fn pause(&mut self) -> Result<(), Halt> {
        if self.form.framing == Framing::Lines { self.hand_out() } else { Ok(()) }
    }
}
