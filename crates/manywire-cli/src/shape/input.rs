//! Inputs of `shape`: a schema, or samples that are read one by one.

use std::io::Read;
use std::path::{Path, PathBuf};

use manywire_format::{Form, Framing};
use manywire_schema::Document;
use manywire_shape::fidelity::without_duplicates;
use manywire_shape::infer::Inference;
use manywire_tools::payload::{
    Halt, Input, InputError, Item, PayloadSource, ProtoJsonRules, STDIN, Schema, Source, Take,
};

use crate::arguments;
use crate::detect;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::input::{self, InputOptions, SchemaFile};

/// The input that the arguments name.
pub(super) enum ShapeInput {
    /// A parsed schema.
    Schema(Document),
    /// Samples that are not read yet, and the errors of inputs that cannot be opened.
    Samples(Samples, ReadErrors),
}

/// Reads the schema, or finds the samples.
pub(super) fn read(arguments: &arguments::Shape) -> Result<ShapeInput, CommandError> {
    if let Some(path) = &arguments.schema {
        return schema(path, arguments).map(ShapeInput::Schema);
    }
    let schemas: Vec<&PathBuf> =
        arguments.inputs.iter().filter(|path| is_schema_file(path)).collect();
    match (&schemas[..], &arguments.inputs[..]) {
        ([], [only]) if only.as_os_str() == "-" => standard_input(arguments),
        ([], inputs) => {
            let mut errors = ReadErrors::default();
            let samples = Samples::of(inputs, input_options(arguments), None, &mut errors);
            Ok(ShapeInput::Samples(samples, errors))
        }
        ([only], [_]) => schema(only, arguments).map(ShapeInput::Schema),
        ([first, ..], _) => {
            let message = "a schema cannot be combined with other inputs";
            Err(usage(format!("{}: {message}", first.display())))
        }
    }
}

/// Returns the options for URLs and archives.
pub(super) fn input_options(arguments: &arguments::Shape) -> InputOptions<'_> {
    let arguments::Shape { from, web, recording, .. } = arguments;
    InputOptions { from: *from, web, recording }
}

/// Returns whether a file is a schema, by its extension or its content.
fn is_schema_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if ["proto", "avsc"].iter().any(|known| known.eq_ignore_ascii_case(extension)) {
        return true;
    }
    // Reads the whole file only if its first bytes look like a schema.
    let mut head = Vec::new();
    let opened = std::fs::File::open(path).map(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    opened.is_ok()
        && manywire_schema::may_be_schema(&String::from_utf8_lossy(&head))
        && std::fs::read_to_string(path).is_ok_and(|text| manywire_schema::is_schema(&text))
}

/// The number of first bytes of a file that show whether it may be a schema.
const HEAD_BYTES: u64 = 4096;

/// Reads the first bytes of standard input. If they may belong to a schema, reads all of it to decide;
/// otherwise samples are read from there on.
fn standard_input(arguments: &arguments::Shape) -> Result<ShapeInput, CommandError> {
    let name = "standard input";
    let mut stdin = std::io::stdin().lock();
    let mut bytes = Vec::new();
    let mut read = |bytes: &mut Vec<u8>, limit: u64| -> Result<usize, CommandError> {
        let read = (&mut stdin).take(limit).read_to_end(bytes);
        read.map_err(|error| failed(format!("{name}: {error}")))
    };
    let whole = (read(&mut bytes, HEAD_BYTES)? as u64) < HEAD_BYTES;
    let may_be_schema = arguments.from.is_none()
        && manywire_schema::may_be_schema(&String::from_utf8_lossy(&bytes));
    // `--hold-out` reads samples twice, so all bytes must be in memory.
    let all = whole || may_be_schema || arguments.hold_out;
    if all && !whole {
        read(&mut bytes, u64::MAX)?;
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) if may_be_schema && manywire_schema::is_schema(text) => {
            let file = SchemaFile::of_stdin(name, text.as_bytes().to_vec());
            file.read(&arguments.reading()).map(ShapeInput::Schema)
        }
        _ => {
            let form = match arguments.from {
                Some(form) => form,
                None => {
                    let head = detect::decoded_head(&bytes, None);
                    detect::form_of_content(name, &head, all).map_err(failed)?
                }
            };
            let samples = Samples::from_stdin(bytes, all, form);
            Ok(ShapeInput::Samples(samples, ReadErrors::default()))
        }
    }
}

/// Reads a schema from a file, or from standard input for `-`.
pub(super) fn schema(path: &Path, arguments: &arguments::Shape) -> Result<Document, CommandError> {
    SchemaFile::open(path)?.read(&arguments.reading())
}

