//! The functions that the worker of the page calls: the JSON of the endpoints of `manywire play`.
//!
//! Passing one text to JavaScript is faster than passing many objects, and the page reads the same
//! responses from a server.

use manywire_playground::{Start, View, ViewRequest};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the state of the page when it opens, as the endpoint `start` does.
///
/// # Errors
/// None: writing JSON to memory does not fail.
#[wasm_bindgen]
pub fn start() -> Result<String, JsError> {
    Ok(serde_json::to_string(&Start::default())?)
}

/// Returns the view of a payload, as the endpoint `view` does.
///
/// # Errors
/// Fails for a request that has no payload.
#[wasm_bindgen]
pub fn view(request: &str) -> Result<String, JsError> {
    let request: ViewRequest = serde_json::from_str(request)?;
    Ok(serde_json::to_string(&View::of(&request)?)?)
}
