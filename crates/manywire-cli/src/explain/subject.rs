//! An input with its form and its schema, and the walk over it.

use std::cell::Cell;
use std::fs;
use std::io::{self, Read};
use std::rc::Rc;

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Schema, Summary, walk_from};
use manywire_schema::Language;
use manywire_shape::{avro, proto};
use manywire_tools::payload::Packed;

use crate::arguments::Explain;
use crate::exit::{Exit, Refusal};

use super::input::{Found, Input};

pub(crate) struct Subject<'k> {
    pub(crate) input: Input,
    pub(crate) form: Form,
    /// What it could be as well.
    pub(crate) others: Vec<Form>,
    schema: Option<&'k Known>,
}

impl<'k> Subject<'k> {
    /// Finds out how to read an input.
    pub(crate) fn of(
        input: Input,
        asked: Option<Form>,
        schema: Option<&'k Known>,
    ) -> Result<Self, (Exit, String)> {
        let Found { form, others } = input.form(asked, schema.map(Known::format));
        let fits = schema.filter(|schema| schema.format() == form.format);
        let marked = form.framing == Framing::Container || input.head.starts_with(b"\xc3\x01");
        if form.format == Format::Avro && fits.is_none() && !marked {
            let message = format!("{}: Avro is read by its schema: --schema FILE", input.name);
            return Err((Exit::Usage, message));
        }
        Ok(Subject { input, form, others, schema: fits })
    }

    /// Walks it, until there is no more or the sink says that it has enough.
    pub(crate) fn walk(
        self,
        duplicate_keys: bool,
        sink: &mut dyn FnMut(Event<'_>) -> io::Result<()>,
    ) -> Result<Summary, Failure> {
        let schema = self.schema.map(Known::as_schema);
        let read_avro = Some(read_avro as manywire_inspect::ReadAvro);
        let options = Options { duplicate_keys, schema, read_avro, ..Options::DEFAULT };
        let progress = Rc::new(Progress::default());
        let name = self.input.name.clone();
        let packed = self.input.packed().cloned();
        let reader = self.input.into_reader();
        let mut reader = Watched { reader, packed, read: 0, progress: progress.clone() };
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
                    progress.is_enough.set(true);
                }
            }
        });
        result.map_err(Failure::Write)?;
        let failed = |error: io::Error| Failure::Read(format!("{name}: {error}"));
        match progress.error.take() {
            Some(error) => Err(failed(error)),
            None => walked.map_err(failed),
        }
    }
}

/// Why a walk did not come to its end.
pub(crate) enum Failure {
    /// The input could not be read.
    Read(String),
    /// What was found could not be written.
    Write(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Write(error)
    }
}

/// Why there is no more to explain.
pub(super) enum Ended {
    Refused(Exit, String),
    Closed,
}

impl From<Refusal> for Ended {
    fn from((exit, message): Refusal) -> Self {
        Ended::Refused(exit, message)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ended::Closed,
            _ => Ended::Refused(Exit::Failed, format!("standard output: {error}")),
        }
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Read(message) => Ended::Refused(Exit::Failed, message),
            Failure::Write(error) => error.into(),
        }
    }
}

/// How far a walk is, seen from both of its ends.
#[derive(Default)]
struct Progress {
    /// Up to where bytes have been reported.
    walked: Cell<usize>,
    /// Whether nobody wants any more.
    is_enough: Cell<bool>,
    /// Why there were no more bytes.
    error: Cell<Option<io::Error>>,
}

/// A reader that ends early: once nobody wants any more, and where it fails, so that all that was
/// there before is walked. Of compressed bytes it fails where the walk would hold too much of what
/// so few of them unpack to.
struct Watched<R> {
    reader: R,
    packed: Option<Packed>,
    read: usize,
    progress: Rc<Progress>,
}

impl<R: Read> Watched<R> {
    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(packed) = &self.packed {
            let held = self.read - self.progress.walked.get().min(self.read);
            packed.check_held("a value", held).map_err(io::Error::other)?;
        }
        let read = self.reader.read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.is_enough.get() {
            return Ok(0);
        }
        match self.read_on(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.progress.error.set(Some(error));
                self.progress.is_enough.set(true);
                Ok(0)
            }
            read => read,
        }
    }
}

/// A schema that has been read.
pub(crate) enum Known {
    Protobuf(proto::Schema),
    Avro(avro::Schema),
}

impl Known {
    pub(crate) fn read(arguments: &Explain) -> Result<Option<Known>, Refusal> {
        let Some(path) = &arguments.schema else { return Ok(None) };
        let name = path.display().to_string();
        let text =
            fs::read_to_string(path).map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
        let read = manywire_schema::read(&name, &text, arguments.message.as_deref());
        match read.map_err(|error| (Exit::Failed, error.to_string()))?.language {
            Language::Proto(schema) => Ok(Some(Known::Protobuf(schema))),
            Language::Avro(schema) => Ok(Some(Known::Avro(schema))),
            Language::JsonSchema => {
                // `"string"` and the like are schemas of both kinds.
                let avro = manywire_schema::read_avro(&name, &text);
                let advice = "a JSON Schema does not say how bytes are laid out; a .proto or an \
                              .avsc does";
                avro.map(|(schema, _)| Some(Known::Avro(schema)))
                    .map_err(|_| (Exit::Usage, format!("{name}: {advice}")))
            }
        }
    }

    /// The format that the schema is for.
    pub(crate) fn format(&self) -> Format {
        match self {
            Known::Protobuf(_) => Format::Protobuf,
            Known::Avro(_) => Format::Avro,
        }
    }

    pub(crate) fn as_schema(&self) -> Schema<'_> {
        match self {
            Known::Protobuf(schema) => Schema::Protobuf(schema),
            Known::Avro(schema) => Schema::Avro(schema),
        }
    }
}

/// Reads the schema of a container file.
pub(crate) fn read_avro(text: &str) -> Result<avro::Schema, String> {
    match manywire_schema::read_avro("avro.schema", text) {
        Ok((schema, _)) => Ok(schema),
        Err(error) => Err(error.to_string()),
    }
}
