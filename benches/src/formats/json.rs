//! JSON: our checks in front of serde_json, and serde_json alone.

use manywire_codec::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::case::{Case, leak};
use crate::Subject;
use crate::documents::Documents;

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    typed(subjects, "people", documents.people);
    typed(subjects, "hotels", documents.hotels);
    typed(subjects, "record-a", documents.record_a);
}

fn typed<T: Serialize + DeserializeOwned + PartialEq>(
    subjects: &mut Vec<Subject>,
    document: &'static str,
    value: &'static T,
) {
    let bytes = leak(serde_json::to_vec(value).expect("encoding succeeds"));
    let case = Case { document, format: "json", value, bytes };
    case.library(subjects, "manywire", json::to_vec, json::encode, json::from_slice);
    case.library(
        subjects,
        "serde_json",
        serde_json::to_vec,
        |value, out| serde_json::to_writer(out, value),
        serde_json::from_slice,
    );
    case.floors(subjects);
}
