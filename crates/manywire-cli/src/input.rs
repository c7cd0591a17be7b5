//! Inputs as arguments name them, made into what can be read.

use std::fs;
use std::io::{IsTerminal, stdin};
use std::path::Path;

use manywire_format::{Coding, Form, Format};
use manywire_payload::{Schema, Source};

use crate::arguments::Web;
use crate::exit::{Refusal, failed, usage};
use crate::web;

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
    if let Some(url) = web::url(path) {
        let (content, form) =
            web::content(url, from, |_| true, web).map_err(|error| failed(error.to_string()))?;
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
