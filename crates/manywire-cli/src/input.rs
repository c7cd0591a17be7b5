//! Inputs as arguments name them: files and folders, standard input, URLs, and archives that a
//! browser recorded (HAR). Each becomes a source of bytes with the form of its values.

use std::collections::BTreeSet;
use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::{fs, slice};

use manywire_format::{Coding, FORMS, Form, Format};
use manywire_tools::fetch::{Content, FetchError, Limits, Request, fetch, is_url};
use manywire_tools::payload::har::{self, Har, Wanted};
use manywire_tools::payload::reader::Reader;
use manywire_tools::payload::{
    Carried, Found, InputError, Payload, Recorded, Schema, Source, find,
};
use manywire_tools::weigh::launch::SchemaText;

use crate::arguments::{Recording, Web};
use crate::exit::{Exit, Refusal, failed, usage};

/// A file, or standard input for `-`, and what its values are in: by `from`, by its extensions, or
/// for standard input JSON.
pub(crate) fn source(
    path: &Path,
    from: Option<Form>,
    coding: Option<Coding>,
) -> Result<(Source, Form), Refusal> {
    source_from(path, from, coding, &Web::default())
}

/// The same, where URLs are asked for with header fields. What they hold is said by `from`, or else
/// by the server.
pub(crate) fn source_from(
    path: &Path,
    from: Option<Form>,
    coding: Option<Coding>,
    web: &Web,
) -> Result<(Source, Form), Refusal> {
    if let Some(url) = url(path) {
        let (content, form) =
            content(url, from, |_| true, web).map_err(|error| failed(error.to_string()))?;
        return Ok((Source::of_bytes(&content.name, content.bytes).with_coding(coding), form));
    }
    let is_stdin = path.as_os_str() == "-";
    if is_stdin && stdin().is_terminal() {
        let message = "no input: name a file, or send values to standard input";
        return Err(usage(message));
    }
    let (of_path, coding_of_path) = Form::of_path(path);
    let form = match from.or(of_path) {
        Some(form) => form,
        None if is_stdin => Form::of(Format::Json),
        None => {
            return Err(usage(format!(
                "{}: unknown kind of file: name its format with --from, or let it end in {}",
                path.display(),
                Form::known_extensions(|_| true)
            )));
        }
    };
    Ok((Source::new(path, coding.or(coding_of_path)), form))
}

/// The schema of a file, or the message or record in it that has this name.
pub(crate) fn schema(path: &Path, message: Option<&str>) -> Result<Schema, Refusal> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| failed(format!("{name}: {error}")))?;
    let document = manywire_schema::read(&name, &text, message);
    document.map(Schema::from).map_err(|error| failed(error.to_string()))
}

/// The URL that an argument is, if it is one and not a file.
pub(crate) fn url(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|argument| is_url(argument))
}

/// Asks for content in the form that was named, or else in any that is read, and says which it is
/// in: the one that was named wins over what the server says.
pub(crate) fn content(
    url: &str,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
    web: &Web,
) -> Result<(Content, Form), InputError> {
    let content = bytes(url, from, &reads, web)?;
    let form = from.or(content.form).ok_or_else(|| {
        let what = match &content.media_type {
            Some(media_type) => format!("the server sent {}", media_type.essence()),
            None => "the server did not say what it sent".to_owned(),
        };
        let message = format_args!("{what}: name the format with --from, if it is one");
        InputError::whole(&content.name, message)
    })?;
    Ok((content, form))
}

/// Asks for content in the form that was named, or else in any that is read.
pub(crate) fn bytes(
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

/// What the arguments say beside the names of inputs.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    /// The form of everything that does not say its own.
    pub(crate) from: Option<Form>,
    /// How URLs are asked for.
    pub(crate) web: &'a Web,
    /// What is taken of archives.
    pub(crate) recording: &'a Recording,
}

