//! A shape as text: an outline, a schema, or types of a programming language; with `--lock`, in
//! the order and with the numbers that a published schema promises.

use std::path::Path;

use manywire_schema::lock::{AvroLock, Lock, Numbers};
use manywire_schema::{Language, TargetLanguage, native};
use manywire_shape::avro;
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::proto;
use manywire_tools::payload::Schema;

use crate::arguments;
use crate::exit::{CommandError, Exit, failed, usage};

use super::input::{ShapeInput, infer};

/// Returns a schema as it was read, or infers it from the samples. Prints the errors of unreadable
/// samples, and uses the others.
pub(super) fn resolve(
    input: ShapeInput,
    arguments: &arguments::Shape,
) -> Result<(Schema, Exit), CommandError> {
    match input {
        ShapeInput::Schema(document) => Ok((document.into(), Exit::Done)),
        ShapeInput::Samples(samples, errors) => {
            let (inference, exit) = infer(&samples, errors)?;
            let name = match (&arguments.name, &arguments.lock) {
                (Some(name), _) => name.clone(),
                (None, Some(lock)) => read_lock(lock)?.root_name().to_owned(),
                (None, None) => "Root".to_owned(),
            };
            Ok((inference.shape_named(&name).into(), exit))
        }
    }
}

/// Formats the shape in the requested language. A schema that is written in its own language keeps the
/// names and numbers of the original.
pub(super) fn write(
    resolved: &Schema,
    arguments: &arguments::Shape,
) -> Result<String, CommandError> {
    let locked;
    let resolved = match (&arguments.lock, arguments.language) {
        (None, _) | (_, Some(TargetLanguage::Proto)) => resolved,
        (Some(path), _) => {
            locked = apply_field_order(resolved, path, arguments)?;
            &locked
        }
    };
    let target = match arguments.language {
        None => return Ok(resolved.shape.to_string()),
        Some(TargetLanguage::Proto) => {
            let mut schema = resolved.to_proto().map_err(failed)?;
            if let Some(path) = &arguments.lock {
                let lock = read_lock(path)?;
                if resolved.language.is_none() {
                    let shape = lock.retype(&resolved.shape, &schema);
                    schema = proto::Schema::from_shape(&shape).map_err(failed)?;
                }
                schema = lock.apply(&schema, number_origin(resolved)).map_err(failed)?;
            }
            return Ok(schema.to_proto(&arguments.package));
        }
        Some(TargetLanguage::Avro) => {
            return resolved.to_avro().map(|schema| schema.to_string()).map_err(failed);
        }
        Some(TargetLanguage::JsonSchema) => {
            return Ok(JsonSchema::of(&resolved.shape).to_string());
        }
        Some(TargetLanguage::Native(language)) => language,
    };
    let options = native::Options {
        package: arguments.package.clone(),
        class: arguments.class.clone(),
        shaped: arguments.shaped,
        ..native::Options::default()
    };
    Ok(native::write(&resolved.shape, target, &options).text)
}

/// Reads the published schema of `--lock`: a `.proto`, or an `.avsc` for its names and order.
fn read_lock(path: &Path) -> Result<Lock, CommandError> {
    let (name, text) = text(path)?;
    // Every .avsc starts with one of these characters, and no .proto does.
    if text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '"']) {
        let document = manywire_schema::read(&name, &text, None).map_err(failed)?;
        if !matches!(document.language, Language::Avro(_)) {
            let message = "a JSON Schema promises no order: the lock is a .proto or an .avsc";
            return Err(usage(format!("{name}: {message}")));
        }
        let schema = proto::Schema::from_shape(&document.shape);
        return schema.map(Lock::of).map_err(|error| failed(format!("{name}: {error}")));
    }
    Lock::read(&name, &text).map_err(failed)
}

fn text(path: &Path) -> Result<(String, String), CommandError> {
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(failed(format!("{name}: {error}"))),
    }
}

/// Returns the layout of bare Avro in the lock: that of the `.avsc`, or that of the Avro schema
/// that describes the shape of the `.proto`.
fn avro_lock(path: &Path, lock: &Lock) -> Result<AvroLock, CommandError> {
    let (name, text) = text(path)?;
    let document = manywire_schema::read(&name, &text, Some(lock.root_name()));
    let document = document.map_err(failed)?;
    let schema = match document.language {
        Language::Avro(schema) => Ok(schema),
        _ => avro::Schema::from_shape(&document.shape),
    };
    schema.map(AvroLock::of).map_err(|error| failed(format!("{name}: {error}")))
}

/// Returns whether the field numbers of a shape are suggested by inference or declared by a schema.
pub(super) fn number_origin(resolved: &Schema) -> Numbers {
    match resolved.language {
        None => Numbers::Suggested,
        Some(_) => Numbers::Declared,
    }
}

/// Arranges an inferred shape in the field order of the lock, for formats that depend on that order:
/// bare Avro, and records as arrays. Checks the order of a shape that was read from a schema.
pub(super) fn apply_field_order(
    resolved: &Schema,
    path: &Path,
    arguments: &arguments::Shape,
) -> Result<Schema, CommandError> {
    if arguments.language == Some(TargetLanguage::JsonSchema) {
        let message = "--lock keeps numbers and places, and JSON Schema has neither";
        return Err(usage(message));
    }
    let lock = read_lock(path)?;
    let (mut shape, mut next) = (resolved.shape.clone(), resolved.to_proto().map_err(failed)?);
    if resolved.language.is_none() {
        shape = lock.retype(&lock.reorder(&shape, &next), &next);
        next = proto::Schema::from_shape(&shape).map_err(failed)?;
    }
    lock.check_order(&next).map_err(failed)?;
    if arguments.language == Some(TargetLanguage::Avro) {
        let datums = avro_lock(path, &lock)?;
        let schema = match &resolved.language {
            Some(Language::Avro(schema)) => Ok(schema.clone()),
            None => {
                shape = datums.widen(&shape);
                avro::Schema::from_shape(&shape)
            }
            _ => avro::Schema::from_shape(&shape),
        };
        datums.check(&schema.map_err(failed)?).map_err(failed)?;
    }
    Ok(Schema { shape, language: resolved.language.clone() })
}
