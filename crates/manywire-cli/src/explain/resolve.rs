//! An input with its form and its schema, the walk over it, and the errors of both.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Schema, Summary, walk_from};
use manywire_schema::Language;
use manywire_shape::{avro, proto};
use manywire_tools::payload::CodedInput;
use manywire_tools::walk;

use crate::arguments::Explain;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::input::SchemaFile;

use super::input::{DetectedForm, Input};

/// An input with a known form, and the schema for it.
pub(crate) struct ResolvedInput<'k> {
    pub(crate) input: Input,
    pub(crate) form: Form,
    /// Other possible forms.
    pub(crate) others: Vec<Form>,
    schema: Option<&'k ByteSchema>,
}

impl<'k> ResolvedInput<'k> {
    /// Decides the form of an input, and whether the schema applies to it.
    pub(crate) fn of(
        mut input: Input,
        requested: Option<Form>,
        schema: Option<&'k ByteSchema>,
    ) -> Result<Self, CommandError> {
        let known = schema.map(ByteSchema::format);
        input.check_content(requested, known)?;
        let DetectedForm { form, others } = input.form(requested, known);
        if form.format == Format::Json {
            input.skip_byte_order_mark();
        }
        let matching = schema.filter(|schema| schema.format() == form.format);
        let is_marked = form.framing == Framing::Container || input.head.starts_with(b"\xc3\x01");
        if form.format == Format::Avro && matching.is_none() && !is_marked {
            return Err(no_avro_schema(&input, requested));
        }
        Ok(ResolvedInput { input, form, others, schema: matching })
    }

    /// Walks over the input until its end, or until the sink returns an error.
    pub(crate) fn walk(
        self,
        duplicate_keys: bool,
        sink: &mut dyn FnMut(Event<'_>) -> io::Result<()>,
    ) -> Result<Summary, WalkError> {
        let schema = self.schema.map(ByteSchema::as_schema);
        let read_avro = Some(walk::read_avro as manywire_inspect::AvroSchemaReader);
        // If the first value is longer than the first bytes, they do not show whether others follow.
        let further_values = !self.input.whole;
        let options =
            Options { duplicate_keys, schema, read_avro, further_values, ..Options::DEFAULT };
        let progress = Rc::new(Progress::default());
        let name = self.input.name.clone();
        let packed = self.input.coded_input().cloned();
        let reader = self.input.into_reader();
        let mut reader = MonitoredReader { reader, packed, read: 0, progress: progress.clone() };
        let mut result = Ok(());
        let walked = walk_from(&mut reader, self.form, options, &mut |event| {
            if let Event::Span(span) = &event
                && span.inside.is_none()
            {
                progress.walked.set(span.range.end);
            }
            if result.is_ok() {
                result = sink(event);
                if result.is_err() {
                    progress.is_stopped.set(true);
                }
            }
        });
        result.map_err(WalkError::Write)?;
        let failed = |error: io::Error, values: u64| {
            let message = format!("{name}: {error}");
            Err(WalkError::Read { message, values })
        };
        match (progress.error.take(), walked) {
            (None, Ok(summary)) => Ok(summary),
            (Some(error), Ok(summary)) => failed(error, summary.value_count),
            (Some(error), Err(_)) | (None, Err(error)) => failed(error, 0),
        }
    }
}

/// Returns the error for Avro without a schema. Bytes that should be a file are more likely to be damaged
/// or in another format than to be bare Avro.
#[cold]
fn no_avro_schema(input: &Input, requested: Option<Form>) -> CommandError {
    let name = &input.name;
    let is_datum = requested.is_some_and(|form| form != Form::of(Format::Avro));
    if is_datum {
        return usage(format!("{name}: Avro is read by its schema: --schema FILE"));
    }
    let message = format!(
        "{name}: not an Avro file, which begins with the bytes 4f 62 6a 01; Avro without the header of a \
         file is read by its schema: --schema FILE"
    );
    // The extension of a file is not an argument that can be wrong.
    if requested.is_none() { failed(message) } else { usage(message) }
}

/// The error that ended a walk early.
pub(crate) enum WalkError {
    /// The input could not be read.
    Read {
        message: String,
        /// The number of values before the error. The last one may be cut off.
        values: u64,
    },
    /// The output could not be written.
    Write(io::Error),
}

impl From<io::Error> for WalkError {
    fn from(error: io::Error) -> Self {
        WalkError::Write(error)
    }
}

/// The error that ends `explain` early.
pub(super) enum ExplainError {
    Command(Exit, String),
    OutputClosed,
}

impl From<CommandError> for ExplainError {
    fn from((exit, message): CommandError) -> Self {
        ExplainError::Command(exit, message)
    }
}

impl From<io::Error> for ExplainError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => ExplainError::OutputClosed,
            _ => ExplainError::Command(Exit::Failed, format!("standard output: {error}")),
        }
    }
}