/// Payloads, and what came to light with them.
pub(crate) struct Gathered {
    pub(crate) payloads: Vec<Payload>,
    /// What could not be read.
    pub(crate) errors: Vec<InputError>,
    /// The schema that was given, or else the one that the files bring, where all bring the same.
    pub(crate) schema: Option<SchemaText>,
}

/// Where the payloads of these arguments are, each source with the form of its values; with those
/// that only a schema makes sense of, if there is one: `by_schema`.
pub(crate) fn payload_sources(
    inputs: &[PathBuf],
    how: How<'_>,
    by_schema: bool,
) -> (Vec<Found>, Vec<InputError>) {
    let (mut sources, mut errors) = (Vec::new(), Vec::new());
    for found in sources_of(inputs, how, reads(by_schema)) {
        match found {
            Ok(found) => sources.push(found),
            Err(error) => errors.push(error),
        }
    }
    (sources, errors)
}

/// Reads every payload of these arguments. What cannot be read is reported beside what can.
///
/// # Errors
/// A schema that is none.
pub(crate) fn payloads(
    inputs: &[PathBuf],
    how: How<'_>,
    schema: Option<&SchemaText>,
) -> Result<Gathered, Refusal> {
    let (sources, errors) = payload_sources(inputs, how, schema.is_some());
    payloads_of(&sources, errors, schema)
}

/// Reads every payload of these sources, beside what was wrong with others.
///
/// # Errors
/// A schema that is none.
pub(crate) fn payloads_of(
    sources: &[Found],
    errors: Vec<InputError>,
    schema: Option<&SchemaText>,
) -> Result<Gathered, Refusal> {
    let known = schema.map(SchemaText::read).transpose();
    let known = known.map_err(|error| (Exit::Failed, error))?;
    let mut reader = Reader { schema: known.as_ref(), errors, carried: Carried::default() };
    let payloads = sources.iter().flat_map(|found| reader.read(found)).collect();
    let schema = schema.cloned().or_else(|| SchemaText::carried(&reader.carried));
    Ok(Gathered { payloads, errors: reader.errors, schema })
}

/// Which forms are read, with a schema or without.
fn reads(by_schema: bool) -> fn(Form) -> bool {
    match by_schema {
        true => |_| true,
        false => |form: Form| !form.needs_schema(),
    }
}

/// Where the values of these arguments are, for whoever asks what they have in common; with those
/// that only a schema makes sense of, if there is one: `by_schema`.
pub(crate) fn sources(
    inputs: &[PathBuf],
    how: How<'_>,
    by_schema: bool,
) -> Vec<Result<Found, InputError>> {
    let reads = reads(by_schema);
    let each = inputs
        .iter()
        .flat_map(|input| of_one_endpoint(input, sources_of(slice::from_ref(input), how, reads)));
    each.collect()
}

fn sources_of(
    inputs: &[PathBuf],
    how: How<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<Found, InputError>> {
    let each = inputs.iter().flat_map(|input| match url(input) {
        Some(url) => fetched(url, how, reads),
        None if is_archive(input) => archive_in_file(input, how, reads),
        None => find(slice::from_ref(input), how.from, reads),
    });
    each.collect()
}

/// What the values have in common can be said of one endpoint; several have nothing in common.
fn of_one_endpoint(
    input: &Path,
    found: Vec<Result<Found, InputError>>,
) -> Vec<Result<Found, InputError>> {
    let known = endpoints(found.iter().flatten().filter_map(|found| found.recorded.as_ref()));
    if known.len() <= 1 {
        return found;
    }
    let name = url(input).map_or_else(|| input.display().to_string(), manywire_tools::fetch::name);
    let known = in_words(&known);
    let message = format_args!("choose one of its endpoints with --endpoint: {known}");
    vec![Err(InputError::whole(&name, message))]
}

fn endpoints<'r>(recorded: impl IntoIterator<Item = &'r Recorded>) -> BTreeSet<&'r str> {
    recorded.into_iter().map(|recorded| recorded.endpoint.as_str()).collect()
}

