//! Encoding a record and decoding it at once, which the Haskell study called a pickle.

use manywire_codec::msgpack::{self, Layout};

use crate::Subject;
use crate::documents::{Documents, RecordA};
use crate::subject::Buffer;

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    let value = documents.record_a;
    let group = "record-a/pickle";
    let size = msgpack::to_vec(value).expect("we write it").len();
    let json_size = serde_json::to_vec(value).expect("serde_json writes it").len();

    subjects.push(Subject::new(group, "manywire msgpack", Buffer::Fresh, size, || {
        let bytes = msgpack::to_vec(value).expect("encoding succeeds");
        msgpack::from_slice::<RecordA>(&bytes)
    }));
    subjects.push(Subject::new(group, "serde_json", Buffer::Fresh, json_size, || {
        let bytes = serde_json::to_vec(value).expect("encoding succeeds");
        serde_json::from_slice::<RecordA>(&bytes)
    }));
    let mut buffer = Vec::with_capacity(size);
    subjects.push(Subject::new(group, "manywire msgpack", Buffer::Reused, size, move || {
        buffer.clear();
        msgpack::encode(value, Layout::Map, &mut buffer).expect("encoding succeeds");
        msgpack::from_slice::<RecordA>(&buffer)
    }));
    let mut buffer = Vec::with_capacity(json_size);
    subjects.push(Subject::new(group, "serde_json", Buffer::Reused, json_size, move || {
        buffer.clear();
        serde_json::to_writer(&mut buffer, value).expect("encoding succeeds");
        serde_json::from_slice::<RecordA>(&buffer)
    }));
}
