use manywire_codec::msgpack::{self, Layout};
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};
use zerompk::{FromMessagePack, ToMessagePack};

use super::{floor, leak, reusing};
use crate::Subject;
use crate::documents::{Documents, HotelsRef, PeopleRef, PersonRef};
use crate::subject::{Buffer, assert_round_trip};

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    // To zerompk a transparent wrapper is another type: it gets what is inside.
    typed(subjects, "people", documents.people, &documents.people.people);
    typed(subjects, "hotels", documents.hotels, documents.hotels);
    typed(subjects, "record-a", documents.record_a, documents.record_a);
    borrowed::<PeopleRef<'_>, Vec<PersonRef<'_>>>(subjects, "people", msgpack_of(documents.people));
    borrowed::<HotelsRef<'_>, HotelsRef<'_>>(subjects, "hotels", msgpack_of(documents.hotels));
}

fn msgpack_of<T: Serialize>(value: &T) -> &'static [u8] {
    leak(rmp_serde::to_vec_named(value).expect("rmp-serde writes it"))
}

fn typed<T, Z>(subjects: &mut Vec<Subject>, document: &str, value: &'static T, bare: &'static Z)
where
    T: Serialize + DeserializeOwned + PartialEq,
    Z: ToMessagePack + FromMessagePack<'static> + PartialEq,
{
    let bytes = leak(msgpack::to_vec(value).expect("we write it"));
    let theirs = leak(zerompk::to_msgpack_vec(bare).expect("zerompk writes it"));
    assert_round_trip(
        "manywire",
        document,
        value,
        &msgpack::from_slice(bytes).expect("we read it"),
    );
    assert_round_trip(
        "rmp-serde",
        document,
        value,
        &rmp_serde::from_slice(bytes).expect("rmp-serde reads what we wrote"),
    );
    assert_eq!(bytes, rmp_serde::to_vec_named(value).expect("rmp-serde writes it"));
    assert_round_trip(
        "zerompk",
        document,
        bare,
        &zerompk::from_msgpack(theirs).expect("zerompk reads its own"),
    );
    let (size, their_size) = (bytes.len(), theirs.len());

    let group = format!("{document}/encode/msgpack");
    subjects.push(Subject::new(&group, "manywire", Buffer::Fresh, size, || msgpack::to_vec(value)));
    subjects.push(Subject::new(&group, "rmp-serde", Buffer::Fresh, size, || {
        rmp_serde::to_vec_named(value)
    }));
    subjects.push(Subject::new(&group, "zerompk", Buffer::Fresh, their_size, || {
        zerompk::to_msgpack_vec(bare)
    }));
    let ours =
        reusing(size, |out| msgpack::encode(value, Layout::Map, out).expect("it was written"));
    subjects.push(Subject::new(&group, "manywire", Buffer::Reused, size, ours));
    let rmp = reusing(size, |out| {
        let mut serializer = rmp_serde::Serializer::new(out).with_struct_map();
        value.serialize(&mut serializer).expect("it was written");
    });
    subjects.push(Subject::new(&group, "rmp-serde", Buffer::Reused, size, rmp));
    let mut slice = vec![0; their_size];
    subjects.push(Subject::new(&group, "zerompk", Buffer::Reused, their_size, move || {
        zerompk::to_msgpack(bare, &mut slice)
    }));
    floor(subjects, &group, bytes);

    let group = format!("{document}/decode/msgpack");
    subjects.push(Subject::new(&group, "manywire", Buffer::None, size, || {
        msgpack::from_slice::<T>(bytes)
    }));
    subjects.push(Subject::new(&group, "rmp-serde", Buffer::None, size, || {
        rmp_serde::from_slice::<T>(bytes)
    }));
    subjects.push(Subject::new(&group, "zerompk", Buffer::None, their_size, || {
        zerompk::from_msgpack::<Z>(theirs)
    }));
    floor(subjects, &group, bytes);
}

fn borrowed<T, Z>(subjects: &mut Vec<Subject>, document: &str, bytes: &'static [u8])
where
    T: Deserialize<'static> + Serialize + PartialEq + 'static,
    Z: FromMessagePack<'static>,
{
    let value: T = msgpack::from_slice(bytes).expect("we read it");
    let theirs: T = rmp_serde::from_slice(bytes).expect("rmp-serde reads it");
    assert_round_trip("manywire borrowing", document, &theirs, &value);
    let group = format!("{document}/decode-borrowed/msgpack");
    subjects.push(Subject::new(&group, "manywire", Buffer::None, bytes.len(), || {
        msgpack::from_slice::<T>(bytes)
    }));
    subjects.push(Subject::new(&group, "rmp-serde", Buffer::None, bytes.len(), || {
        rmp_serde::from_slice::<T>(bytes)
    }));
    if zerompk::from_msgpack::<Z>(bytes).is_ok() {
        subjects.push(Subject::new(&group, "zerompk", Buffer::None, bytes.len(), || {
            zerompk::from_msgpack::<Z>(bytes)
        }));
    }
    floor(subjects, &group, bytes);
}
