//! Typed subjects of formats that need only serde.

use std::sync::Arc;

use manywire_codec::msgpack::{self, Layout};
use manywire_codec::{bson as our_bson, cbor, json};
use manywire_shape::{Arena, Value};

use super::check::{documents_only, no_time, plain_records, reads_back};
use super::root::LaneRoot;
use crate::coder::{Payloads, by_serde, load, owned, sure};
use crate::error::Result;
use crate::known::Known;

type Bytes = Vec<Vec<u8>>;
type Loaded = Result<Arc<dyn Payloads>>;

/// Defines the function that loads payloads for a library that reads and writes any serde type.
macro_rules! library {
    ($name:ident, $guard:expr, $decode:expr, $encode:expr, $check:expr, $plain:expr) => {
        pub(crate) fn $name(known: &Known, bytes: Bytes) -> Loaded {
            let guard: fn(&Known) -> Result<()> = $guard;
            guard(known)?;
            let coder = owned(
                |bytes| -> Result<LaneRoot> { Ok($decode(bytes)?) },
                |value| -> Result<Vec<u8>> { Ok($encode(value)?) },
                $plain,
            );
            load(coder, bytes, $check)
        }
    };
}

library!(serde_json, no_time, ::serde_json::from_slice, ::serde_json::to_vec, sure, by_serde);
library!(sonic_rs, no_time, ::sonic_rs::from_slice, ::sonic_rs::to_vec, sure, by_serde);
library!(manywire_json, no_time, json::from_slice, json::to_vec, sure, by_serde);

library!(rmp_serde, no_time, ::rmp_serde::from_slice, ::rmp_serde::to_vec_named, sure, by_serde);
library!(
    rmp_serde_array,
    |known| no_time(known).and_then(|()| plain_records(known)),
    ::rmp_serde::from_slice,
    ::rmp_serde::to_vec,
    reads_back,
    by_serde
);
library!(manywire_msgpack, any, msgpack::from_slice, msgpack::to_vec, sure, by_serde);
library!(manywire_msgpack_array, plain_records, msgpack::from_slice, arrays, sure, by_serde);

library!(serde_cbor_2, no_time, ::serde_cbor_2::from_slice, ::serde_cbor_2::to_vec, sure, by_serde);
library!(cbor2, no_time, ::cbor2::from_slice, ::cbor2::to_vec, sure, by_serde);
library!(manywire_cbor, any, cbor::from_slice, cbor::to_vec, sure, by_serde);

library!(
    bson,
    documents_only,
    ::bson::deserialize_from_slice,
    ::bson::serialize_to_vec,
    sure,
    document
);
library!(manywire_bson, any, our_bson::from_slice, our_bson::to_vec, sure, document);

/// Accepts all types, for codecs that support all of them.
fn any(_: &Known) -> Result<()> {
    Ok(())
}

fn arrays(value: &LaneRoot) -> manywire_codec::Result<Vec<u8>> {
    let mut out = Vec::new();
    msgpack::encode(value, Layout::Array, &mut out)?;
    Ok(out)
}

/// Converts a value for its digest as BSON represents it: an array at the root is a map by index.
fn document<'a>(value: &LaneRoot, arena: &'a Arena) -> Result<Value<'a>> {
    let plain = by_serde(value, arena)?;
    let Value::Array(items) = plain else { return Ok(plain) };
    let entries = items.iter().enumerate();
    let entries =
        entries.map(|(index, item)| (Value::Str(arena.alloc_str(&index.to_string())), *item));
    Ok(Value::Map(arena.alloc_slice_fill_iter(entries.collect::<Vec<_>>())))
}
