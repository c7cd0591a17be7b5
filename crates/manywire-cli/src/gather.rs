//! Payloads out of everything that arguments name: files and folders, standard input, URLs, and
//! what a browser recorded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::slice;

use manywire_fetch::Content;
use manywire_format::Form;
use manywire_payload::har::{self, Har, Wanted};
use manywire_payload::payload::Reader;
use manywire_payload::{Carried, Found, InputError, Payload, Recorded, Source, find};
use manywire_weigh::launch::SchemaText;

use crate::arguments::{Recording, Web};
use crate::exit::{Exit, Refusal};
use crate::web;

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
    let each = inputs.iter().flat_map(|input| match web::url(input) {
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
    let name = web::url(input).map_or_else(|| input.display().to_string(), manywire_fetch::name);
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
        return match web::bytes(url, None, reads, how.web) {
            Ok(content) => archive_of(Source::of_bytes(&content.name, content.bytes), how, reads),
            Err(error) => vec![Err(error)],
        };
    }
    let content = web::content(url, how.from, reads, how.web);
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
