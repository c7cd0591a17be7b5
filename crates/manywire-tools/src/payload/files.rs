//! Finds the files that arguments name, each with the form of its values.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manywire_codec::json;
use manywire_format::{Form, Format, Framing};
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
pub(crate) fn holds_lines(head: &[u8]) -> bool {
    let Some(newline) = memchr::memchr(b'\n', head) else { return false };
    let (first, rest) = head.split_at(newline);
    let whole = json::read_value(first, &Arena::new(), LIMITS).is_ok();
    whole && rest.iter().any(|byte| !byte.is_ascii_whitespace())
}

/// Returns the framing of a whole text of JSON: lines if it looks like JSON Lines, or a sequence if it then
/// can be read as concatenated values only, because one of them has several lines, or a line several
/// values.
pub fn framing_of_json(text: &[u8]) -> Framing {
    if !holds_lines(text) {
        return Framing::Single;
    }
    let mut reader = json::ValueReader::new(LIMITS);
    let mut arena = Arena::new();
    let mut lines = text.split(|byte| *byte == b'\n').filter(|it| !it.trim_ascii().is_empty());
    let are_values = lines.all(|line| {
        let is_value = reader.read(line, &arena).is_ok();
        arena.reset();
        is_value
    });
    if are_values {
        return Framing::Lines;
    }
    let mut values = reader.stream(text);
    loop {
        match values.next_value(&arena) {
            Ok(Some(_)) => {}
            Ok(None) => return Framing::Sequence,
            // An error within a line is clearer than one in a text of many values.
            Err(_) => return Framing::Lines,
        }
        arena.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::{Framing, framing_of_json};

    #[test]
    fn text_is_lines_unless_only_concatenated_values_can_be_read() {
        for (text, framing) in [
            ("[1]\n\n[2]\r\n", Framing::Lines),
            ("[1]\n[2\n]", Framing::Sequence),
            ("[1]\n[2] [3]\n", Framing::Sequence),
            ("[1]\n[2\n", Framing::Lines),
            ("[1]\n", Framing::Single),
            ("[\n1]\n[2]\n", Framing::Single),
        ] {
            assert_eq!(framing_of_json(text.as_bytes()), framing, "{text:?}");
        }
    }
}
