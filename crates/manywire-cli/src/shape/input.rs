//! Inputs of `shape`: a schema, or samples that are read one by one.

use std::io::Read;
use std::path::{Path, PathBuf};

use manywire_format::{Form, Format, Framing};
use manywire_schema::Document;
use manywire_shape::fidelity::without_duplicates;
use manywire_shape::infer::Inference;
use manywire_tools::payload::{
    Found, Halt, Input, InputError, Item, STDIN, Schema, Source, Take, holds_lines,
};

use crate::arguments;
use crate::exit::{Exit, Refusal};
use crate::input::{self, How};

/// What the arguments name.
pub(super) enum Given {
    /// A schema, read.
    Schema(Document),
    /// Samples, still to be read, and what was wrong with others.
    Samples(Samples, Complaints),
}

/// Reads the schema, or the bytes of the samples.
pub(super) fn read(arguments: &arguments::Shape) -> Result<Given, Refusal> {
    if let Some(path) = &arguments.schema {
        return schema(path, arguments).map(Given::Schema);
    }
    let schemas: Vec<&PathBuf> =
        arguments.inputs.iter().filter(|path| holds_schema(path)).collect();
    match (&schemas[..], &arguments.inputs[..]) {
        ([], [only]) if only.as_os_str() == "-" => standard_input(arguments),
        ([], inputs) => {
            let mut complaints = Complaints::default();
            let samples = Samples::of(inputs, how(arguments), None, &mut complaints);
            Ok(Given::Samples(samples, complaints))
        }
        ([only], [_]) => schema(only, arguments).map(Given::Schema),
        ([first, ..], _) => Err((
            Exit::Usage,
            format!("{}: a schema stands alone, and cannot be mixed with samples", first.display()),
        )),
    }
}

/// How inputs that are no files are read.
pub(super) fn how(arguments: &arguments::Shape) -> How<'_> {
    let arguments::Shape { from, web, recording, .. } = arguments;
    How { from: *from, web, recording }
}

/// Whether a file is a schema, by its extension or its first bytes.
fn holds_schema(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if ["proto", "avsc"].iter().any(|known| known.eq_ignore_ascii_case(extension)) {
        return true;
    }
    // Whole files are read only where their head makes it likely.
    let mut head = Vec::new();
    let opened = std::fs::File::open(path).map(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    opened.is_ok()
        && manywire_schema::may_be_schema(&String::from_utf8_lossy(&head))
        && std::fs::read_to_string(path).is_ok_and(|text| manywire_schema::is_schema(&text))
}

/// Enough of a file to hold what tells a schema.
const HEAD_BYTES: u64 = 4096;

/// Standard input is read on from its head, unless that may be one of a schema: then all of it
/// tells.
fn standard_input(arguments: &arguments::Shape) -> Result<Given, Refusal> {
    let name = "standard input";
    let mut stdin = std::io::stdin().lock();
    let mut bytes = Vec::new();
    let mut read = |bytes: &mut Vec<u8>, limit: u64| -> Result<usize, Refusal> {
        let read = (&mut stdin).take(limit).read_to_end(bytes);
        read.map_err(|error| (Exit::Failed, format!("{name}: {error}")))
    };
    let whole = (read(&mut bytes, HEAD_BYTES)? as u64) < HEAD_BYTES;
    let may_be_schema = arguments.from.is_none()
        && manywire_schema::may_be_schema(&String::from_utf8_lossy(&bytes));
    // To be read twice, it must be kept.
    let all = whole || may_be_schema || arguments.hold_out;
    if all && !whole {
        read(&mut bytes, u64::MAX)?;
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) if may_be_schema && manywire_schema::is_schema(text) => {
            parse(name, text, arguments).map(Given::Schema)
        }
        _ => {
            let samples = Samples::of_stdin(bytes, all, arguments.from);
            Ok(Given::Samples(samples, Complaints::default()))
        }
    }
}

/// Reads a schema from a file, or from standard input for `-`.
pub(super) fn schema(path: &Path, arguments: &arguments::Shape) -> Result<Document, Refusal> {
    let name = path.display().to_string();
    let text = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
    parse(&name, &text, arguments)
}

fn parse(name: &str, text: &str, arguments: &arguments::Shape) -> Result<Document, Refusal> {
    manywire_schema::read(name, text, arguments.message.as_deref())
        .map_err(|error| (Exit::Failed, error.to_string()))
}

