//! The subjects of each format.

mod avro;
mod bson;
mod case;
mod cbor;
mod json;
mod msgpack;
mod pickle;
mod protobuf;
mod values;

use crate::Subject;
use crate::documents::Documents;

/// Returns every subject after its round trip.
pub fn subjects(documents: Documents) -> Vec<Subject> {
    let mut subjects = Vec::new();
    msgpack::add(&mut subjects, documents);
    cbor::add(&mut subjects, documents);
    bson::add(&mut subjects, documents);
    protobuf::add(&mut subjects, documents);
    avro::add(&mut subjects, documents);
    json::add(&mut subjects, documents);
    pickle::add(&mut subjects, documents);
    values::add(&mut subjects, documents);
    subjects
}
