//! Bytes that are near to what a target is about.
//!
//! Each generator writes its format's grammar from the specification: valid values, in every form
//! the format allows and not just the shortest. [`mutate`] makes inputs of them for the fuzzer,
//! and damages them: one bit, one byte, a part cut out or put in twice.

mod bodies;
mod bson;
mod cbor;
mod coded;
mod conversion;
mod har;
mod json;
mod msgpack;
mod named;
mod protobuf;
mod request;
mod schema;
mod sequence;
mod shape;
mod words;

use crate::choices::Choices;
use crate::target::Target;

pub(crate) use bodies::{form_text, multipart, patterns};
pub(crate) use bson::bson;
pub(crate) use cbor::cbor;
pub(crate) use coded::coded;
pub(crate) use conversion::conversion;
pub(crate) use har::har;
pub(crate) use json::json;
pub(crate) use msgpack::msgpack;
pub(crate) use named::protobuf_named;
pub(crate) use protobuf::{avro, avro_datum, protobuf};
pub(crate) use request::{accept, request, tokens};
pub(crate) use schema::{avsc_text, json_schema_text, proto_text};
pub(crate) use sequence::{
    avro_container, delimited_protobuf, lines_json, sequence_bson, sequence_cbor, sequence_json,
    sequence_msgpack,
};
pub(crate) use shape::{shape, shaped, shaped_msgpack};
pub(crate) use words::{digits, gates, names, rows, sweeps};

/// How deep generated values nest.
const DEPTH: usize = 5;

/// Makes a new input of an old one: something generated in its place, in front of it, within it or
/// behind it, damaged or not. At most `size_max` bytes.
pub fn mutate(target: &Target, choices: &mut Choices<'_>, input: &mut Vec<u8>, size_max: usize) {
    let mut made = Vec::new();
    target.generate(choices, &mut made);
    let at = choices.word() as usize % (input.len() + 1);
    match choices.below(4) {
        0 | 1 => *input = made,
        2 => {
            input.splice(at..at, made);
        }
        _ => {
            let end = at + choices.below(16).min(input.len() - at);
            input.splice(at..end, made);
        }
    }
    for _ in 0..choices.below(3) {
        damage(choices, input);
    }
    input.truncate(size_max);
}

/// Changes a byte, a bit, or a stretch of the input.
fn damage(choices: &mut Choices<'_>, input: &mut Vec<u8>) {
    if input.is_empty() {
        return;
    }
    let at = choices.word() as usize % input.len();
    let end = at + 1 + choices.below(8).min(input.len() - at - 1);
    match choices.below(6) {
        0 => input[at] ^= 1 << choices.below(8),
        1 => input[at] = choices.byte(),
        2 => input.truncate(at),
        3 => drop(input.drain(at..end)),
        4 => input[at] = input[at].wrapping_add(if choices.one_in(2) { 1 } else { 0xff }),
        _ => {
            let twice = input[at..end].to_vec();
            input.splice(at..at, twice);
        }
    }
}

/// How many items a container has: few, and now and then enough for a wider head.
fn count(choices: &mut Choices<'_>, depth: usize) -> usize {
    match depth {
        0 => 0,
        _ if choices.one_in(40) => choices.below(40),
        _ => choices.below(5),
    }
}
