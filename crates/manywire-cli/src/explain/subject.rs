//! An input, what is known of it, and its walk.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Summary, walk_from};

use super::input::{Found, Input};
use super::schema::{Known, read_avro};
use crate::exit::Exit;

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
        let enough = Rc::new(Cell::new(false));
        let name = self.input.name.clone();
        let mut reader = Stoppable { reader: self.input.into_reader(), enough: enough.clone() };
        let mut result = Ok(());
        let walked = walk_from(&mut reader, self.form, options, &mut |event| {
            if result.is_ok() {
                result = sink(event);
                enough.set(result.is_err());
            }
        });
        result.map_err(Failure::Write)?;
        walked.map_err(|error| Failure::Read(format!("{name}: {error}")))
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

/// A reader that ends early once nobody wants any more.
struct Stoppable<R> {
    reader: R,
    enough: Rc<Cell<bool>>,
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.enough.get() { Ok(0) } else { self.reader.read(buffer) }
    }
}