/// Infers from all samples, one by one.
pub(super) fn infer(
    samples: &Samples,
    mut errors: ReadErrors,
) -> Result<(Inference, Exit), CommandError> {
    let mut inference = Inference::new();
    samples.each(&mut errors, &mut |_, _, item| inference.add(&item.value));
    let exit = errors.report();
    if inference.samples() == 0 {
        return Err(failed("there is no sample that could be read"));
    }
    Ok((inference, exit))
}

/// The maximum number of read errors that are listed. Further errors are counted.
const LISTED_MAX: usize = 20;

/// The sources of samples.
pub(super) struct Samples {
    sources: Vec<PayloadSource>,
    /// The schema for forms that need one.
    schema: Option<Schema>,
}

impl Samples {
    /// Finds samples in files, folders, standard input, URLs and archives that browsers recorded.
    pub(super) fn of(
        arguments: &[PathBuf],
        input_options: InputOptions<'_>,
        schema: Option<Schema>,
        errors: &mut ReadErrors,
    ) -> Samples {
        let mut found = Vec::new();
        for source in input::sample_sources(arguments, input_options, schema.is_some()) {
            match source {
                Ok(source) => found.push(source),
                Err(error) => errors.add(error),
            }
        }
        Samples { sources: found, schema }
    }

    /// Returns the samples on standard input, after `head` was read from it. `all` means that there is
    /// nothing more to read.
    pub(super) fn from_stdin(head: Vec<u8>, all: bool, form: Form) -> Samples {
        let source = if all { Source::of_bytes(STDIN, head) } else { Source::of_stdin_after(head) };
        Samples { sources: vec![PayloadSource::new(source, form)], schema: None }
    }

    /// Returns whether the samples can be read a second time.
    pub(super) fn are_repeatable(&self) -> bool {
        self.sources.iter().all(|found| found.source.is_repeatable())
    }

    /// Calls `sink` for every readable sample, with only the last entry of duplicate keys. Needs the
    /// memory of the longest sample. An unreadable sample does not stop the others.
    pub(super) fn each(
        &self,
        errors: &mut ReadErrors,
        sink: &mut dyn FnMut(Form, &str, &Item<'_>),
    ) {
        for PayloadSource { source, form, .. } in &self.sources {
            let mut reader =
                SampleReader { form: *form, file: source.name(), sink: &mut *sink, count: 0 };
            if let Err(error) =
                read_source(source, *form, self.schema.as_ref(), &mut reader, errors)
            {
                errors.add(error);
            }
        }
    }
}

fn read_source(
    source: &Source,
    form: Form,
    schema: Option<&Schema>,
    reader: &mut SampleReader<'_>,
    errors: &mut ReadErrors,
) -> Result<(), InputError> {
    // Unknown fields are not refused here, because `--check` lists every unknown field of a
    // message, and not only the first.
    let input = Input::open(source, form, schema)?.with_unknown_fields_dropped();
    let input = input.with_proto_json(ProtoJsonRules::IN_PLACE);
    let mut input = input.with_rounded_fractions();
    let mut whole = true;
    while let Err(error) = input.each(reader) {
        if !input.can_continue() {
            return Err(error);
        }
        errors.add(error);
        whole = false;
    }
    // A container file may be empty; other files without a value are errors.
    if reader.count == 0 && whole && form.framing != Framing::Container {
        return Err(InputError::whole(input.name(), "empty: the input has no value"));
    }
    Ok(())
}

struct SampleReader<'t> {
    form: Form,
    file: String,
    sink: &'t mut dyn FnMut(Form, &str, &Item<'_>),
    count: u64,
}

impl Take for SampleReader<'_> {
    fn value(&mut self, mut item: Item<'_>) -> Result<(), Halt> {
        self.count += 1;
        item.value = without_duplicates(item.value, item.arena).0;
        (self.sink)(self.form, &self.file, &item);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

/// The errors of samples that could not be read.
#[derive(Default)]
pub(super) struct ReadErrors {
    pub(super) listed: Vec<InputError>,
    /// The number of errors that are not listed.
    pub(super) more: u64,
}

impl ReadErrors {
    fn add(&mut self, error: InputError) {
        if self.listed.len() < LISTED_MAX { self.listed.push(error) } else { self.more += 1 }
    }

    /// Prints the errors to standard error, and returns the exit.
    pub(super) fn report(&self) -> Exit {
        self.listed.iter().for_each(|error| eprintln!("error: {error}"));
        if self.more > 0 {
            eprintln!("error: and {} more that could not be read", self.more);
        }
        Exit::Failed.when(!self.listed.is_empty())
    }
}
