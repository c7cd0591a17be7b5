//! The documents of the table, in each format.

use manywire::{Format, Problem, Shaped};
use manywire_codec::{avro, bson, cbor, json, msgpack, protobuf};
use manywire_shape::Shape;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What the endpoint takes and returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) age: u32,
    pub(crate) tags: Vec<String>,
}

/// The same but for a type.
#[derive(Serialize, Deserialize, Shaped)]
struct Impostor {
    name: String,
    age: String,
    tags: Vec<String>,
}

pub(crate) const FORMATS: [Format; 7] = [
    Format::Json,
    Format::MsgPack,
    Format::MsgPackArray,
    Format::Cbor,
    Format::Protobuf,
    Format::Avro,
    Format::Bson,
];

pub(crate) fn ada() -> Person {
    let tags = ["countess", "Zürich"].map(str::to_owned).to_vec();
    Person { name: "Ada".to_owned(), age: 36, tags }
}

/// A person with an age that is no number.
pub(crate) fn impostor(format: Format) -> Vec<u8> {
    let person = ada();
    let age = "old".to_owned();
    encode(format, &Impostor { name: person.name, age, tags: person.tags })
}

/// What a format is asked for by.
pub(crate) fn media_type(format: Format) -> String {
    let essence = format.row().media_type;
    if format == Format::MsgPackArray {
        format!("{essence};layout=array")
    } else {
        essence.to_owned()
    }
}

/// A value in a format, by its codec alone and without what the library puts around it.
pub(crate) fn encode<T: Serialize + Shaped>(format: Format, value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    match format {
        Format::Json => json::encode(value, &mut out),
        Format::MsgPack => msgpack::encode(value, msgpack::Layout::Map, &mut out),
        Format::MsgPackArray => msgpack::encode(value, msgpack::Layout::Array, &mut out),
        Format::Cbor => cbor::encode(value, &mut out),
        Format::Protobuf => {
            let plan = protobuf::Plan::from_shape(&Shape::of::<T>()).expect("a plan");
            plan.encode(value, &mut out)
        }
        Format::Avro => {
            let schema =
                manywire_shape::avro::Schema::from_shape(&Shape::of::<T>()).expect("a schema");
            out.extend_from_slice(&[0xC3, 0x01]);
            out.extend_from_slice(&schema.fingerprint().to_le_bytes());
            avro::Plan::new(&schema).expect("a plan").encode(value, &mut out)
        }
        Format::Bson => bson::encode(value, &mut out),
    }
    .expect("a value that every format holds");
    out
}

/// A value out of a format.
pub(crate) fn decode<T: DeserializeOwned + Shaped>(format: Format, bytes: &[u8]) -> T {
    let shape = Shape::of::<T>();
    match format {
        Format::Json => json::from_slice(bytes),
        Format::MsgPack | Format::MsgPackArray => msgpack::from_slice(bytes),
        Format::Cbor => cbor::from_slice(bytes),
        Format::Protobuf => protobuf::Plan::from_shape(&shape).and_then(|plan| plan.decode(bytes)),
        Format::Avro => {
            let schema = manywire_shape::avro::Schema::from_shape(&shape).expect("a schema");
            assert_eq!(bytes.get(..2), Some(&[0xC3, 0x01][..]), "single-object encoding");
            assert_eq!(bytes.get(2..10), Some(&schema.fingerprint().to_le_bytes()[..]));
            avro::Plan::new(&schema).and_then(|plan| plan.decode(&bytes[10..]))
        }
        Format::Bson => bson::from_slice(bytes),
    }
    .unwrap_or_else(|error| panic!("{format}: {error}: {bytes:02x?}"))
}

/// A problem out of a response, whose media type says the format.
pub(crate) fn problem(content_type: &str, bytes: &[u8]) -> Problem {
    let media_type: manywire::MediaType = content_type.parse().expect("a media type");
    decode(media_type.format().expect("a format"), bytes)
}

/// What a problem is sent as to a client that reads a format.
pub(crate) fn problem_type(format: Format) -> &'static str {
    if format == Format::MsgPackArray {
        return "application/vnd.msgpack; layout=array";
    }
    match format {
        Format::Json => "application/problem+json",
        Format::Cbor => "application/problem+cbor",
        other => other.row().media_type,
    }
}
