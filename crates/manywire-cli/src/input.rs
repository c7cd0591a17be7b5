//! Inputs as arguments name them: files and folders, standard input, URLs, and archives that a
//! browser recorded (HAR). Each becomes a source of bytes with the form of its values.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Read, stdin};
use std::path::{Component, Path, PathBuf};
use std::{fs, slice};

use manywire_format::{FORMS, Form};
use manywire_schema::{Document, ImportedFile, Language, Options};
use manywire_tools::fetch::{Content, FetchError, Limits, Request, fetch, is_url};
use manywire_tools::payload::har::{self, Har, HarSelection};
use manywire_tools::payload::reader::{self, Reader};
use manywire_tools::payload::{
    EmbeddedSchema, InputCoding, InputError, Payload, PayloadSource, RecordedBody, Schema, Source,
    find,
};
use manywire_tools::weigh::SchemaText;

use crate::arguments::{Recording, SchemaReading, Web};
use crate::detect;
use crate::exit::{CommandError, failed, usage};

/// Returns the source for a file, standard input or a URL, and the form of its values: `from`, or
/// that of the file's extension or the server's media type, or else the form that the content shows.
/// A URL is fetched with the header fields in `web`.
pub(crate) fn source(
    path: &Path,
    from: Option<Form>,
    coding: Option<InputCoding>,
    web: &Web,
) -> Result<(Source, Form), CommandError> {
    if let Some(url) = as_url(path) {
        let (content, form) = fetch_content(url, from, |_| true, web).map_err(failed)?;
        return Ok((Source::of_bytes(&content.name, content.bytes).with_coding(coding), form));
    }
    let is_stdin = path.as_os_str() == "-";
    if is_stdin && stdin().is_terminal() {
        let message = "no input: name a file, or send values to standard input";
        return Err(usage(message));
    }
    if path.is_dir() {
        let message = "this is a folder; name one of its files";
        return Err(failed(format!("{}: {message}", path.display())));
    }
    let found = match from.or(Form::of_path(path).0) {
        Some(form) => {
            let found = PayloadSource::new(Source::new(path).with_coding(coding), form);
            match from {
                Some(_) => Ok(found),
                None => detect::check_source(found),
            }
        }
        None if is_stdin => detect::standard_input(coding),
        None => detect::unnamed_file(path, coding, |_| true),
    };
    let PayloadSource { source, form, .. } = found.map_err(failed)?;
    Ok((source, form))
}

/// Reads the schema in a file.
pub(crate) fn schema(path: &Path, reading: &SchemaReading) -> Result<Schema, CommandError> {
    SchemaFile::open(path)?.read(reading).map(Schema::from)
}

/// The bytes of a schema: text, or a set of descriptors.
pub(crate) struct SchemaFile {
    /// The name for errors.
    pub(crate) name: String,
    /// The folder of the file; `None` for standard input.
    folder: Option<PathBuf>,
    pub(crate) bytes: Vec<u8>,
}

impl SchemaFile {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<SchemaFile, CommandError> {
        if path.as_os_str() == "-" {
            let (name, mut bytes) = ("standard input", Vec::new());
            let read = stdin().read_to_end(&mut bytes);
            read.map_err(|error| failed(format!("{name}: {error}")))?;
            return Ok(SchemaFile::of_stdin(name, bytes));
        }
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|error| failed(format!("{name}: {error}")))?;
        Ok(SchemaFile { name, folder: path.parent().map(Path::to_path_buf), bytes })
    }

    /// Returns a schema that did not come from a file.
    pub(crate) fn of_stdin(name: &str, bytes: Vec<u8>) -> SchemaFile {
        SchemaFile { name: name.to_owned(), folder: None, bytes }
    }

    /// Reads the schema. Prints a note for each departure from the specification of its language,
    /// or fails for the first departure if `reading.strict` is set.
    pub(crate) fn read(&self, reading: &SchemaReading) -> Result<Document, CommandError> {
        let importer = |path: &str| self.import(path, &reading.proto_path);
        let options = Options { message: reading.message.as_deref(), importer: Some(&importer) };
        let document = manywire_schema::read_bytes(&self.name, &self.bytes, &options);
        let document = document.map_err(failed)?;
        for note in &document.notes {
            if reading.strict {
                return Err(failed(note.to_string()));
            }
            eprintln!("note: {note}");
        }
        Ok(document)
    }

    /// Finds a file that a `.proto` imports: in the given folders, in the folder of the schema, and in
    /// those around it.
    fn import(&self, path: &str, folders: &[PathBuf]) -> Result<Option<ImportedFile>, String> {
        let parts = Path::new(path).components();
        if !parts.into_iter().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("expected a path below a folder of imports, found {path:?}"));
        }
        let around = self.folder.iter().flat_map(|folder| folder.ancestors());
        for folder in folders.iter().map(PathBuf::as_path).chain(around) {
            let file = folder.join(path);
            let name = file.display().to_string();
            match fs::read_to_string(&file) {
                Ok(text) => return Ok(Some(ImportedFile { name, text })),
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(format!("{name}: {error}")),
            }
        }
        Ok(None)
    }
}

