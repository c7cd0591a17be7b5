use std::io::Read;
use std::path::{Path, PathBuf};

use manywire_schema::{Document, Language};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Shape};
use manywire_weigh::payload::{self, Corpus, InputError, Payload};

use super::Refusal;
use crate::arguments;
use crate::exit::Exit;

/// What the arguments name.
pub(super) enum Given {
    /// A schema, read.
    Schema(Document),
    /// Samples, still to be read, and what was wrong with others.
    Samples(Vec<Payload>, Vec<InputError>),
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
            let (payloads, errors) = payload::read(inputs, arguments.from);
            Ok(Given::Samples(payloads, errors))
        }
        ([only], [_]) => schema(only, arguments).map(Given::Schema),
        ([first, ..], _) => Err((
            Exit::Usage,
            format!("{}: a schema stands alone, and cannot be mixed with samples", first.display()),
        )),
    }
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

fn standard_input(arguments: &arguments::Shape) -> Result<Given, Refusal> {
    let name = "standard input";
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if arguments.from.is_none() && manywire_schema::is_schema(text) => {
            parse(name, text, arguments).map(Given::Schema)
        }
        _ => {
            let (payloads, errors) = payload::divide_stdin(bytes, arguments.from);
            Ok(Given::Samples(payloads, errors))
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
            Given::Samples(payloads, errors) => {
                let (inference, exit) = infer(&payloads, errors)?;
                let name = match (&arguments.name, &arguments.lock) {
                    (Some(name), _) => name.clone(),
                    (None, Some(lock)) => super::text::read_lock(lock)?.root_name().to_owned(),
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
    payloads: &[Payload],
    mut errors: Vec<InputError>,
) -> Result<(Inference, Exit), Refusal> {
    let mut inference = Inference::new();
    let mut arena = Arena::new();
    for payload in payloads {
        let (corpus, unread) = Corpus::load(std::slice::from_ref(payload), &arena);
        corpus.values().for_each(|value| inference.add(&value));
        errors.extend(unread);
        arena.reset();
    }
    let exit = complain(&errors);
    if inference.samples() == 0 {
        let message = "there is no sample that could be read";
        return Err((Exit::Failed, message.to_owned()));
    }
    Ok((inference, exit))
}

/// Names what could not be read.
pub(super) fn complain(errors: &[InputError]) -> Exit {
    errors.iter().for_each(|error| eprintln!("error: {error}"));
    if errors.is_empty() { Exit::Done } else { Exit::Failed }
}
