//! The schema of a payload, inferred from its values.

use manywire_shape::fidelity::without_duplicates;
use manywire_shape::infer::Inference;
use manywire_tools::payload;

use crate::{Error, Payload, Schema};

/// Infers the schema of the values of a payload and writes it in a language: see [`Schema::text`].
///
/// # Errors
/// Fails for a payload that cannot be read, and as [`Schema::text`] does.
pub fn shape(payload: Payload<'_>, language: &str) -> Result<String, Error> {
    let opened = payload.open()?;
    let mut inference = Inference::new();
    opened.each(&mut |item| inference.add(&without_duplicates(item.value, item.arena).0))?;
    Schema::from(payload::Schema::from(inference.shape())).text(language)
}