/// Returns whether an error means that there is no such file.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the argument as a URL, if it is one.
pub(crate) fn as_url(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|argument| is_url(argument))
}

/// Refuses a URL for a command that reads files and standard input.
pub(crate) fn refuse_url(argument: &Path, command: &str) -> Result<(), CommandError> {
    let Some(url) = as_url(argument) else { return Ok(()) };
    let name = manywire_tools::fetch::name(url);
    Err(usage(format!(
        "{name}: {command} takes files and no URLs: save the response to a file, or send it to standard \
         input, as in `curl -s URL | manywire {command} -`"
    )))
}

/// Fetches a URL, and returns the content with its form. Accepts `from`, or else every form that
/// `reads` selects. `from` overrides the media type that the server sends.
pub(crate) fn fetch_content(
    url: &str,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
    web: &Web,
) -> Result<(Content, Form), InputError> {
    let content = fetch_bytes(url, from, &reads, web)?;
    let by_content = || {
        let head = detect::decoded_head(&content.bytes, None);
        let whole = head.len() < detect::HEAD_BYTES;
        detect::form_of_content(&content.name, &head, whole).ok().filter(|form| reads(*form))
    };
    // The content decides only without a media type: a server that sends a web page declares it.
    let is_unnamed = content.media_type.is_none();
    let form = from.or(content.form).or_else(|| by_content().filter(|_| is_unnamed));
    let form = form.ok_or_else(|| {
        let reason = match &content.media_type {
            Some(media_type) => format!(
                "the response has the media type {}, which names no supported format",
                media_type.essence()
            ),
            None => "the response has no Content-Type and its format was not detected".to_owned(),
        };
        InputError::whole(&content.name, format_args!("{reason}: choose one with --from"))
    })?;
    Ok((content, form))
}

/// Fetches a URL. Accepts `from`, or else every form that `reads` selects.
pub(crate) fn fetch_bytes(
    url: &str,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
    web: &Web,
) -> Result<Content, InputError> {
    let accept: Vec<Form> = match from {
        Some(form) => vec![form],
        None => FORMS.iter().map(|row| row.form).filter(|form| reads(*form)).collect(),
    };
    let limits = Limits::DEFAULT;
    let request = Request { url, accept: &accept, headers: &web.headers, limits };
    fetch(&request).map_err(|FetchError { name, message }| InputError::whole(&name, message))
}

/// The options that apply to all inputs of a command.
#[derive(Clone, Copy)]
pub(crate) struct InputOptions<'a> {
    /// The form of all inputs; `None` if names and contents decide.
    pub(crate) from: Option<Form>,
    /// The options for URLs.
    pub(crate) web: &'a Web,
    /// The options for archives that a browser recorded.
    pub(crate) recording: &'a Recording,
}

/// Checks that the form of `--from` can be read, with a schema or without one.
pub(crate) fn check_form(from: Option<Form>, has_schema: bool) -> Result<(), CommandError> {
    let Some(form) = from else { return Ok(()) };
    reader::check_form(form, has_schema).map_err(|error| usage(format!("--from: {error}")))
}

/// Payloads in memory, with their errors and their schema.
pub(crate) struct LoadedPayloads {
    pub(crate) payloads: Vec<Payload>,
    /// The errors of inputs that could not be read.
    pub(crate) errors: Vec<InputError>,
    /// The schema of the arguments, or else the schema in the files, if all of them contain the
    /// same one.
    pub(crate) schema: Option<SchemaText>,
}

