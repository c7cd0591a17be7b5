//! BSON: our codec and the bson crate.

use manywire_codec::bson;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::case::{Case, leak};
use crate::Subject;
use crate::documents::{Documents, Person};

/// A document around the people, because the bson crate accepts no array at the top.
#[derive(PartialEq, Serialize, Deserialize)]
struct Wrapped {
    people: Vec<Person>,
}

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    let wrapped = Box::leak(Box::new(Wrapped { people: documents.people.people.clone() }));
    typed(subjects, "people", wrapped);
    typed(subjects, "hotels", documents.hotels);
    typed(subjects, "record-a", documents.record_a);
}

fn typed<T: Serialize + DeserializeOwned + PartialEq>(
    subjects: &mut Vec<Subject>,
    document: &'static str,
    value: &'static T,
) {
    let bytes = leak(bson::to_vec(value).expect("encoding succeeds"));
    let case = Case { document, format: "bson", value, bytes };
    case.library(
        subjects,
        "manywire",
        bson::to_vec,
        |value, out| bson::encode(value, bson::TopLevel::Document, out),
        bson::from_slice,
    );
    case.library(
        subjects,
        "bson",
        ::bson::serialize_to_vec,
        ::bson::serialize_to_buffer,
        ::bson::deserialize_from_slice,
    );
    case.floors(subjects);
}
