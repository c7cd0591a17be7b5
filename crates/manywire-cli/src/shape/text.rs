//! A shape as text: an outline, a schema, or types of a programming language; with `--lock`, in
//! the order and with the numbers that a published schema promises.

use std::path::Path;

use manywire_schema::lock::{Breaches, Datums, Lock, Numbers};
use manywire_schema::native::{self, Target};
use manywire_schema::{Document, Language as SchemaLanguage};
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{Shape, avro, proto};

use crate::arguments::{self, Language};
use crate::exit::{Exit, Refusal};

use super::input::{Given, infer};

/// A shape and where it comes from.
pub(super) struct Known {
    pub(super) shape: Shape,
    /// The schema's own terms, where it was read from one.
    pub(super) language: Option<SchemaLanguage>,
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
                    (None, Some(lock)) => read_lock(lock)?.root_name().to_owned(),
                    (None, None) => "Root".to_owned(),
                };
                let shape = inference.shape_named(&name);
                Ok((Known { shape, language: None }, exit))
            }
        }
    }
}

/// The text that was asked for. A schema in its own language keeps its own terms.
pub(super) fn write(known: &Known, arguments: &arguments::Shape) -> Result<String, Refusal> {
    let impossible = |error: String| (Exit::Failed, error);
    let locked;
    let known = match (&arguments.lock, arguments.language) {
        (None, _) | (_, Some(Language::Proto)) => known,
        (Some(path), _) => {
            locked = in_place(known, path, arguments)?;
            &locked
        }
    };
    let target = match arguments.language {
        None => return Ok(known.shape.to_string()),
        Some(Language::Proto) => {
            let schema = match &known.language {
                Some(SchemaLanguage::Proto(schema)) => Ok(schema.clone()),
                _ => proto::Schema::from_shape(&known.shape),
            };
            let mut schema = schema.map_err(|error| impossible(error.to_string()))?;
            if let Some(path) = &arguments.lock {
                let locked = read_lock(path)?.apply(&schema, numbers(known));
                schema = locked.map_err(|breaches| impossible(breaches.to_string()))?;
            }
            return Ok(schema.to_proto(&arguments.package));
        }
        Some(Language::Avro) => {
            let schema = match &known.language {
                Some(SchemaLanguage::Avro(schema)) => Ok(schema.clone()),
                _ => avro::Schema::from_shape(&known.shape),
            };
            return schema
                .map(|schema| schema.to_string())
                .map_err(|it| impossible(it.to_string()));
        }
        Some(Language::JsonSchema) => return Ok(JsonSchema::of(&known.shape).to_string()),
        Some(Language::Rust) => Target::Rust,
        Some(Language::Go) => Target::Go,
        Some(Language::TypeScript) => Target::TypeScript,
        Some(Language::Java) => Target::Java,
        Some(Language::Python) => Target::Python,
    };
    let options = native::Options {
        package: arguments.package.clone(),
        class: arguments.class.clone(),
        shaped: arguments.shaped,
        ..native::Options::default()
    };
    Ok(native::write(&known.shape, target, &options).text)
}

/// Reads the schema that must be kept to: a `.proto`, or an `.avsc` for its names and order.
fn read_lock(path: &Path) -> Result<Lock, Refusal> {
    let (name, text) = text(path)?;
    let failed = |error: String| (Exit::Failed, error);
    // No .proto begins so, and every .avsc does.
    if text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '"']) {
        let document = manywire_schema::read(&name, &text, None);
        let document = document.map_err(|error| failed(error.to_string()))?;
        if !matches!(document.language, SchemaLanguage::Avro(_)) {
            let message = "a JSON Schema promises no order: the lock is a .proto or an .avsc";
            return Err((Exit::Usage, format!("{name}: {message}")));
        }
        let schema = proto::Schema::from_shape(&document.shape);
        return schema.map(Lock::of).map_err(|error| failed(format!("{name}: {error}")));
    }
    Lock::read(&name, &text).map_err(|error| failed(error.to_string()))
}

fn text(path: &Path) -> Result<(String, String), Refusal> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path);
    text.map(|text| (name.clone(), text))
        .map_err(|error| (Exit::Failed, format!("{name}: {error}")))
}

/// What the lock promises of bare Avro: its own unions, or those that it has as an `.avsc`.
fn datums(path: &Path, lock: &Lock) -> Result<Datums, Refusal> {
    let (name, text) = text(path)?;
    let failed = |error: String| (Exit::Failed, error);
    let document = manywire_schema::read(&name, &text, Some(lock.root_name()));
    let document = document.map_err(|error| failed(error.to_string()))?;
    let schema = match document.language {
        SchemaLanguage::Avro(schema) => Ok(schema),
        _ => avro::Schema::from_shape(&document.shape),
    };
    schema.map(Datums::of).map_err(|error| failed(format!("{name}: {error}")))
}

/// What the numbers of a shape are worth: what inference counted is no promise, what a schema says
/// is.
pub(super) fn numbers(known: &Known) -> Numbers {
    match known.language {
        None => Numbers::Suggested,
        Some(_) => Numbers::Declared,
    }
}

/// The shape in the order that the lock promises, for formats that go by the place of a field: bare
/// Avro, and records as arrays. An order that was written down is checked instead.
pub(super) fn in_place(
    known: &Known,
    path: &Path,
    arguments: &arguments::Shape,
) -> Result<Known, Refusal> {
    if arguments.language == Some(Language::JsonSchema) {
        let message = "--lock keeps numbers and places, and JSON Schema has neither";
        return Err((Exit::Usage, message.to_owned()));
    }
    let lock = read_lock(path)?;
    let broken = |breaches: Breaches| (Exit::Failed, breaches.to_string());
    let schema =
        |shape| proto::Schema::from_shape(shape).map_err(|error| (Exit::Failed, error.to_string()));
    let (mut shape, mut next) = match &known.language {
        Some(SchemaLanguage::Proto(schema)) => (known.shape.clone(), schema.clone()),
        _ => (known.shape.clone(), schema(&known.shape)?),
    };
    if known.language.is_none() {
        shape = lock.arrange(&shape, &next);
        next = schema(&shape)?;
    }
    lock.check_places(&next).map_err(broken)?;
    if arguments.language == Some(Language::Avro) {
        let datums = datums(path, &lock)?;
        let schema = match &known.language {
            Some(SchemaLanguage::Avro(schema)) => Ok(schema.clone()),
            None => {
                shape = datums.widen(&shape);
                avro::Schema::from_shape(&shape)
            }
            _ => avro::Schema::from_shape(&shape),
        };
        let schema = schema.map_err(|error| (Exit::Failed, error.to_string()))?;
        datums.check(&schema).map_err(broken)?;
    }
    Ok(Known { shape, language: known.language.clone() })
}