impl From<WalkError> for ExplainError {
    fn from(failure: WalkError) -> Self {
        match failure {
            WalkError::Read { message, .. } => ExplainError::Command(Exit::Failed, message),
            WalkError::Write(error) => error.into(),
        }
    }
}

/// The state of a walk, shared by its reader and its sink.
#[derive(Default)]
struct Progress {
    /// The offset up to which bytes have been reported.
    walked: Cell<usize>,
    /// True if the walk should stop reading.
    is_stopped: Cell<bool>,
    /// The error that stopped reading.
    error: Cell<Option<io::Error>>,
}

/// A reader that reports its end early: once the walk should stop, and at an error, so that all bytes
/// before the error are walked. For compressed input, it fails if the walk would buffer too many bytes
/// in relation to the compressed size.
struct MonitoredReader<R> {
    reader: R,
    packed: Option<CodedInput>,
    read: usize,
    progress: Rc<Progress>,
}

impl<R: Read> MonitoredReader<R> {
    fn read_checked(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(packed) = &self.packed {
            let held = self.read - self.progress.walked.get().min(self.read);
            packed.check_buffered("a value", held).map_err(io::Error::other)?;
        }
        let read = self.reader.read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

impl<R: Read> Read for MonitoredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.is_stopped.get() {
            return Ok(0);
        }
        match self.read_checked(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.progress.error.set(Some(error));
                self.progress.is_stopped.set(true);
                Ok(0)
            }
            read => read,
        }
    }
}

/// A parsed schema that describes bytes.
pub(crate) enum ByteSchema {
    Protobuf(proto::Schema),
    Avro(avro::Schema),
}

impl ByteSchema {
    pub(crate) fn read(arguments: &Explain) -> Result<Option<ByteSchema>, CommandError> {
        let Some(path) = &arguments.schema else { return Ok(None) };
        let file = SchemaFile::open(path)?;
        match file.read(&arguments.reading)?.language {
            Language::Proto(schema) => Ok(Some(ByteSchema::Protobuf(schema))),
            Language::Avro(schema) => Ok(Some(ByteSchema::Avro(schema))),
            Language::JsonSchema => {
                // A text such as `"string"` is both a JSON Schema and an Avro schema.
                let name = &file.name;
                let text = String::from_utf8_lossy(&file.bytes);
                let avro = manywire_schema::read_avro(name, &text);
                let advice = "a JSON Schema does not say how bytes are laid out; a .proto or an \
                              .avsc does";
                avro.map(|(schema, _)| Some(ByteSchema::Avro(schema)))
                    .map_err(|_| usage(format!("{name}: {advice}")))
            }
        }
    }

    /// Returns the format that the schema describes.
    pub(crate) fn format(&self) -> Format {
        match self {
            ByteSchema::Protobuf(_) => Format::Protobuf,
            ByteSchema::Avro(_) => Format::Avro,
        }
    }

    pub(crate) fn as_schema(&self) -> Schema<'_> {
        match self {
            ByteSchema::Protobuf(schema) => Schema::Protobuf(schema),
            ByteSchema::Avro(schema) => Schema::Avro(schema),
        }
    }
}