fn in_words(endpoints: &BTreeSet<&str>) -> String {
    endpoints.iter().copied().collect::<Vec<_>>().join(", ")
}

fn fetched(url: &str, how: How<'_>, reads: fn(Form) -> bool) -> Vec<Result<Found, InputError>> {
    // An archive comes as JSON, or as whatever a server makes of a file it does not know.
    let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    if is_archive(Path::new(path)) {
        return match bytes(url, None, reads, how.web) {
            Ok(content) => archive_of(Source::of_bytes(&content.name, content.bytes), how, reads),
            Err(error) => vec![Err(error)],
        };
    }
    let content = content(url, how.from, reads, how.web);
    let found = |(content, form): (Content, Form)| {
        Found::new(Source::of_bytes(&content.name, content.bytes), form)
    };
    vec![content.map(found)]
}

/// Whether a name is an archive's, with a coding around it or without.
fn is_archive(path: &Path) -> bool {
    let ends_so = |path: &Path| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har"))
    };
    let is_coded = Form::of_path(path).1.is_some();
    ends_so(path) || (is_coded && path.file_stem().map(Path::new).is_some_and(ends_so))
}

fn archive_in_file(
    path: &Path,
    how: How<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<Found, InputError>> {
    archive_of(Source::new(path, Form::of_path(path).1), how, reads)
}

fn archive_of(
    source: Source,
    how: How<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<Found, InputError>> {
    match source.bytes() {
        Ok(bytes) => archive(&source.name(), &bytes, how, reads),
        Err(error) => vec![Err(error)],
    }
}

/// The bodies of an archive. What is left out of it is said, for nobody sees it in the file.
fn archive(
    name: &str,
    bytes: &[u8],
    how: How<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<Found, InputError>> {
    let wanted = Wanted { requests: how.recording.requests, reads };
    let Har { bodies, errors, left_out } = match har::read(name, bytes, wanted) {
        Ok(har) => har,
        Err(error) => return vec![Err(error)],
    };
    if bodies.is_empty() && errors.is_empty() {
        let message = match left_out.count() {
            0 => "no payload in it: nothing was recorded".to_owned(),
            _ => format!("no payload in it; {left_out}"),
        };
        return vec![Err(InputError::whole(name, message))];
    }
    if left_out.count() > 0 {
        eprintln!("{name}: {} taken, {left_out}", bodies.len());
    }
    let mut found: Vec<Found> = bodies.into_iter().map(|body| body.found_in(name)).collect();
    if let Some(endpoint) = &how.recording.endpoint {
        let recorded = |found: &Found| found.recorded.clone();
        let known: Vec<Recorded> = found.iter().filter_map(recorded).collect();
        found.retain(|found| found.recorded.as_ref().is_some_and(|it| it.endpoint == *endpoint));
        if found.is_empty() {
            let known = in_words(&endpoints(&known));
            let message = format_args!("nothing of {endpoint}; there are {known}");
            return vec![Err(InputError::whole(name, message))];
        }
    }
    found.into_iter().map(Ok).chain(errors.into_iter().map(Err)).collect()
}

/// The schema that the arguments name.
pub(crate) fn schema_text(
    path: Option<&Path>,
    message: Option<&str>,
) -> Result<Option<SchemaText>, Refusal> {
    let Some(path) = path else { return Ok(None) };
    let text = fs::read_to_string(path)
        .map_err(|error| (Exit::Failed, format!("{}: {error}", path.display())))?;
    let message = message.map(str::to_owned);
    let schema = SchemaText { file: path.display().to_string(), text, message };
    schema.read().map_err(failed)?;
    Ok(Some(schema))
}

pub(crate) fn report_errors(errors: &[InputError]) {
    for error in errors {
        eprintln!("error: {error}");
    }
}
