//! Finds the files that arguments name, each with the form of its values.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manywire_codec::json;
use manywire_format::{Form, Format};
use manywire_shape::Arena;

use crate::payload::{InputError, LIMITS, Source};

/// A source that an argument led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where its values are.
    pub source: Source,
    /// What they are in.
    pub form: Form,
    /// What it is to the service that it was recorded of, where it was.
    pub recorded: Option<Recorded>,
}

/// The place of a body among those that were recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// What it answers: `GET /v1/hotels/{id}`.
    pub endpoint: String,
    /// Which of the endpoint's: `GET /v1/hotels/{id} #2`.
    pub name: String,
}

impl Found {
    /// A source that nobody recorded.
    pub fn new(source: Source, form: Form) -> Found {
        Found { source, form, recorded: None }
    }
}

/// The files that arguments name, in their order, each with the form of its values: files, folders
/// of them, `-` for standard input. `from` says the form of everything, where extensions do not;
/// standard input is JSON unless it does.
///
/// Of a folder the files are taken whose extension says a form that is read.
pub fn find(
    arguments: &[PathBuf],
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
) -> Vec<Result<Found, InputError>> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            let form = from.unwrap_or(Form::of(Format::Json));
            found.push(Ok(Found::new(Source::new(argument, None), form)));
        } else if argument.is_dir() {
            match folder(argument, &reads) {
                Ok(files) => found.extend(files.iter().map(|path| file(path, from, &reads))),
                Err(error) => found.push(Err(error)),
            }
        } else {
            found.push(file(argument, from, &reads));
        }
    }
    found
}

fn file(
    path: &Path,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
) -> Result<Found, InputError> {
    let (of_path, coding) = Form::of_path(path);
    match said(from, of_path) {
        Some(form) => Ok(Found::new(Source::new(path, coding), form)),
        None => {
            let message = format_args!(
                "unknown kind of file: name its format with --from, or let it end in {}",
                Form::known_extensions(reads)
            );
            Err(InputError::whole(&path.display().to_string(), message))
        }
    }
}

/// What is said of everything wins over what a file is called; but that one holds JSON does not
/// mean that it holds one value.
fn said(from: Option<Form>, of_path: Option<Form>) -> Option<Form> {
    match (from, of_path) {
        (Some(from), Some(lines))
            if from == Form::of(Format::Json) && lines.format == from.format =>
        {
            Some(lines)
        }
        _ => from.or(of_path),
    }
}

fn folder(folder: &Path, reads: impl Fn(Form) -> bool) -> Result<Vec<PathBuf>, InputError> {
    let name = folder.display().to_string();
    let unreadable = |error: io::Error| InputError::unreadable(&name, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && Form::of_path(&path).0.is_some_and(&reads) {
            files.push(path);
        }
    }
    if files.is_empty() {
        let known = Form::known_extensions(reads);
        let message = format_args!("no payloads in this folder; a payload ends in {known}");
        return Err(InputError::whole(&name, message));
    }
    files.sort();
    Ok(files)
}

/// Whether text begins as one JSON value a line does: the first line is a whole value, and
/// something follows.
pub fn holds_lines(head: &[u8]) -> bool {
    let Some(newline) = memchr::memchr(b'\n', head) else { return false };
    let (first, rest) = head.split_at(newline);
    let whole = json::read_value(first, &Arena::new(), LIMITS).is_ok();
    whole && rest.iter().any(|byte| !byte.is_ascii_whitespace())
}
