//! Payloads out of everything that arguments name: files and folders, standard input, URLs, and
//! what a browser recorded.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use manywire_format::Form;
use manywire_payload::har::{self, Body, Har, Wanted};
use manywire_payload::{Source, sources as files};
use manywire_weigh::payload::{self, InputError, Payload};

use crate::arguments::{Recording, Web};
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

/// Reads every payload of these arguments. What cannot be read is reported beside what can.
pub(crate) fn payloads(inputs: &[PathBuf], how: How<'_>) -> (Vec<Payload>, Vec<InputError>) {
    let mut gathered = (Vec::new(), Vec::new());
    let mut add = |(payloads, errors): (Vec<Payload>, Vec<InputError>)| {
        gathered.0.extend(payloads);
        gathered.1.extend(errors);
    };
    for input in inputs {
        let Some(found) = elsewhere(input, how, |form| payload::check_form(form).is_ok()) else {
            add(payload::read(slice::from_ref(input), how.from));
            continue;
        };
        for found in found {
            add(match found {
                Ok(Found::Content { name, form, bytes }) => {
                    payload::divide_content(&name, form, bytes)
                }
                Ok(Found::Body { file, body }) => payload::divide_body(&file, body),
                Err(error) => (Vec::new(), vec![error]),
            });
        }
    }
    gathered
}

/// Where the values of these arguments are, each with the form of its values, for whoever reads
/// them one by one; with those that only a schema makes sense of, if there is one: `by_schema`.
pub(crate) fn sources(
    inputs: &[PathBuf],
    how: How<'_>,
    by_schema: bool,
) -> Vec<Result<(Source, Form), InputError>> {
    let source = |found| match found {
        Found::Content { name, form, bytes } => (Source::of_bytes(&name, bytes), form),
        Found::Body { file, body: Body { name, form, bytes, .. } } => {
            (Source::of_bytes(&format!("{file}: {name}"), bytes), form)
        }
    };
    let reads = match by_schema {
        true => |_| true,
        false => |form: Form| !form.needs_schema(),
    };
    let each = inputs.iter().flat_map(|input| match elsewhere(input, how, reads) {
        Some(found) => of_one_endpoint(found).into_iter().map(|found| found.map(source)).collect(),
        None => files(slice::from_ref(input), how.from, by_schema),
    });
    each.collect()
}

/// What the values have in common can be said of one endpoint; several have nothing in common.
fn of_one_endpoint(found: Vec<Result<Found, InputError>>) -> Vec<Result<Found, InputError>> {
    let bodies = found.iter().filter_map(|found| match found {
        Ok(Found::Body { file, body }) => Some((file, body)),
        _ => None,
    });
    let (files, bodies): (Vec<&String>, Vec<&Body>) = bodies.unzip();
    match (&files[..], &bodies[..]) {
        ([file, ..], [first, rest @ ..])
            if rest.iter().any(|body| body.endpoint != first.endpoint) =>
        {
            let known = endpoints(bodies.iter().copied());
            let message = format_args!("choose one of its endpoints with --endpoint: {known}");
            vec![Err(InputError::whole(file, message))]
        }
        _ => found,
    }
}

fn endpoints<'b>(bodies: impl IntoIterator<Item = &'b Body>) -> String {
    let names: BTreeSet<&str> = bodies.into_iter().map(|body| body.endpoint.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Whether these inputs are files and folders alone, which can be read in batches.
pub(crate) fn are_files(inputs: &[PathBuf]) -> bool {
    !inputs.iter().any(|input| web::url(input).is_some() || is_archive(input))
}

/// Something that is in no file of its own.
enum Found {
    Content { name: String, form: Form, bytes: Vec<u8> },
    Body { file: String, body: Body },
}

/// What an argument names, if that is a URL or an archive.
fn elsewhere(
    input: &Path,
    how: How<'_>,
    reads: fn(Form) -> bool,
) -> Option<Vec<Result<Found, InputError>>> {
    if let Some(url) = web::url(input) {
        return Some(fetched(url, how, reads));
    }
    is_archive(input).then(|| {
        let name = input.display().to_string();
        match fs::read(input) {
            Ok(bytes) => archive(&name, &bytes, how, reads),
            Err(error) => vec![Err(InputError::unreadable(&name, &error))],
        }
    })
}

fn fetched(url: &str, how: How<'_>, reads: fn(Form) -> bool) -> Vec<Result<Found, InputError>> {
    // An archive comes as JSON, or as whatever a server makes of a file it does not know.
    let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    if is_archive(Path::new(path)) {
        return match web::bytes(url, None, reads, how.web) {
            Ok(content) => archive(&content.name, &content.bytes, how, reads),
            Err(error) => vec![Err(error)],
        };
    }
    let content = web::content(url, how.from, reads, how.web);
    let found = content.map(|(content, form)| Found::Content {
        name: content.name,
        form,
        bytes: content.bytes,
    });
    vec![found]
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har"))
}

/// The bodies of an archive. What is left out of it is said, for nobody sees it in the file.
fn archive(
    name: &str,
    bytes: &[u8],
    how: How<'_>,
    reads: fn(Form) -> bool,
) -> Vec<Result<Found, InputError>> {
    let wanted = Wanted { requests: how.recording.requests, reads };
    let Har { mut bodies, errors, left_out } = match har::read(name, bytes, wanted) {
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
    if let Some(endpoint) = &how.recording.endpoint {
        let known = endpoints(&bodies);
        bodies.retain(|body| body.endpoint == *endpoint);
        if bodies.is_empty() {
            let message = format_args!("nothing of {endpoint}; there are {known}");
            return vec![Err(InputError::whole(name, message))];
        }
    }
    let bodies = bodies.into_iter().map(|body| Ok(Found::Body { file: name.to_owned(), body }));
    bodies.chain(errors.into_iter().map(Err)).collect()
}
