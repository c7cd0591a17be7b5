//! Protocol Buffers: our codec on plain types, and prost on its messages.

use std::convert::Infallible;

use manywire_codec::protobuf::Plan;
use manywire_shape::{Shape, Shaped};
use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::case::{Case, leak};
use crate::Subject;
use crate::documents::{Documents, FieldB, RecordA};

pub(super) fn add(subjects: &mut Vec<Subject>, documents: Documents) {
    typed(subjects, "people", documents.people, documents.people);
    typed(subjects, "hotels", documents.hotels, documents.hotels);
    let message = Box::leak(Box::new(RecordAMessage::from(documents.record_a)));
    typed(subjects, "record-a", documents.record_a, message);
}

/// Compares our codec on a plain type with prost on its generated message.
fn typed<T, M>(
    subjects: &mut Vec<Subject>,
    document: &'static str,
    value: &'static T,
    message: &'static M,
) where
    T: Shaped + Serialize + DeserializeOwned + PartialEq,
    M: Message + Default + PartialEq,
{
    let plan: &'static Plan = Box::leak(Box::new(
        Plan::from_shape(&Shape::of::<T>()).expect("the documents are messages"),
    ));
    let bytes = leak(plan.to_vec(value).expect("encoding succeeds"));
    let case = Case { document, format: "protobuf", value, bytes };
    case.library(
        subjects,
        "manywire",
        |value| plan.to_vec(value),
        |value, out| plan.encode(value, out),
        |bytes| plan.decode(bytes),
    );
    case.floors(subjects);
    let case = Case { document, format: "protobuf", value: message, bytes };
    case.library(
        subjects,
        "prost",
        |message| Ok::<_, Infallible>(message.encode_to_vec()),
        |message, out| message.encode(out),
        M::decode,
    );
}

/// [`RecordA`] as a prost message: the sum type is a message with a `oneof`.
#[derive(Clone, PartialEq, Message)]
struct RecordAMessage {
    #[prost(message, optional, tag = 1)]
    field_b: Option<FieldBMessage>,
    #[prost(string, tag = 2)]
    field_text: String,
    #[prost(int64, tag = 3)]
    field_int: i64,
    #[prost(double, tag = 4)]
    field_double: f64,
    #[prost(float, tag = 5)]
    field_float: f32,
    #[prost(uint64, tag = 6)]
    field_word: u64,
    #[prost(string, optional, tag = 7)]
    field_maybe_text: Option<String>,
    #[prost(string, repeated, tag = 8)]
    field_list_text: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct FieldBMessage {
    #[prost(oneof = "FieldBVariant", tags = "1, 2")]
    variant: Option<FieldBVariant>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum FieldBVariant {
    #[prost(int64, tag = 1)]
    B1(i64),
    #[prost(float, tag = 2)]
    B2(f32),
}

impl From<&RecordA> for RecordAMessage {
    fn from(record: &RecordA) -> Self {
        let variant = match record.field_b {
            FieldB::B1(number) => FieldBVariant::B1(number),
            FieldB::B2(number) => FieldBVariant::B2(number),
        };
        RecordAMessage {
            field_b: Some(FieldBMessage { variant: Some(variant) }),
            field_text: record.field_text.clone(),
            field_int: record.field_int,
            field_double: record.field_double,
            field_float: record.field_float,
            field_word: record.field_word,
            field_maybe_text: record.field_maybe_text.clone(),
            field_list_text: record.field_list_text.clone(),
        }
    }
}
