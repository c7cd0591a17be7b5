//! Typed subjects of formats with a schema.

use std::sync::{Arc, Mutex};

use ::apache_avro::error::Details;
use manywire_codec::msgpack::{self, Layout};
use manywire_codec::{avro, protobuf};
use manywire_format::Format;
use serde_avro_fast::ser::SerializerConfig;

use super::check::{no_time, plain_names, reads_back};
use super::root::{LaneMessage, LaneRoot};
use crate::coder::{Payloads, by_serde, load, owned, read, sure};
use crate::error::Result;
use crate::known::Known;
use crate::message;

type Bytes = Vec<Vec<u8>>;
type Loaded = Result<Arc<dyn Payloads>>;

/// prost with its generated messages.
pub(crate) fn prost(known: &Known, bytes: Bytes) -> Loaded {
    let model = known.model()?.clone();
    let coder = owned(
        |bytes| Ok(<LaneMessage as ::prost::Message>::decode(bytes)?),
        |message| Ok(::prost::Message::encode_to_vec(message)),
        move |message: &LaneMessage, arena| {
            let mut bytes = Vec::new();
            msgpack::encode(message, Layout::Array, &mut bytes)?;
            message::root(&model, read(Format::MsgPack, &bytes, arena)?, arena)
        },
    );
    load(coder, bytes, sure)
}

/// Protocol Buffers of `manywire`, with the same types as every other format.
pub(crate) fn manywire_protobuf(known: &Known, bytes: Bytes) -> Loaded {
    let plan = Arc::new(protobuf::Plan::new(&known.model()?.schema()?)?);
    let reading = Arc::clone(&plan);
    let coder = owned(
        move |bytes| -> Result<LaneRoot> { Ok(reading.decode(bytes)?) },
        move |value| Ok(plan.to_vec(value)?),
        by_serde,
    );
    load(coder, bytes, sure)
}

/// Avro of `manywire`.
pub(crate) fn manywire_avro(known: &Known, bytes: Bytes) -> Loaded {
    let plan = Arc::new(avro::Plan::new(&known.avro()?.0)?);
    let reading = Arc::clone(&plan);
    let coder = owned(
        move |bytes| -> Result<LaneRoot> { Ok(reading.decode(bytes)?) },
        move |value| Ok(plan.to_vec(value)?),
        by_serde,
    );
    load(coder, bytes, sure)
}

/// apache-avro, which reads types through its dynamic value and writes them through serde and a schema.
pub(crate) fn apache_avro(known: &Known, bytes: Bytes) -> Loaded {
    no_time(known)?;
    plain_names(known)?;
    let schema = ::apache_avro::Schema::parse_str(known.avsc()?)?;
    let reading = schema.clone();
    let coder = owned(
        move |mut bytes| -> Result<LaneRoot> {
            let value = ::apache_avro::from_avro_datum(&reading, &mut bytes, None)?;
            Ok(::apache_avro::from_value(&value)?)
        },
        move |value| {
            let mut out = Vec::new();
            let written = ::apache_avro::write_avro_datum_ref(&schema, value, &mut out);
            written.map_err(without_schema)?;
            Ok(out)
        },
        by_serde,
    );
    load(coder, bytes, reads_back)
}

/// Returns the words of an error of apache-avro: the path, and the cause. Those of the library begin
/// with the schema, which may have thousands of characters.
fn without_schema(error: ::apache_avro::Error) -> String {
    match error.into_details() {
        Details::SerializeRecordFieldWithSchema { field_name, error, .. } => {
            format!("{field_name}: {}", without_schema(*error))
        }
        Details::SerializeValueWithSchema { value_type, value, .. } => {
            format!("cannot write the {value_type} {value}")
        }
        other => other.to_string(),
    }
}

/// serde_avro_fast.
pub(crate) fn serde_avro_fast(known: &Known, bytes: Bytes) -> Loaded {
    no_time(known)?;
    plain_names(known)?;
    let schema: ::serde_avro_fast::Schema = known.avsc()?.parse()?;
    // The serializer borrows the schema for its lifetime, so the schema of each load is leaked.
    let schema: &'static ::serde_avro_fast::Schema = Box::leak(Box::new(schema));
    let config = Mutex::new(SerializerConfig::new(schema));
    let coder = owned(
        |bytes| -> Result<LaneRoot> { Ok(::serde_avro_fast::from_datum_slice(bytes, schema)?) },
        move |value| {
            let mut config = config.lock().map_err(|_| "a panic before")?;
            Ok(::serde_avro_fast::to_datum_vec(value, &mut config)?)
        },
        by_serde,
    );
    load(coder, bytes, reads_back)
}
