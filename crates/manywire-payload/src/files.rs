use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manywire_codec::json;
use manywire_format::{Form, Format};
use manywire_shape::Arena;

use crate::{InputError, LIMITS, Source};

// A source and the form of what it holds, or why there is none.
type Found = Result<(Source, Form), InputError>;

/// The files that arguments name, in their order, each with the form of its values: files, folders
/// of them, `-` for standard input. `from` says the form of everything, where extensions do not;
/// standard input is JSON unless it does.
///
/// Of a folder the files are taken whose extension says a form, those that only a schema makes
/// sense of if there is one: `by_schema`.
pub fn sources(arguments: &[PathBuf], from: Option<Form>, by_schema: bool) -> Vec<Found> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            let form = from.unwrap_or(Form::of(Format::Json));
            found.push(Ok((Source::new(argument, None), form)));
        } else if argument.is_dir() {
            match folder(argument, by_schema) {
                Ok(files) => found.extend(files.iter().map(|file| source(file, from))),
                Err(error) => found.push(Err(error)),
            }
        } else {
            found.push(source(argument, from));
        }
    }
    found
}

fn source(path: &Path, from: Option<Form>) -> Found {
    let (form, coding) = Form::of_path(path);
    match from.or(form) {
        Some(form) => Ok((Source::new(path, coding), form)),
        None => {
            let message = format_args!(
                "unknown kind of file: name its format with --from, or let it end in {}",
                Form::known_extensions()
            );
            Err(InputError::whole(&path.display().to_string(), message))
        }
    }
}

fn folder(folder: &Path, by_schema: bool) -> Result<Vec<PathBuf>, InputError> {
    let name = folder.display().to_string();
    let unreadable = |error: io::Error| InputError::unreadable(&name, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let form = Form::of_path(&path).0;
        if path.is_file() && form.is_some_and(|form| by_schema || !form.needs_schema()) {
            files.push(path);
        }
    }
    if files.is_empty() {
        let known = Form::known_extensions();
        let message = format_args!("no values in this folder; a file of them ends in {known}");
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
