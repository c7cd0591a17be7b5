//! Sequences of values in each format, and messages with a content coding.

use manywire_codec::avro::container::{Compression, Writer};
use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel, FORMS, Format, Framing};

use super::avro::avro;
use super::bson::bson;
use super::cbor::cbor;
use super::json::json;
use super::msgpack::msgpack;
use super::protobuf::{protobuf, protobuf_named, varint};
use crate::choices::Choices;

/// Appends a few values, with a separator if the format allows one.
fn sequence(choices: &mut Choices<'_>, out: &mut Vec<u8>, value: Generate, between: &[&str]) {
    for _ in 0..choices.below(4) {
        value(choices, out);
        if !between.is_empty() {
            out.extend(choices.pick(between).bytes());
        }
    }
}

pub(crate) fn sequence_json(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    sequence(choices, out, json, &["", " ", "\n", "\r\n", "\n\n\t"]);
}

pub(crate) fn lines_json(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    sequence(choices, out, json, &["\n", "\n", "\r\n", "\n\n", ""]);
}

pub(crate) fn sequence_msgpack(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    sequence(choices, out, msgpack, &[]);
}

pub(crate) fn sequence_cbor(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    sequence(choices, out, cbor, &[]);
}

pub(crate) fn sequence_bson(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    sequence(choices, out, bson, &[]);
}

/// Appends messages of the fixed schema, each after its length.
pub(crate) fn delimited_protobuf(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    for _ in 0..choices.below(4) {
        let mut message = Vec::new();
        protobuf_named(choices, &mut message);
        varint(choices, out, message.len() as u64);
        out.extend(message);
    }
}

/// A function that appends a value, made from choices, to a buffer.
type Generate = fn(&mut Choices<'_>, &mut Vec<u8>);

/// The schemas of container files, each with a generator of data.
const SCHEMAS: [(&str, Generate); 4] = [
    ("\"long\"", |choices, out| {
        let number = choices.number();
        varint(choices, out, number);
    }),
    ("{\"type\":\"string\"}", |choices, out| {
        let text = choices.text();
        varint(choices, out, (text.len() as u64) << 1);
        out.extend(text.bytes());
    }),
    (
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":["null","double"]}]}"#,
        |choices, out| match choices.one_in(2) {
            true => out.push(0),
            false => {
                out.push(2);
                out.extend(choices.double().to_le_bytes());
            }
        },
    ),
    (r#"{"type":"array","items":"boolean"}"#, |choices, out| {
        let count = choices.below(4) as u8;
        if count > 0 {
            out.push(count * 2);
            (0..count).for_each(|_| out.push(choices.byte() & 1));
        }
        out.push(0);
    }),
];

/// Appends a container file of at most two blocks.
pub(crate) fn avro_container(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let (schema, datum) = SCHEMAS[choices.below(SCHEMAS.len())];
    let compression = match choices.below(4) {
        0 => Compression::Deflate,
        1 => Compression::Zstandard,
        _ => Compression::Null,
    };
    let sync = [choices.byte(); 16];
    // All three compressions are compiled in, and writing to memory does not fail.
    let Ok(mut writer) = Writer::new(schema, compression, sync, out) else { return };
    for _ in 0..choices.below(3) {
        for _ in 0..1 + choices.below(4) {
            let mut bytes = Vec::new();
            datum(choices, &mut bytes);
            let _ = writer.push(&bytes, out);
        }
        let _ = writer.flush(out);
    }
}

/// Appends a compressed message of repeated text, sometimes two of them.
pub(crate) fn coded(coding: Coding, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    for _ in 0..1 + usize::from(choices.one_in(4)) {
        let mut plain = Vec::new();
        json(choices, &mut plain);
        let times = 1 << choices.below(14);
        let plain = plain.repeat(times.min(100_000 / plain.len().max(1)).max(1));
        // A coding without an encoder generates nothing.
        let level = CodingLevel::new(coding, 1).unwrap_or(coding.into());
        if let Ok(mut encoder) = Encoder::new(level) {
            let _ = encoder.encode(&plain, out);
        }
    }
}

/// The generators of the values of each form. A framing of `None` means every other framing of the
/// format.
const GENERATORS: [(Format, Option<Framing>, Generate); 11] = [
    (Format::Json, Some(Framing::Single), one_or_more_json),
    (Format::Json, Some(Framing::Lines), lines_json),
    (Format::Json, None, sequence_json),
    (Format::MsgPack, None, sequence_msgpack),
    (Format::MsgPackArray, None, sequence_msgpack),
    (Format::Cbor, None, sequence_cbor),
    (Format::Bson, None, sequence_bson),
    (Format::Protobuf, Some(Framing::Delimited), delimited_protobuf),
    (Format::Protobuf, None, protobuf),
    (Format::Avro, Some(Framing::Container), avro_container),
    (Format::Avro, None, avro),
];

fn one_or_more_json(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(2) { json(choices, out) } else { sequence_json(choices, out) }
}

/// Appends bytes that choose two forms and the options of a conversion, and values of the first
/// form.
pub(crate) fn conversion(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let from = choices.below(FORMS.len());
    out.extend([from as u8, choices.byte(), choices.byte()]);
    let form = FORMS[from].form;
    let is_of_form = |(format, framing, _): &&(Format, Option<Framing>, Generate)| {
        *format == form.format && framing.is_none_or(|framing| framing == form.framing)
    };
    match GENERATORS.iter().find(is_of_form) {
        Some((.., generate)) => generate(choices, out),
        // A format without a generator is read from any bytes.
        None => out.extend(std::iter::repeat_with(|| choices.byte()).take(16)),
    }
}
