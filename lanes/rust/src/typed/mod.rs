//! What libraries do with types that were made of the payloads. The orchestrator writes them beside
//! these sources before it builds them.

mod check;
mod schemaless;
mod schemas;

#[allow(dead_code, reason = "it is written for people")]
mod types {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/typed/types.rs"));
}

mod root {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/typed/root.rs"));
}

/// The messages of the same payloads, as prost writes them.
#[allow(dead_code, clippy::all, reason = "prost writes it")]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

pub(crate) use schemaless::{
    bson, cbor2, manywire_bson, manywire_cbor, manywire_json, manywire_msgpack,
    manywire_msgpack_array, rmp_serde, rmp_serde_array, serde_cbor_2, serde_json, sonic_rs,
};
pub(crate) use schemas::{apache_avro, manywire_avro, manywire_protobuf, prost, serde_avro_fast};
