//! All subjects of the lane.

mod avro;
mod bson;
mod cbor;
mod json;
mod manywire;
mod msgpack;
mod typed;

use crate::subject::Subject;

/// Returns the subjects in the order of `lane.toml`.
pub(crate) fn all() -> Vec<Subject> {
    let dynamic =
        [json::dynamic(), msgpack::dynamic(), cbor::dynamic(), avro::dynamic(), bson::dynamic()];
    dynamic.into_iter().chain([manywire::dynamic()]).flatten().chain(typed::all()).collect()
}
