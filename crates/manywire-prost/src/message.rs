//! The content types for generated messages: [`Prost`] and [`ProstSerde`].

use std::fmt;
use std::marker::PhantomData;

use bytes::{Buf, Bytes};
use manywire::Format;
use manywire::content::{
    Category, Content, Decode, Decoding, Encode, Encoding, Error, Item, Media, Result, Type,
};
use prost::encoding::{DecodeContext, decode_key, skip_field};
use prost::{DecodeError, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as `application/protobuf`, encoded and decoded by prost.
///
/// Unknown fields are skipped, as usual in Protocol Buffers. A body that is not a message is
/// refused with status 400, and a field of the wrong type with status 422 and the path of the
/// field.
pub struct Prost<M>(PhantomData<fn() -> M>);

/// A message as `application/protobuf` by prost, and in JSON, MessagePack, CBOR and BSON by serde.
///
/// The serde implementation of the message decides its form in these four formats: with pbjson, the
/// canonical JSON of Protocol Buffers (`roomCount`, 64-bit integers as text); with serde's derives,
/// the fields of the Rust type. Avro and MessagePack by position need a shape, which generated
/// messages lack.
pub struct ProstSerde<M>(PhantomData<fn() -> M>);

/// The formats of [`ProstSerde`]; an API uses those that it lists.
const BY_SERDE: &[Format] =
    &[Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf, Format::Bson];

impl<M: Message + 'static> Content for Prost<M> {
    type Value = M;

    fn media() -> Media {
        Media::Formats(Type::shapeless::<M>(&[Format::Protobuf]))
    }
}

impl<M: Message + 'static> Item for Prost<M> {}

impl<M: Message + 'static> Encode for Prost<M> {
    fn encode_ref(value: &M, _to: &mut Encoding<'_>) -> Result<Bytes> {
        Ok(value.encode_to_vec().into())
    }

    fn append(value: &M, _to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        append(value, out)
    }
}

impl<M: Message + Default + 'static> Decode for Prost<M> {
    fn decode(bytes: Bytes, _from: Decoding<'_>) -> Result<M> {
        decode(bytes)
    }
}

impl<M: Message + 'static> Content for ProstSerde<M> {
    type Value = M;

    fn media() -> Media {
        Media::Formats(Type::shapeless::<M>(BY_SERDE))
    }
}

impl<M: Message + 'static> Item for ProstSerde<M> {}

impl<M: Message + Serialize + 'static> Encode for ProstSerde<M> {
    fn encode_ref(value: &M, to: &mut Encoding<'_>) -> Result<Bytes> {
        match to.format() {
            Some(Format::Protobuf) => Ok(value.encode_to_vec().into()),
            _ => to.value(value),
        }
    }

    fn append(value: &M, to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        match to.format() {
            Some(Format::Protobuf) => append(value, out),
            _ => to.append(value, out),
        }
    }
}

impl<M: Message + Default + DeserializeOwned + 'static> Decode for ProstSerde<M> {
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<M> {
        match from.format() {
            Some(Format::Protobuf) => decode(bytes),
            _ => from.value(&bytes),
        }
    }

    fn decode_slice(bytes: &[u8], from: Decoding<'_>) -> Result<M> {
        match from.format() {
            Some(Format::Protobuf) => decode(Bytes::copy_from_slice(bytes)),
            _ => from.value(bytes),
        }
    }
}

/// Appends one message of a stream, without its delimiter.
fn append<M: Message>(value: &M, out: &mut Vec<u8>) -> Result<()> {
    let written = value.encode(out);
    written.map_err(|error| Error::new(Category::Unsupported, error).with_format(Format::Protobuf))
}

/// Decodes a message. Fields of type `Bytes` share the memory of the body.
fn decode<M: Message + Default>(bytes: Bytes) -> Result<M> {
    M::decode(bytes.clone()).map_err(|error| undecodable(&error, bytes))
}

/// Converts an error of prost, with as much of the path as prost reports.
#[cold]
fn undecodable(error: &DecodeError, bytes: Bytes) -> Error {
    let text = error.to_string();
    let text = text.strip_prefix("failed to decode Protobuf message: ").unwrap_or(&text);
    let (path, message) = path_of(text);
    let category = if is_well_formed(bytes) { Category::Data } else { Category::Syntax };
    let error = Error::new(category, message).with_format(Format::Protobuf);
    path.into_iter().fold(error, |error, field| error.under_key(field))
}

/// Splits the path off an error message of prost, the innermost field first: `Room.rate:
/// Hotel.rooms: invalid wire type …`. prost reports the path nowhere else. If another version of
/// prost words the message differently, only the path is lost.
fn path_of(text: &str) -> (Vec<&str>, &str) {
    let (mut path, mut rest) = (Vec::new(), text);
    while let Some((step, behind)) = rest.split_once(": ")
        && let Some((message, field)) = step.rsplit_once('.')
        && !step.contains(' ')
        && !message.is_empty()
    {
        path.push(field);
        rest = behind;
    }
    (path, rest)
}

/// Returns whether the bytes are a sequence of well-formed fields. If so, the error is that the
/// value does not fit the message, and the format is valid.
fn is_well_formed(mut bytes: Bytes) -> bool {
    while bytes.has_remaining() {
        let skipped = decode_key(&mut bytes).and_then(|(tag, wire_type)| {
            skip_field(wire_type, tag, &mut bytes, DecodeContext::default())
        });
        if skipped.is_err() {
            return false;
        }
    }
    true
}

impl<M> fmt::Debug for Prost<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prost")
    }
}

impl<M> fmt::Debug for ProstSerde<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProstSerde")
    }
}