/// Finds the sources of payloads that these arguments name, each with the form of its values.
/// `by_schema` includes the forms that need a schema.
pub(crate) fn payload_sources(
    inputs: &[PathBuf],
    options: InputOptions<'_>,
    by_schema: bool,
) -> (Vec<PayloadSource>, Vec<InputError>) {
    let (mut sources, mut errors) = (Vec::new(), Vec::new());
    for found in find_sources(inputs, options, reads(by_schema)) {
        match found {
            Ok(found) => sources.push(found),
            Err(error) => errors.push(error),
        }
    }
    (sources, errors)
}

/// Reads every payload that these arguments name. An input that cannot be read does not stop the
/// others.
///
/// # Errors
/// Fails if the schema is invalid.
pub(crate) fn load_payloads(
    inputs: &[PathBuf],
    options: InputOptions<'_>,
    schema: Option<&SchemaText>,
) -> Result<LoadedPayloads, CommandError> {
    let (sources, errors) = payload_sources(inputs, options, schema.is_some());
    load_sources(&sources, errors, schema)
}

/// Reads every payload of these sources, and adds to the errors found so far.
///
/// # Errors
/// Fails if the schema is invalid.
pub(crate) fn load_sources(
    sources: &[PayloadSource],
    errors: Vec<InputError>,
    schema: Option<&SchemaText>,
) -> Result<LoadedPayloads, CommandError> {
    let known = schema.map(SchemaText::read).transpose();
    let known = known.map_err(failed)?;
    let mut reader = Reader { schema: known.as_ref(), errors, carried: EmbeddedSchema::default() };
    let payloads = reader.read_all(sources);
    let schema = schema.cloned().or_else(|| SchemaText::carried(&reader.carried));
    Ok(LoadedPayloads { payloads, errors: reader.errors, schema })
}

/// Returns the test for the forms that can be read with or without a schema.
fn reads(by_schema: bool) -> fn(Form) -> bool {
    match by_schema {
        true => |_| true,
        false => |form: Form| !form.needs_schema(),
    }
}

/// Finds the sources of samples that these arguments name. Unlike payloads, the samples of an archive
/// must belong to one endpoint. `by_schema` includes the forms that need a schema.
pub(crate) fn sample_sources(
    inputs: &[PathBuf],
    options: InputOptions<'_>,
    by_schema: bool,
) -> Vec<Result<PayloadSource, InputError>> {
    let reads = reads(by_schema);
    let each = inputs.iter().flat_map(|input| {
        require_one_endpoint(input, find_sources(slice::from_ref(input), options, reads))
    });
    each.collect()
}

fn find_sources(
    inputs: &[PathBuf],
    options: InputOptions<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<PayloadSource, InputError>> {
    let each = inputs.iter().flat_map(|input| match as_url(input) {
        Some(url) => fetch_source(url, options, reads),
        None if is_archive(input) => archive_sources(Source::new(input), options, reads),
        None => find_local(input, options.from, reads),
    });
    each.collect()
}

/// Finds the sources of a file, a folder or standard input. Without `from`, names and contents must
/// agree, and the content decides where there is no name.
fn find_local(
    input: &Path,
    from: Option<Form>,
    reads: fn(Form) -> bool,
) -> Vec<Result<PayloadSource, InputError>> {
    let input = input.to_owned();
    if from.is_some() {
        return find(&[input], from, reads);
    }
    if input.as_os_str() == "-" {
        return vec![detect::standard_input(None)];
    }
    if !input.is_dir() && Form::of_path(&input).0.is_none() {
        return vec![detect::unnamed_file(&input, None, reads)];
    }
    let found = find(&[input], from, reads).into_iter();
    found.map(|found| found.and_then(detect::check_source)).collect()
}

/// Replaces the sources of an archive with several endpoints by an error: values of different
/// endpoints have no common shape.
fn require_one_endpoint(
    input: &Path,
    found: Vec<Result<PayloadSource, InputError>>,
) -> Vec<Result<PayloadSource, InputError>> {
    let known = endpoints(found.iter().flatten().filter_map(|found| found.recorded.as_ref()));
    if known.len() <= 1 {
        return found;
    }
    let name =
        as_url(input).map_or_else(|| input.display().to_string(), manywire_tools::fetch::name);
    let known = join(&known);
    let message = format_args!("choose one of its endpoints with --endpoint: {known}");
    vec![Err(InputError::whole(&name, message))]
}

fn endpoints<'r>(recorded: impl IntoIterator<Item = &'r RecordedBody>) -> BTreeSet<&'r str> {
    recorded.into_iter().map(|recorded| recorded.endpoint.as_str()).collect()
}

