//! A shape as text: an outline, a schema, or types of a programming language.

use manywire_schema::Language as SchemaLanguage;
use manywire_schema::native::{self, Target};
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{avro, proto};

use super::input::Known;
use super::lock;
use crate::arguments::{self, Language};
use crate::exit::{Exit, Refusal};

/// The text that was asked for. A schema in its own language keeps its own terms.
pub(super) fn write(known: &Known, arguments: &arguments::Shape) -> Result<String, Refusal> {
    let impossible = |error: String| (Exit::Failed, error);
    let locked;
    let known = match (&arguments.lock, arguments.language) {
        (None, _) | (_, Some(Language::Proto)) => known,
        (Some(path), _) => {
            locked = lock::in_place(known, path, arguments)?;
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
                let locked = lock::read(path)?.apply(&schema, lock::numbers(known));
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
