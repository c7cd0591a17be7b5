use std::io::Read;
use std::path::{Path, PathBuf};

use manywire_schema::{Document, Language};
use manywire_shape::Shape;
use manywire_shape::infer::Inference;

use super::samples::{Complaints, Samples};
use crate::arguments;
use crate::exit::{Exit, Refusal};
use crate::gather::How;

/// What the arguments name.
pub(super) enum Given {
    /// A schema, read.
    Schema(Document),
    /// Samples, still to be read, and what was wrong with others.
    Samples(Samples, Complaints),
}

/// A shape and where it comes from.
pub(super) struct Known {
    pub(super) shape: Shape,
    /// The schema's own terms, where it was read from one.
    pub(super) language: Option<Language>,
}

/// Reads the schema, or the bytes of the samples.
pub(super) fn read(arguments: &arguments::Shape) -> Result<Given, Refusal> {
    if let Some(path) = &arguments.schema {
        return schema(path, arguments).map(Given::Schema);
    }
    let schemas: Vec<&PathBuf> =
        arguments.inputs.iter().filter(|path| holds_schema(path)).collect();
    match (&schemas[..], &arguments.inputs[..]) {
        ([], [only]) if only.as_os_str() == "-" => standard_input(arguments),
        ([], inputs) => {
            let mut complaints = Complaints::default();
            let samples = Samples::of(inputs, how(arguments), None, &mut complaints);
            Ok(Given::Samples(samples, complaints))
        }
        ([only], [_]) => schema(only, arguments).map(Given::Schema),
        ([first, ..], _) => Err((
            Exit::Usage,
            format!("{}: a schema stands alone, and cannot be mixed with samples", first.display()),
        )),
    }
}

/// How inputs that are no files are read.
pub(super) fn how(arguments: &arguments::Shape) -> How<'_> {
    let arguments::Shape { from, web, recording, .. } = arguments;
    How { from: *from, web, recording }
}

/// Whether a file is a schema, by its extension or its first bytes.
fn holds_schema(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if ["proto", "avsc"].iter().any(|known| known.eq_ignore_ascii_case(extension)) {
        return true;
    }
    // Whole files are read only where their head makes it likely.
    let mut head = Vec::new();
    let opened = std::fs::File::open(path).map(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    opened.is_ok()
        && manywire_schema::may_be_schema(&String::from_utf8_lossy(&head))
        && std::fs::read_to_string(path).is_ok_and(|text| manywire_schema::is_schema(&text))
}

/// Enough of a file to hold what tells a schema.
const HEAD_BYTES: u64 = 4096;

/// Standard input is read on from its head, unless that may be one of a schema: then all of it
/// tells.
fn standard_input(arguments: &arguments::Shape) -> Result<Given, Refusal> {
    let name = "standard input";
    let mut stdin = std::io::stdin().lock();
    let mut bytes = Vec::new();
    let mut read = |bytes: &mut Vec<u8>, limit: u64| -> Result<usize, Refusal> {
        let read = (&mut stdin).take(limit).read_to_end(bytes);
        read.map_err(|error| (Exit::Failed, format!("{name}: {error}")))
    };
    let whole = (read(&mut bytes, HEAD_BYTES)? as u64) < HEAD_BYTES;
    let may_be_schema = arguments.from.is_none()
        && manywire_schema::may_be_schema(&String::from_utf8_lossy(&bytes));
    // To be read twice, it must be kept.
    let all = whole || may_be_schema || arguments.hold_out;
    if all && !whole {
        read(&mut bytes, u64::MAX)?;
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) if may_be_schema && manywire_schema::is_schema(text) => {
            parse(name, text, arguments).map(Given::Schema)
        }
        _ => {
            let samples = Samples::of_stdin(bytes, all, arguments.from);
            Ok(Given::Samples(samples, Complaints::default()))
        }
    }
}

/// Reads a schema from a file, or from standard input for `-`.
pub(super) fn schema(path: &Path, arguments: &arguments::Shape) -> Result<Document, Refusal> {
    let name = path.display().to_string();
    let text = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
    parse(&name, &text, arguments)
}

fn parse(name: &str, text: &str, arguments: &arguments::Shape) -> Result<Document, Refusal> {
    manywire_schema::read(name, text, arguments.message.as_deref())
        .map_err(|error| (Exit::Failed, error.to_string()))
}

impl Known {
    /// The shape of a schema, or the one that the samples have in common. Samples that cannot be
    /// read are named; the others are looked at all the same.
    pub(super) fn of(given: Given, arguments: &arguments::Shape) -> Result<(Known, Exit), Refusal> {
        match given {
            Given::Schema(Document { shape, language }) => {
                Ok((Known { shape, language: Some(language) }, Exit::Done))
            }
            Given::Samples(samples, complaints) => {
                let (inference, exit) = infer(&samples, complaints)?;
                let name = match (&arguments.name, &arguments.lock) {
                    (Some(name), _) => name.clone(),
                    (None, Some(lock)) => super::lock::read(lock)?.root_name().to_owned(),
                    (None, None) => "Root".to_owned(),
                };
                let shape = inference.shape_named(&name);
                Ok((Known { shape, language: None }, exit))
            }
        }
    }
}

/// Counts what the samples hold, one after the other.
pub(super) fn infer(
    samples: &Samples,
    mut complaints: Complaints,
) -> Result<(Inference, Exit), Refusal> {
    let mut inference = Inference::new();
    samples.each(&mut complaints, &mut |_, _, item| inference.add(&item.value));
    let exit = complaints.tell();
    if inference.samples() == 0 {
        let message = "there is no sample that could be read";
        return Err((Exit::Failed, message.to_owned()));
    }
    Ok((inference, exit))
}