/// Counts what the samples hold, one after the other.
pub(super) fn infer(
    samples: &Samples,
    mut complaints: Complaints,
) -> Result<(Inference, Exit), Refusal> {
    let mut inference = Inference::new();
    samples.each(&mut complaints, &mut |_, _, item| inference.add(&item.value));
    let exit = complaints.tell();
    if inference.samples() == 0 {
        let message = "there is no sample that could be read";
        return Err((Exit::Failed, message.to_owned()));
    }
    Ok((inference, exit))
}

/// What cannot be read is named one by one up to this number; of more only how many there are.
const NAMED_MAX: usize = 20;

/// Where samples are.
pub(super) struct Samples {
    sources: Vec<Found>,
    /// What they are read by, where their form needs it.
    schema: Option<Schema>,
}

impl Samples {
    /// The samples in files, in folders, on standard input, at URLs, and in what browsers recorded.
    pub(super) fn of(
        arguments: &[PathBuf],
        how: How<'_>,
        schema: Option<Schema>,
        complaints: &mut Complaints,
    ) -> Samples {
        let mut found = Vec::new();
        for source in input::sources(arguments, how, schema.is_some()) {
            match source {
                Ok(source) => found.push(source),
                Err(error) => complaints.add(error),
            }
        }
        Samples { sources: found, schema }
    }

    /// Those on standard input, of which this much was read already: all, or its head.
    pub(super) fn of_stdin(head: Vec<u8>, all: bool, from: Option<Form>) -> Samples {
        let lines = Form { format: Format::Json, framing: Framing::Lines };
        let form = match from {
            Some(form) => form,
            None if holds_lines(&head) => lines,
            None => Form::of(Format::Json),
        };
        let source = if all { Source::of_bytes(STDIN, head) } else { Source::of_stdin_after(head) };
        Samples { sources: vec![Found::new(source, form)], schema: None }
    }

    /// Whether they can be read a second time.
    pub(super) fn are_repeatable(&self) -> bool {
        self.sources.iter().all(|found| found.source.is_repeatable())
    }

    /// Hands out every sample that can be read, without the keys that a later one of the same name
    /// overrules, in the memory of the longest. What cannot be read hides no other.
    pub(super) fn each(
        &self,
        complaints: &mut Complaints,
        sink: &mut dyn FnMut(Form, &str, &Item<'_>),
    ) {
        for Found { source, form, .. } in &self.sources {
            let mut taker = Taker { form: *form, file: source.name(), sink: &mut *sink, taken: 0 };
            if let Err(error) =
                read_source(source, *form, self.schema.as_ref(), &mut taker, complaints)
            {
                complaints.add(error);
            }
        }
    }
}

fn read_source(
    source: &Source,
    form: Form,
    schema: Option<&Schema>,
    taker: &mut Taker<'_>,
    complaints: &mut Complaints,
) -> Result<(), InputError> {
    let mut input = Input::open(source, form, schema)?.with_rounded_fractions();
    let mut whole = true;
    while let Err(error) = input.each(taker) {
        if !input.goes_on() {
            return Err(error);
        }
        complaints.add(error);
        whole = false;
    }
    // A container says of itself that there is nothing in it.
    if taker.taken == 0 && whole && form.framing != Framing::Container {
        return Err(InputError::whole(input.name(), "empty: there is no value in it"));
    }
    Ok(())
}

struct Taker<'t> {
    form: Form,
    file: String,
    sink: &'t mut dyn FnMut(Form, &str, &Item<'_>),
    taken: u64,
}

impl Take for Taker<'_> {
    fn value(&mut self, mut item: Item<'_>) -> Result<(), Halt> {
        self.taken += 1;
        item.value = without_duplicates(item.value, item.arena).0;
        (self.sink)(self.form, &self.file, &item);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// What could not be read.
#[derive(Default)]
pub(super) struct Complaints {
    pub(super) named: Vec<InputError>,
    /// How many there are beyond those.
    pub(super) more: u64,
}

impl Complaints {
    fn add(&mut self, error: InputError) {
        if self.named.len() < NAMED_MAX { self.named.push(error) } else { self.more += 1 }
    }

    /// Names them on standard error, and says how the command ends for it.
    pub(super) fn tell(&self) -> Exit {
        self.named.iter().for_each(|error| eprintln!("error: {error}"));
        if self.more > 0 {
            eprintln!("error: and {} more that could not be read", self.more);
        }
        if self.named.is_empty() { Exit::Done } else { Exit::Failed }
    }
}