fn join(endpoints: &BTreeSet<&str>) -> String {
    endpoints.iter().copied().collect::<Vec<_>>().join(", ")
}

fn fetch_source(
    url: &str,
    options: InputOptions<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<PayloadSource, InputError>> {
    // The extension shows an archive, because servers send it as JSON or with the media type for
    // unknown files.
    let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    if is_archive(Path::new(path)) {
        return match fetch_bytes(url, None, reads, options.web) {
            Ok(content) => {
                archive_sources(Source::of_bytes(&content.name, content.bytes), options, reads)
            }
            Err(error) => vec![Err(error)],
        };
    }
    let content = fetch_content(url, options.from, reads, options.web);
    let found = |(content, form): (Content, Form)| {
        PayloadSource::new(Source::of_bytes(&content.name, content.bytes), form)
    };
    vec![content.map(found)]
}

/// Returns whether a name ends in `.har`, followed by the extension of a content coding or not.
fn is_archive(path: &Path) -> bool {
    let ends_so = |path: &Path| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har"))
    };
    let is_coded = Form::of_path(path).1.is_some();
    ends_so(path) || (is_coded && path.file_stem().map(Path::new).is_some_and(ends_so))
}

fn archive_sources(
    source: Source,
    options: InputOptions<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<PayloadSource, InputError>> {
    match source.bytes() {
        Ok(bytes) => {
            sources_in_archive(&source.name(), detect::without_mark(&bytes), options, reads)
        }
        Err(error) => vec![Err(error)],
    }
}

/// Returns the bodies in an archive as sources: of all endpoints, or of the selected one, whose errors
/// alone count. Prints how many were left out, because that is not visible in the file.
fn sources_in_archive(
    name: &str,
    bytes: &[u8],
    options: InputOptions<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<PayloadSource, InputError>> {
    let wanted = HarSelection { requests: options.recording.requests, reads };
    let Har { mut bodies, mut errors, left_out } = match har::read(name, bytes, wanted) {
        Ok(har) => har,
        Err(error) => return vec![Err(error)],
    };
    if bodies.is_empty() && errors.is_empty() {
        let message = match left_out.count() {
            0 => "no payloads: nothing was recorded".to_owned(),
            _ => format!("no payloads; {left_out}"),
        };
        return vec![Err(InputError::whole(name, message))];
    }
    if left_out.count() > 0 {
        eprintln!("{name}: {} taken, {left_out}", bodies.len());
    }
    if let Some(endpoint) = &options.recording.endpoint {
        let of_errors = errors.iter().filter_map(|invalid| invalid.endpoint.as_deref());
        let known = bodies.iter().map(|body| body.endpoint.as_str()).chain(of_errors);
        let known: BTreeSet<&str> = known.collect();
        if !known.contains(endpoint.as_str()) {
            let known = join(&known);
            let message = format_args!("nothing of {endpoint}; there are {known}");
            return vec![Err(InputError::whole(name, message))];
        }
        bodies.retain(|body| body.endpoint == *endpoint);
        errors.retain(|invalid| invalid.endpoint.as_ref() == Some(endpoint));
    }
    let found = bodies.into_iter().map(|body| Ok(body.found_in(name)));
    found.chain(errors.into_iter().map(|invalid| Err(invalid.error))).collect()
}

/// Reads the schema file that the arguments name, checks it, and returns its text for lanes.
pub(crate) fn schema_text(
    path: Option<&Path>,
    reading: &SchemaReading,
) -> Result<Option<SchemaText>, CommandError> {
    let Some(path) = path else { return Ok(None) };
    let file = SchemaFile::open(path)?;
    let document = file.read(reading)?;
    // Workers get one text. A schema of several files becomes one file.
    let text = match (String::from_utf8(file.bytes), document.language) {
        (Ok(text), _) if document.files == [file.name.as_str()] => text,
        (_, Language::Proto(schema)) => {
            let message = Some(schema.messages[schema.root].name.clone());
            return Ok(Some(SchemaText { file: file.name, text: schema.to_proto(""), message }));
        }
        (text, _) => text.map_err(|error| failed(format!("{}: {error}", file.name)))?,
    };
    Ok(Some(SchemaText { file: file.name, text, message: reading.message.clone() }))
}

/// Prints the errors of inputs to standard error.
pub(crate) fn report_errors(errors: &[InputError]) {
    for error in errors {
        eprintln!("error: {error}");
    }
}
