//! Round trips between our Avro codec and Apache's own crate, on generated shapes and values:
//! Apache's crate reads our output by the schema text that we write, and we read its output. Values
//! stay the same for any order of their fields.

mod choice;
mod order;
mod spec;

use apache_avro::types::Value as Peer;
use manywire_codec::Limits;
use manywire_codec::avro::Plan;
use manywire_shape::avro::Schema;
use manywire_shape::{Arena, Shape, ShapeBuilder, Value, ValueSeed};
use proptest::prelude::*;

use self::choice::Choice;
use self::order::{copied, shuffled, sorted};
use self::spec::{Spec, node, spec};

use crate::support::read_avro;

/// Collects the scalars that the peer read, in order.
fn leaves(peer: &Peer, out: &mut Vec<String>) {
    match peer {
        Peer::Null => {}
        Peer::Boolean(value) => out.push(value.to_string()),
        Peer::Int(value) => out.push(value.to_string()),
        Peer::Long(value) => out.push(value.to_string()),
        Peer::Float(value) => out.push(format!("f32 {:08x}", value.to_bits())),
        Peer::Double(value) => out.push(format!("f64 {:016x}", value.to_bits())),
        Peer::Bytes(bytes) => out.push(format!("{bytes:?}")),
        Peer::String(text) => out.push(text.clone()),
        Peer::Union(_, inner) => leaves(inner, out),
        Peer::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Peer::Map(entries) => {
            for (key, value) in entries {
                out.push(key.clone());
                leaves(value, out);
            }
        }
        Peer::Record(fields) => fields.iter().for_each(|(_, value)| leaves(value, out)),
        // Symbols and decimals remain, which the second half of the test covers.
        other => out.push(format!("{other:?}")),
    }
}

/// Collects the scalars of our value, for shapes that add nothing to them.
fn our_leaves(value: Value<'_>, out: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Bool(value) => out.push(value.to_string()),
        Value::I64(value) => out.push(value.to_string()),
        Value::F32(value) => out.push(format!("f32 {:08x}", value.to_bits())),
        Value::F64(value) => out.push(format!("f64 {:016x}", value.to_bits())),
        Value::Bytes(bytes) => out.push(format!("{bytes:?}")),
        Value::Str(text) => out.push(text.to_owned()),
        Value::Array(items) => items.iter().for_each(|item| our_leaves(*item, out)),
        Value::Timestamp(time) => {
            out.extend([time.seconds.to_string(), time.nanoseconds.to_string()]);
        }
        Value::Map(entries) => entries.iter().for_each(|entry| our_leaves(entry.1, out)),
        other => out.push(format!("{other:?}")),
    }
}

/// Checks whether every leaf of a value of this shape is encoded as itself.
fn is_plain(spec: &Spec) -> bool {
    match spec {
        Spec::Int(int) => int.bits <= 64,
        Spec::Any | Spec::Names(_) | Spec::Sum(..) | Spec::Map(_) | Spec::Pairs(_) => false,
        Spec::Option(inner) | Spec::Array(inner) => is_plain(inner),
        Spec::Tuple(items) | Spec::Union(items) => items.iter().all(is_plain),
        Spec::Record(fields) => fields.iter().all(|(_, spec)| is_plain(spec)),
        _ => true,
    }
}

fn check(spec: &Spec, seed: u64) {
    let mut builder = ShapeBuilder::default();
    let root = node(spec, &mut builder);
    let shape: Shape = builder.finish(root);
    let schema = Schema::from_shape(&shape).expect("the shape has a schema");
    let text = schema.to_string();
    let plan = Plan::new(&schema).expect("the schema has a plan");
    let arena = Arena::new();
    let value = Choice(seed).value(spec, &arena);

    let mut bytes = Vec::new();
    plan.encode(&value, &mut bytes).unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    let read = |bytes: &[u8], plan: &Plan| {
        let bytes = arena.alloc_slice_copy(bytes);
        // Names are borrowed from the plan, so the value is copied before the plan is dropped.
        let mut seed = ValueSeed::new(&arena);
        let value = plan.decode_seed(&mut seed, bytes, Limits::DEFAULT);
        let value = value.unwrap_or_else(|error| panic!("{error}\n{text}"));
        copied(value, &arena)
    };
    assert_eq!(read(&bytes, &plan), value, "{text}");
    plan.decode::<serde::de::IgnoredAny>(&bytes).expect("it can be passed over");

    // The schema text is complete: a plan parsed from it reads and writes the same.
    let again = read_avro(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_string(), text);
    let from_text = Plan::new(&again).expect("the schema has a plan");
    assert_eq!(read(&bytes, &from_text), value, "{text}");

    let mut other = Vec::new();
    plan.encode(&shuffled(value, &mut Choice(!seed), &arena), &mut other)
        .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    assert_eq!(sorted(read(&other, &plan), &arena), sorted(value, &arena), "{text}");

    let theirs =
        apache_avro::Schema::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let peer = apache_avro::from_avro_datum(&theirs, &mut &bytes[..], None)
        .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    if is_plain(spec) {
        let (mut read, mut meant) = (Vec::new(), Vec::new());
        leaves(&peer, &mut read);
        our_leaves(value, &mut meant);
        assert_eq!(read, meant, "{text}");
    }
    let written = apache_avro::to_avro_datum(&theirs, peer)
        .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"));
    assert_eq!(sorted(read(&written, &plan), &arena), sorted(value, &arena), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn round_trips_through_apache_avro(spec in spec(), seed: u64) {
        check(&spec, seed);
    }

    /// Random bytes read by random schemas give an error or a value, and never panic.
    #[test]
    fn random_bytes_never_panic(spec in spec(), noise in prop::collection::vec(prop_oneof![any::<u8>(), 0u8..8], 0..64)) {
        let mut builder = ShapeBuilder::default();
        let root = node(&spec, &mut builder);
        let plan = Plan::from_shape(&builder.finish(root)).expect("the shape has a plan");
        let arena = Arena::new();
        let read = plan.decode_seed(&mut ValueSeed::new(&arena), &noise, Limits::DEFAULT);
        let skipped = plan.decode::<serde::de::IgnoredAny>(&noise);
        if read.is_ok() {
            prop_assert!(skipped.is_ok());
        }
    }
}
