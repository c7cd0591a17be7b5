//! The functions that the package `@manywire/core` calls.
//!
//! Errors are thrown as objects with the members of [`Error`]; the package converts these objects
//! to JavaScript errors. Results without values of the user are JSON, which the package parses.

use js_sys::Object;
use manywire_bindings::{ConvertOptions, Error, Payload, json};
use manywire_shape::Arena;
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
    json(&manywire_bindings::formats()).map_err(thrown)
}

/// Reads one value.
///
/// # Errors
/// Fails for bytes that are not one value of the format, and for a value that JavaScript cannot hold.
#[wasm_bindgen]
pub fn loads(format: &str, bytes: &[u8], schema: &SchemaHandle) -> Result<JsValue, JsValue> {
    let arena = Arena::new();
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
    let found = Payload::new(bytes, form.as_deref(), schema.0.as_ref())
        .and_then(manywire_bindings::explain);
    found.and_then(|found| json(&found)).map_err(thrown)
}

/// Returns the sizes of a payload in each format as JSON.
///
/// # Errors
/// Fails for a payload that cannot be read.
#[wasm_bindgen]
pub fn sizes(bytes: &[u8], form: Option<String>, schema: &SchemaHandle) -> Result<String, JsValue> {
    let found =
        Payload::new(bytes, form.as_deref(), schema.0.as_ref()).and_then(manywire_bindings::sizes);
    found.and_then(|found| json(&found)).map_err(thrown)
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
    let payload = Payload::new(bytes, form.as_deref(), schema.0.as_ref());
    payload.and_then(|payload| manywire_bindings::shape(payload, language)).map_err(thrown)
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
    let options = ConvertOptions::parse(to, compression.as_deref()).map_err(thrown)?;
    let options = ConvertOptions { lossy, pretty, ..options };
    let payload = Payload::new(bytes, form.as_deref(), schema.0.as_ref()).map_err(thrown)?;
    let converted = manywire_bindings::convert(payload, options).map_err(thrown)?;
    let result = Object::new();
    set(&result, "bytes", &js_sys::Uint8Array::from(converted.bytes.as_slice()));
    set(&result, "rest", &json(&converted).map_err(thrown)?.into());
    Ok(result.into())
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
