//! Checks before a library is timed.

use std::collections::BTreeSet;

use manywire_shape::{Arena, Node, avro};

use crate::coder::Coder;
use crate::digest::digest;
use crate::error::Result;
use crate::known::Known;
use crate::model::{MessageModel, Model};

/// Refuses payloads with points in time, whose type `manywire_shape::Timestamp` only the codecs of `manywire`
/// read as such.
pub(super) fn no_time(known: &Known) -> Result<()> {
    if known.has_timestamps()? {
        return Err("timestamps have a type of manywire, which this library does not read".into());
    }
    Ok(())
}

/// Refuses lists, and points in time. The library reads a document whose keys are numbers as a record or
/// a map only.
pub(super) fn documents_only(known: &Known) -> Result<()> {
    no_time(known)?;
    let shape = known.shape()?;
    if matches!(shape.node(shape.root()), Node::Array(_) | Node::Tuple(_)) {
        return Err("the library reads documents only, and the payload is not one".into());
    }
    Ok(())
}

/// Refuses records as arrays in a union: the branch of an untagged enum depends on the names of
/// fields, which an array does not have.
pub(super) fn plain_records(known: &Known) -> Result<()> {
    if known.model().is_ok_and(has_record_in_union) {
        return Err("a union has a record, and in an array nothing says which fields it has".into());
    }
    Ok(())
}

/// Refuses payloads whose Avro schema serde's derives cannot express.
pub(super) fn plain_names(known: &Known) -> Result<()> {
    match beyond_serde(&known.avro()?.0) {
        Some(what) => Err(format!("the derives of serde cannot express the schema: {what}").into()),
        None => Ok(()),
    }
}

/// Refuses a library that cannot read its own output. A library may omit a field from an array,
/// which shifts the fields after it.
pub(super) fn reads_back<C: Coder>(coder: &C, bytes: &[u8]) -> Result<()> {
    let (scratch, again, arena) = (C::Scratch::default(), C::Scratch::default(), Arena::new());
    let value = coder.decode(bytes, &scratch)?;
    let written = coder.encode(&value)?;
    let returned = coder.decode(&written, &again);
    let returned = returned.map_err(|error| format!("does not read its own output: {error}"))?;
    if digest(&coder.plain(&value, &arena)?)? != digest(&coder.plain(&returned, &arena)?)? {
        return Err("does not round-trip: it decodes another value than it encoded".into());
    }
    Ok(())
}

/// Returns a feature of the schema that serde's derives cannot express, or `None` without such a
/// feature.
fn beyond_serde(schema: &avro::Schema) -> Option<&'static str> {
    schema.nodes().iter().find_map(|node| match &node.ty {
        avro::Type::Record(record) => match &record.role {
            avro::Role::Record if record.fields.iter().any(|field| field.original.is_some()) => {
                Some("a field whose key is not a name in Avro")
            }
            avro::Role::Record => None,
            avro::Role::Timestamp => Some("timestamps, which the generated types do not have"),
            _ => Some("values that Avro represents by records of Manywire"),
        },
        _ if node.logical.is_some() => Some("logical types, which the generated types do not have"),
        _ => None,
    })
}

/// Returns whether a union has a record in one of its branches.
fn has_record_in_union(model: &Model) -> bool {
    let mut unions = model.messages.values().filter(|message| message.form == "union");
    unions.any(|union| has_record(model, union, &mut BTreeSet::new()))
}

/// Returns whether a message contains a record or a sum type at any depth. `seen` has the messages
/// that were visited.
fn has_record<'m>(
    model: &'m Model,
    message: &'m MessageModel,
    seen: &mut BTreeSet<&'m str>,
) -> bool {
    let parts = message.fields.iter().filter(|field| field.kind == "message");
    parts.filter_map(|field| field.of.as_deref()).any(|of| {
        seen.insert(of)
            && model.messages.get(of).is_some_and(|part| {
                matches!(part.form.as_str(), "record" | "variants") || has_record(model, part, seen)
            })
    })
}
