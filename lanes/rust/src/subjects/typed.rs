//! Subjects on types that are generated from the payloads.

use crate::subject::{self, Subject, TypedLoad};

/// Expands to the function that prepares a subject. If the lane was built without types, this
/// function always fails.
#[cfg(typed)]
macro_rules! types {
    ($name:ident) => {
        crate::typed::$name
    };
}
#[cfg(not(typed))]
macro_rules! types {
    ($name:ident) => {
        |_, _| Err("the lane was built without types of the payloads".into())
    };
}

pub(super) fn all() -> Vec<Subject> {
    let of: [(&str, &str, TypedLoad); 17] = [
        ("serde_json", "json", types!(serde_json)),
        ("sonic-rs", "json", types!(sonic_rs)),
        ("manywire", "json", types!(manywire_json)),
        ("rmp-serde", "msgpack", types!(rmp_serde)),
        ("manywire", "msgpack", types!(manywire_msgpack)),
        ("rmp-serde", "msgpack-array", types!(rmp_serde_array)),
        ("manywire", "msgpack-array", types!(manywire_msgpack_array)),
        ("serde_cbor_2", "cbor", types!(serde_cbor_2)),
        ("cbor2", "cbor", types!(cbor2)),
        ("manywire", "cbor", types!(manywire_cbor)),
        ("prost", "protobuf", types!(prost)),
        ("manywire", "protobuf", types!(manywire_protobuf)),
        ("apache-avro", "avro", types!(apache_avro)),
        ("serde_avro_fast", "avro", types!(serde_avro_fast)),
        ("manywire", "avro", types!(manywire_avro)),
        ("bson", "bson", types!(bson)),
        ("manywire", "bson", types!(manywire_bson)),
    ];
    of.into_iter().map(|(library, format, load)| subject::typed(library, format, load)).collect()
}
