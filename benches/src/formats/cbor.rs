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
    case.library(
        subjects,
        "manywire",
        |value| cbor::to_vec(value).expect("encoding succeeds"),
        |value, out| cbor::encode(value, out).expect("encoding succeeds"),
        |bytes| cbor::from_slice(bytes).expect("decoding succeeds"),
    );
    case.library(
        subjects,
        "cbor2",
        |value| cbor2::to_vec(value).expect("encoding succeeds"),
        |value, out| cbor2::to_writer(value, out).expect("encoding succeeds"),
        |bytes| cbor2::from_slice(bytes).expect("decoding succeeds"),
    );
    case.library(
        subjects,
        "serde_cbor_2",
        |value| serde_cbor_2::to_vec(value).expect("encoding succeeds"),
        |value, out| serde_cbor_2::to_writer(out, value).expect("encoding succeeds"),
        |bytes| serde_cbor_2::from_slice(bytes).expect("decoding succeeds"),
    );
    case.floors(subjects);
}
