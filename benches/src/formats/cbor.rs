//! CBOR: our codec, cbor2 and serde_cbor_2.

use manywire_codec::cbor;
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
    let bytes = leak(cbor::to_vec(value).expect("encoding succeeds"));
    let case = Case { document, format: "cbor", value, bytes };
    case.library(subjects, "manywire", cbor::to_vec, cbor::encode, cbor::from_slice);
    case.library(
        subjects,
        "cbor2",
        cbor2::to_vec,
        |value, out| cbor2::to_writer(value, out),
        cbor2::from_slice,
    );
    case.library(
        subjects,
        "serde_cbor_2",
        serde_cbor_2::to_vec,
        |value, out| serde_cbor_2::to_writer(out, value),
        serde_cbor_2::from_slice,
    );
    case.floors(subjects);
}
