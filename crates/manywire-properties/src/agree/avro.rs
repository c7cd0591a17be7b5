//! Avro: codec and walker read the same schema, which has each type of Avro.
//!
//! A datum has no field names, so the comparison covers what the bytes represent: every scalar and
//! every key of a map, in order.

use std::sync::LazyLock;

use manywire_codec::{Category, Limits, avro};
use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, Schema, walk};
use manywire_shape::{Arena, Value, ValueSeed};

use crate::target::{CheckResult, Violation, ensure};

/// The prefix of the field names, for which the walker reports no spans.
const FIELD: &str = "field_";

const SCHEMA: &str = r#"{"type": "record", "name": "All", "fields": [
    {"name": "field_long", "type": "long"},
    {"name": "field_list", "type": {"type": "array", "items": "int"}},
    {"name": "field_text", "type": "string"},
    {"name": "field_maybe", "type": ["null", "long", "string",
        {"type": "array", "items": "boolean"}]},
    {"name": "field_map", "type": {"type": "map", "values": "bytes"}},
    {"name": "field_truth", "type": "boolean"},
    {"name": "field_fixed", "type": {"type": "fixed", "name": "Four", "size": 4}},
    {"name": "field_symbol", "type": {"type": "enum", "name": "Symbol", "symbols": ["A", "B", "C"]}},
    {"name": "field_float", "type": "float"},
    {"name": "field_double", "type": "double"},
    {"name": "field_nothing", "type": {"type": "array", "items": "null"}},
    {"name": "field_next", "type": ["null", "All"]}
]}"#;

/// Options with a small budget for zero-length spans, so that a few bytes that declare a large
/// count are walked quickly. The codec has its own limit of many thousands.
pub(crate) const SMALL_ZERO_SIZE_BUDGET: Options<'static> =
    Options { zero_size_max: 64, zero_size_ratio: 4, ..Options::DEFAULT };

struct Subject {
    schema: manywire_shape::avro::Schema,
    plan: avro::Plan,
}

static SUBJECT: LazyLock<Subject> = LazyLock::new(|| {
    let (schema, _) = manywire_schema::read_avro("all.avsc", SCHEMA).expect("a sound schema");
    let plan = avro::Plan::new(&schema).expect("a plan of a sound schema");
    Subject { schema, plan }
});

/// Returns true if the bytes begin as a container file does. The walker of a datum accepts such
/// bytes as a file; the codec of a datum does not.
pub(crate) fn is_container_file(bytes: &[u8]) -> bool {
    bytes.starts_with(b"Obj\x01")
}

pub(crate) fn avro(bytes: &[u8]) -> CheckResult {
    if is_container_file(bytes) {
        return Ok(());
    }
    let arena = Arena::new();
    let limits = Limits::DEFAULT;
    let walked = leaves(bytes, &arena);
    if walked.fault.as_ref().is_some_and(|(_, expected)| expected.contains("zero-length values")) {
        return Ok(());
    }
    let error = match SUBJECT.plan.decode_seed(&mut ValueSeed::new(&arena), bytes, limits) {
        Ok(value) => return compare(&value, &walked),
        Err(error) => error,
    };
    let Some(at) = error.offset() else {
        return Err(Violation(format!("the codec error has no offset: {error}")));
    };
    match &walked.fault {
        // The limits on depth and on zero-length items differ between codec and walker.
        _ if error.category() == Category::Limit => Ok(()),
        None => Err(Violation(format!("the codec fails, the walker does not: {error}"))),
        Some((fault, expected)) => {
            ensure!(
                *fault == at,
                "the codec fails at {at}: {error}; the walker at {fault}: expected {expected}"
            );
            Ok(())
        }
    }
}

/// Returns the schema for a walk.
pub(crate) fn avro_schema() -> Schema<'static> {
    Schema::Avro(&SUBJECT.schema)
}

#[derive(Default)]
struct WalkedLeaves<'a> {
    fault: Option<(usize, String)>,
    leaves: Vec<Value<'a>>,
}

fn leaves<'a>(bytes: &[u8], arena: &'a Arena) -> WalkedLeaves<'a> {
    let mut walked = WalkedLeaves::default();
    let schema = Some(Schema::Avro(&SUBJECT.schema));
    let options = Options { depth_max: usize::MAX, schema, ..SMALL_ZERO_SIZE_BUDGET };
    walk(Format::Avro, bytes, options, &mut |event| match event {
        Event::Fault(fault) if walked.fault.is_none() => {
            walked.fault = Some((fault.offset, fault.expected.to_string()));
        }
        Event::Span(span) if matches!(span.role, Role::Key | Role::Value | Role::Fixed) => {
            if let Some(value) = span.value {
                walked.leaves.push(value.copied(arena));
            }
        }
        _ => {}
    });
    walked
}

/// Compares the codec's value with the walker's spans, scalar by scalar.
fn compare(value: &Value<'_>, walked: &WalkedLeaves<'_>) -> CheckResult {
    if let Some((at, expected)) = &walked.fault {
        return Err(Violation(format!(
            "the codec reads {value:?}, the walker expects {expected} at {at}"
        )));
    }
    let mut read = Vec::new();
    flatten(value, &mut read);
    let keys = |value: &&Value<'_>| !matches!(value, Value::Str(key) if key.starts_with(FIELD));
    let seen: Vec<&Value<'_>> = walked.leaves.iter().filter(keys).collect();
    ensure!(
        read.len() == seen.len(),
        "the codec reads {} scalars, the walker {}: {value:?}",
        read.len(),
        seen.len()
    );
    for (number, (read, seen)) in read.iter().zip(seen).enumerate() {
        ensure!(read == seen, "scalar {number}: the codec reads {read:?}, the walker {seen:?}");
    }
    Ok(())
}

fn flatten<'a>(value: &Value<'a>, leaves: &mut Vec<Value<'a>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, leaves)),
        Value::Map(entries) => {
            for (key, value) in *entries {
                flatten(key, leaves);
                flatten(value, leaves);
            }
        }
        Value::Str(text) if text.starts_with(FIELD) => {}
        scalar => leaves.push(*scalar),
    }
}
