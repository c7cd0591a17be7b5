//! Finds the files that arguments name, each with the form of its values.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manywire_codec::json;
use manywire_format::{Form, Format};
use manywire_shape::Arena;

use crate::payload::{InputError, LIMITS, Source};

/// A source of payloads that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadSource {
    /// The source of the values.
    pub source: Source,
    /// The form of the values.
    pub form: Form,
    /// The endpoint of the body, if a browser recorded it.
    pub recorded: Option<RecordedBody>,
}

/// The endpoint and the name of a recorded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedBody {
    /// The endpoint: `GET /v1/hotels/{id}`.
    pub endpoint: String,
    /// The endpoint with a number: `GET /v1/hotels/{id} #2`.
    pub name: String,
}

impl PayloadSource {
    /// Returns a source without an endpoint.
    pub fn new(source: Source, form: Form) -> PayloadSource {
        PayloadSource { source, form, recorded: None }
    }
}

/// Finds the files that arguments name, in order, each with the form of its values. An argument is
/// a file, a folder of files, or `-` for standard input. `from` is the form of all inputs. Without
/// `from`, the extension of a file gives its form, and standard input is JSON.
///
/// The files of a folder are those whose extension gives a form that `reads` selects.
pub fn find(
    arguments: &[PathBuf],
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
) -> Vec<Result<PayloadSource, InputError>> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            let form = from.unwrap_or(Form::of(Format::Json));
            found.push(Ok(PayloadSource::new(Source::new(argument), form)));
        } else if argument.is_dir() {
            match folder(argument, &reads) {
                Ok(files) => found.extend(files.iter().map(|path| file_source(path, from, &reads))),
                Err(error) => found.push(Err(error)),
            }
        } else {
            found.push(file_source(argument, from, &reads));
        }
    }
    found
}

fn file_source(
    path: &Path,
    from: Option<Form>,
    reads: impl Fn(Form) -> bool,
) -> Result<PayloadSource, InputError> {
    match choose_form(from, Form::of_path(path).0) {
        Some(form) => Ok(PayloadSource::new(Source::new(path), form)),
        None => {
            let message = format_args!(
                "unknown kind of file: name its format with --from, or let it end in {}",
                Form::known_extensions(reads)
            );
            Err(InputError::whole(&path.display().to_string(), message))
        }
    }
}

/// Chooses between the form for all inputs and that of the extension. The form for all inputs wins,
/// except that `json` leaves JSON Lines to the extension.
fn choose_form(from: Option<Form>, of_path: Option<Form>) -> Option<Form> {
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

/// Returns whether text looks like JSON Lines: the first line is a whole value, and more follows.
pub fn holds_lines(head: &[u8]) -> bool {
    let Some(newline) = memchr::memchr(b'\n', head) else { return false };
    let (first, rest) = head.split_at(newline);
    let whole = json::read_value(first, &Arena::new(), LIMITS).is_ok();
    whole && rest.iter().any(|byte| !byte.is_ascii_whitespace())
}
