//! MessagePack in the map and the array layout: our codec, rmp-serde and zerompk.

use manywire_codec::msgpack::{self, Layout};
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};
use zerompk::{FromMessagePack, ToMessagePack};

use super::case::{Case, floor, leak};
use crate::Subject;
use crate::documents::{Documents, HotelsRef, PeopleRef, PersonRef};
use crate::subject::{Buffer, assert_round_trip};

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    // zerompk encodes a transparent wrapper as another type, so it gets the inner value.
    typed(subjects, "people", documents.people, &documents.people.people);
    typed(subjects, "hotels", documents.hotels, documents.hotels);
    typed(subjects, "record-a", documents.record_a, documents.record_a);
    array(subjects, "people", documents.people);
    array(subjects, "hotels", documents.hotels);
    array(subjects, "record-a", documents.record_a);
    let bytes = leak(msgpack::to_vec(documents.people).expect("encoding succeeds"));
    borrowed::<PeopleRef<'_>, Vec<PersonRef<'_>>>(subjects, "people", bytes);
    let bytes = leak(msgpack::to_vec(documents.hotels).expect("encoding succeeds"));
    borrowed::<HotelsRef<'_>, HotelsRef<'_>>(subjects, "hotels", bytes);
}

fn typed<T, Z>(
    subjects: &mut Vec<Subject>,
    document: &'static str,
    value: &'static T,
    bare: &'static Z,
) where
    T: Serialize + DeserializeOwned + PartialEq,
    Z: ToMessagePack + FromMessagePack<'static> + PartialEq,
{
    let bytes = leak(msgpack::to_vec(value).expect("encoding succeeds"));
    let theirs = rmp_serde::to_vec_named(value).expect("encoding succeeds");
    assert_eq!(bytes, theirs, "two writers of the map layout differ on {document}");
    let case = Case { document, format: "msgpack", value, bytes };
    case.library(
        subjects,
        "manywire",
        msgpack::to_vec,
        |value, out| msgpack::encode(value, Layout::Map, out),
        msgpack::from_slice,
    );
    case.library(
        subjects,
        "rmp-serde",
        rmp_serde::to_vec_named,
        |value, out| value.serialize(&mut rmp_serde::Serializer::new(out).with_struct_map()),
        rmp_serde::from_slice,
    );
    zerompk(subjects, &case, bare);
    case.floors(subjects);
}

/// Adds zerompk, which decodes the bytes of its own encoder, because it reads integers only in the
/// widths that it writes.
fn zerompk<T: PartialEq, Z>(subjects: &mut Vec<Subject>, case: &Case<T>, bare: &'static Z)
where
    Z: ToMessagePack + FromMessagePack<'static> + PartialEq,
{
    let bytes = leak(zerompk::to_msgpack_vec(bare).expect("encoding succeeds"));
    let decoded = zerompk::from_msgpack(bytes).expect("decoding succeeds");
    assert_round_trip("zerompk", case.document, bare, &decoded);
    let (size, group) = (bytes.len(), case.group("encode"));
    let mut slice = vec![0; size];
    let fresh = || zerompk::to_msgpack_vec(bare).expect("encoding succeeds");
    let reused = move || zerompk::to_msgpack(bare, &mut slice).expect("encoding succeeds");
    subjects.push(Subject::new(&group, "zerompk", Buffer::Fresh, size, fresh));
    subjects.push(Subject::new(&group, "zerompk", Buffer::Reused, size, reused));
    let decode = || zerompk::from_msgpack::<Z>(bytes).expect("decoding succeeds");
    subjects.push(Subject::new(case.group("decode"), "zerompk", Buffer::None, size, decode));
}

fn array<T: Serialize + DeserializeOwned + PartialEq>(
    subjects: &mut Vec<Subject>,
    document: &'static str,
    value: &'static T,
) {
    let encode = |value: &T, out: &mut Vec<u8>| msgpack::encode(value, Layout::Array, out);
    let mut bytes = Vec::new();
    encode(value, &mut bytes).expect("encoding succeeds");
    let case = Case { document, format: "msgpack-array", value, bytes: leak(bytes) };
    case.library(
        subjects,
        "manywire",
        move |value| {
            let mut out = Vec::new();
            encode(value, &mut out).map(|()| out)
        },
        encode,
        msgpack::from_slice,
    );
    // rmp-serde omits a skipped field from the array and then cannot read the record.
    if rmp_serde::to_vec(value).is_ok_and(|bytes| bytes == case.bytes) {
        case.library(
            subjects,
            "rmp-serde",
            rmp_serde::to_vec,
            |value, out| value.serialize(&mut rmp_serde::Serializer::new(out)),
            rmp_serde::from_slice,
        );
    }
    case.floors(subjects);
}

fn borrowed<T, Z>(subjects: &mut Vec<Subject>, document: &'static str, bytes: &'static [u8])
where
    T: Deserialize<'static> + PartialEq + 'static,
    Z: FromMessagePack<'static> + 'static,
{
    let value: T = msgpack::from_slice(bytes).expect("decoding succeeds");
    let theirs: T = rmp_serde::from_slice(bytes).expect("decoding succeeds");
    assert_round_trip("manywire borrowing", document, &theirs, &value);
    let group = format!("{document}/decode-borrowed/msgpack");
    let mut add = |name, operation: fn(&'static [u8]) -> bool| {
        let operation = move || operation(bytes);
        subjects.push(Subject::new(&group, name, Buffer::None, bytes.len(), operation));
    };
    add("manywire", |bytes| std::hint::black_box(msgpack::from_slice::<T>(bytes)).is_ok());
    add("rmp-serde", |bytes| std::hint::black_box(rmp_serde::from_slice::<T>(bytes)).is_ok());
    add("zerompk", |bytes| std::hint::black_box(zerompk::from_msgpack::<Z>(bytes)).is_ok());
    floor(subjects, &group, bytes);
}
