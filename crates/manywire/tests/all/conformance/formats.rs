//! The documents of the table, in each format.

use std::marker::PhantomData;

use manywire::{Format, Problem, Shaped};
use manywire_codec::{Codec, Limits};
use manywire_shape::Shape;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The type that the endpoint takes and returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) age: u32,
    pub(crate) tags: Vec<String>,
}

/// The same type with another type of one field.
#[derive(Serialize, Deserialize, Shaped)]
struct Impostor {
    name: String,
    age: String,
    tags: Vec<String>,
}

pub(crate) fn ada() -> Person {
    let tags = ["countess", "Zürich"].map(str::to_owned).to_vec();
    Person { name: "Ada".to_owned(), age: 36, tags }
}

/// Returns the encoding of a person whose age is a string.
pub(crate) fn impostor(format: Format) -> Vec<u8> {
    let person = ada();
    let age = "old".to_owned();
    encode(format, &Impostor { name: person.name, age, tags: person.tags })
}

/// Returns the value of `Accept` for a format.
pub(crate) fn media_type(format: Format) -> String {
    let essence = format.row().media_type;
    if format == Format::MsgPackArray {
        format!("{essence};layout=array")
    } else {
        essence.to_owned()
    }
}

/// Encodes a value with the format's codec alone, without the library around it.
pub(crate) fn encode<T: Serialize + Shaped>(format: Format, value: &T) -> Vec<u8> {
    let shape = Shape::of::<T>();
    let codec = Codec::new(format, &shape).expect("a codec");
    let mut out = head(format, &shape);
    codec.encode_typed(value, &mut out).expect("a value that every format holds");
    out
}

/// Decodes a value of a format.
pub(crate) fn decode<T: DeserializeOwned + Shaped>(format: Format, bytes: &[u8]) -> T {
    let shape = Shape::of::<T>();
    let codec = Codec::new(format, &shape).expect("a codec");
    let head = head(format, &shape);
    let content = bytes.strip_prefix(&*head).expect("the head of a body");
    codec
        .decode_typed(PhantomData, content, Limits::DEFAULT)
        .unwrap_or_else(|error| panic!("{format}: {error}: {bytes:02x?}"))
}

/// Returns the bytes before a value in a body: Avro has its single-object encoding.
fn head(format: Format, shape: &Shape) -> Vec<u8> {
    match format {
        Format::Avro => {
            let schema = manywire_shape::avro::Schema::from_shape(shape).expect("a schema");
            [&[0xC3, 0x01][..], &schema.fingerprint().to_le_bytes()].concat()
        }
        _ => Vec::new(),
    }
}

/// Decodes a problem by the media type of a response.
pub(crate) fn problem(content_type: &str, bytes: &[u8]) -> Problem {
    let media_type: manywire::MediaType = content_type.parse().expect("a media type");
    decode(media_type.format().expect("a format"), bytes)
}

/// Returns the media type of problems for a client of a format.
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
