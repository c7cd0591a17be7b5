//! Results as JSON.

use serde::Serialize;

use crate::Error;

/// Returns a result as JSON.
///
/// # Errors
/// None: writing JSON to memory does not fail.
pub fn json(result: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(result).map_err(Error::new)
}
