use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{floor, leak, reusing};
use crate::Subject;
use crate::documents::Documents;
use crate::subject::{Buffer, assert_round_trip};

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    typed(subjects, "people", documents.people);
    typed(subjects, "hotels", documents.hotels);
    typed(subjects, "record-a", documents.record_a);
}

fn typed<T: Serialize + DeserializeOwned + PartialEq>(
    subjects: &mut Vec<Subject>,
    document: &str,
    value: &'static T,
) {
    let bytes = leak(serde_json::to_vec(value).expect("serde_json writes it"));
    let size = bytes.len();
    let decoded = serde_json::from_slice(bytes).expect("serde_json reads it");
    assert_round_trip("serde_json", document, value, &decoded);

    let group = format!("{document}/encode/json");
    subjects.push(Subject::new(&group, "serde_json", Buffer::Fresh, size, || {
        serde_json::to_vec(value)
    }));
    let reused = reusing(size, |out| serde_json::to_writer(out, value).expect("it was written"));
    subjects.push(Subject::new(&group, "serde_json", Buffer::Reused, size, reused));
    floor(subjects, &group, bytes);

    let group = format!("{document}/decode/json");
    subjects.push(Subject::new(&group, "serde_json", Buffer::None, size, || {
        serde_json::from_slice::<T>(bytes)
    }));
    floor(subjects, &group, bytes);
}
