//! The functions that the package `@manywire/core` calls.
//!
//! Errors are thrown as objects with the members of [`Error`]; the package converts these objects
//! to JavaScript errors. Results without values of the user are JSON, which the package parses.

use js_sys::Object;
use manywire_bindings::{ConvertOptions, Error, Payload};
use manywire_format::{FORMATS, Form, Format};
use manywire_shape::Arena;
use manywire_shape::fidelity::Loss;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::values::{from_js, set, to_js};

/// A schema, or none. JavaScript always passes one: a reference cannot be optional.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SchemaHandle(Option<manywire_bindings::Schema>);

#[wasm_bindgen]
impl SchemaHandle {
    /// Returns no schema.
    pub fn none() -> SchemaHandle {
        SchemaHandle(None)
    }

    /// Reads the text of a schema.
    ///
    /// # Errors
    /// Fails for an invalid schema.
    pub fn read(text: &str, message: Option<String>) -> Result<SchemaHandle, JsValue> {
        let schema = manywire_bindings::Schema::read(text, message.as_deref());
        schema.map(|schema| SchemaHandle(Some(schema))).map_err(thrown)
    }

    /// Infers the schema of a value.
    ///
    /// # Errors
    /// Fails for a value that no format can represent.
    pub fn infer(value: &JsValue) -> Result<SchemaHandle, JsValue> {
        let arena = Arena::new();
        let value = from_js(value, &arena).map_err(thrown)?;
        Ok(SchemaHandle(Some(manywire_bindings::Schema::infer(&value))))
    }

    /// Returns the schema in a language.
    ///
    /// # Errors
    /// Fails for an unknown language, and for values that the language cannot describe.
    pub fn text(&self, language: &str) -> Result<String, JsValue> {
        match &self.0 {
            Some(schema) => schema.text(language).map_err(thrown),
            None => Err(thrown(Error::new("there is no schema"))),
        }
    }
}

/// Returns the table of formats as JSON.
///
/// # Errors
/// None: writing JSON to memory does not fail.
#[wasm_bindgen]
pub fn formats() -> Result<String, JsValue> {
    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        title: &'static str,
        media_type: &'static str,
    }
    let row = |row: &'static manywire_format::FormatRow| Row {
        name: row.name,
        title: row.title,
        media_type: row.media_type,
    };
    json(&FORMATS.iter().map(row).collect::<Vec<_>>())
}

/// Reads one value.
///
/// # Errors
/// Fails for bytes that are not one value of the format, and for a value that JavaScript cannot hold.
#[wasm_bindgen]
pub fn loads(format: &str, bytes: &[u8], schema: &SchemaHandle) -> Result<JsValue, JsValue> {
    let arena = Arena::new();
    let format = format_of(format)?;
    let value = manywire_bindings::read_value(format, bytes, schema.0.as_ref(), &arena);
    value.and_then(|value| to_js(&value)).map_err(thrown)
}

/// Writes one value.
///
/// # Errors
/// Fails for a value that the format cannot represent, with its path.
#[wasm_bindgen]
pub fn dumps(format: &str, value: &JsValue, schema: &SchemaHandle) -> Result<Vec<u8>, JsValue> {
    let arena = Arena::new();
    let format = format_of(format)?;
    let value = from_js(value, &arena).map_err(thrown)?;
    manywire_bindings::write_value(format, &value, schema.0.as_ref()).map_err(thrown)
}

/// Returns the meaning of each byte as JSON.
///
/// # Errors
/// Fails for a payload that does not show its form.
#[wasm_bindgen]
pub fn explain(
    bytes: &[u8],
    form: Option<String>,
    schema: &SchemaHandle,
) -> Result<String, JsValue> {
    let payload = payload(bytes, form, schema)?;
    json(&manywire_bindings::explain(payload).map_err(thrown)?)
}

/// Returns the sizes of a payload in each format as JSON.
///
/// # Errors
/// Fails for a payload that cannot be read.
#[wasm_bindgen]
pub fn sizes(bytes: &[u8], form: Option<String>, schema: &SchemaHandle) -> Result<String, JsValue> {
    let payload = payload(bytes, form, schema)?;
    json(&manywire_bindings::sizes(payload).map_err(thrown)?)
}

/// Returns the inferred schema of a payload in a language.
///
/// # Errors
/// Fails for a payload that cannot be read.
#[wasm_bindgen]
pub fn shape(
    bytes: &[u8],
    language: &str,
    form: Option<String>,
    schema: &SchemaHandle,
) -> Result<String, JsValue> {
    manywire_bindings::shape(payload(bytes, form, schema)?, language).map_err(thrown)
}

/// Converts a payload: an object with the bytes, and the rest of the result as JSON.
///
/// # Errors
/// Fails for a payload that cannot be read or converted.
#[wasm_bindgen]
pub fn convert(
    bytes: &[u8],
    to: &str,
    form: Option<String>,
    schema: &SchemaHandle,
    lossy: bool,
    pretty: bool,
    compression: Option<String>,
) -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct Rest<'c> {
        values: u64,
        losses: &'c [Loss],
        #[serde(rename = "lossesUnlisted")]
        losses_unlisted: u64,
        schema: Option<&'c str>,
    }
    let compression = compression.map_or(Ok(Default::default()), |name| name.parse());
    let compression = compression.map_err(|error| thrown(Error::new(error)))?;
    let options = ConvertOptions { lossy, pretty, compression, ..ConvertOptions::to(form_of(to)?) };
    let payload = payload(bytes, form, schema)?;
    let converted = manywire_bindings::convert(payload, options).map_err(thrown)?;
    let rest = Rest {
        values: converted.values,
        losses: &converted.losses,
        losses_unlisted: converted.losses_unlisted,
        schema: converted.schema.as_deref(),
    };
    let result = Object::new();
    set(&result, "bytes", &js_sys::Uint8Array::from(converted.bytes.as_slice()));
    set(&result, "rest", &json(&rest)?.into());
    Ok(result.into())
}

fn payload<'p>(
    bytes: &'p [u8],
    form: Option<String>,
    schema: &'p SchemaHandle,
) -> Result<Payload<'p>, JsValue> {
    let form = form.map(|name| form_of(&name)).transpose()?;
    Ok(Payload { bytes, form, schema: schema.0.as_ref() })
}

fn form_of(name: &str) -> Result<Form, JsValue> {
    name.parse().map_err(|error| thrown(Error::new(error)))
}

fn format_of(name: &str) -> Result<Format, JsValue> {
    name.parse().map_err(|error| thrown(Error::new(error)))
}

fn json(result: &impl Serialize) -> Result<String, JsValue> {
    serde_json::to_string(result).map_err(|error| thrown(Error::new(error)))
}

/// Returns an error as the object that is thrown.
#[cold]
fn thrown(error: Error) -> JsValue {
    let number = |number: Option<usize>| number.map(|it| JsValue::from_f64(it as f64));
    let object = Object::new();
    set(&object, "text", &error.to_string().into());
    set(&object, "reason", &error.message.into());
    for (name, member) in [
        ("path", error.path.map(JsValue::from)),
        ("offset", number(error.offset)),
        ("line", number(error.line)),
        ("column", number(error.column)),
    ] {
        set(&object, name, &member.unwrap_or(JsValue::NULL));
    }
    object.into()
}
