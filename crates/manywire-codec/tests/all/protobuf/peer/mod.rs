//! Round trips between our codec and prost-reflect, on generated shapes and values, over the
//! `.proto` that we write: it reads our output, and we read its output.

mod choices;
mod shape;
mod value;

use crate::support::protobuf_peer::{compile, has_unknown_fields};
use manywire_codec::Limits;
use manywire_codec::protobuf::Plan;
use manywire_shape::proto::Schema;
use manywire_shape::{Arena, ShapeBuilder, Value, ValueSeed};
use proptest::collection::vec;
use proptest::prelude::*;
use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message as _;

use self::choices::{Choices, GeneratedNumbers};
use self::shape::{record, shape};
use self::value::value;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1_500)
    })]

    #[test]
    fn round_trips_generated_shapes(choices in vec(any::<u16>(), 50..1_500).prop_map(GeneratedNumbers)) {
        check(&mut Choices { choices: &choices.0, at: 0 });
    }
}

fn check(choices: &mut Choices<'_>) {
    let mut builder = ShapeBuilder::default();
    let root = match choices.one_in(4) {
        true => shape(&mut builder, choices, 0),
        false => {
            let record = record(&mut builder, choices, 0);
            builder.add(record)
        }
    };
    let shape = builder.finish(root);
    let schema = Schema::from_shape(&shape).expect("a schema");
    let text = schema.to_proto("test");
    let pool = compile(&text);
    let name = format!("test.{}", schema.messages[schema.root].name);
    let descriptor = pool.get_message_by_name(&name).expect("the root message");
    let plan = Plan::new(&schema).expect("a plan");
    let arena = Arena::new();
    for _ in 0..3 {
        let value = value(&shape, root, &arena, choices);
        let mut bytes = Vec::new();
        if let Err(error) = plan.encode(&value, &mut bytes) {
            panic!("{error}\n{value:?}\n{text}");
        }
        let read = |bytes: &[u8]| {
            let bytes = arena.alloc_slice_copy(bytes);
            plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT)
                .unwrap_or_else(|error| panic!("{error}\n{value:?}\n{text}"))
        };
        assert_eq!(read(&bytes), value, "\n{text}");

        let peer = DynamicMessage::decode(descriptor.clone(), &*bytes).expect("the peer reads it");
        assert!(!has_unknown_fields(&peer), "{peer:?}\n{text}");
        // The peer keeps maps unordered.
        let theirs = read(&peer.encode_to_vec());
        assert_eq!(sorted(theirs, &arena), sorted(value, &arena), "\n{text}");

        // The same for any order of the fields.
        let mut shuffled = shuffle(&bytes, choices);
        shuffled.extend_from_slice(b"\xf8\xff\xff\xff\x0f\x01");
        assert_eq!(sorted(read(&shuffled), &arena), sorted(value, &arena), "\n{text}");
    }
}

/// Sorts the entries of all maps.
fn sorted<'a>(value: Value<'a>, arena: &'a Arena) -> Value<'a> {
    match value {
        Value::Array(items) => {
            Value::Array(arena.alloc_slice_fill_iter(items.iter().map(|item| sorted(*item, arena))))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (sorted(*key, arena), sorted(*value, arena)))
                .collect();
            entries.sort_by_cached_key(|entry| format!("{:?}", entry.0));
            Value::Map(arena.alloc_slice_copy(&entries))
        }
        other => other,
    }
}

/// Moves the fields of a message before those of other numbers. Fields of one number stay in order,
/// which is all that the encoding requires. Oneofs have one member at this level.
fn shuffle(bytes: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut fields: Vec<(u64, u16, &[u8])> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = rest;
        let tag = varint(&mut rest);
        let size = match tag & 7 {
            0 => {
                varint(&mut rest);
                0
            }
            1 => 8,
            5 => 4,
            _ => varint(&mut rest) as usize,
        };
        rest = &rest[size..];
        fields.push((tag >> 3, 0, &start[..start.len() - rest.len()]));
    }
    // A random position for each number.
    let salt = choices.next();
    fields.sort_by_key(|field| (field.0.wrapping_mul(u64::from(salt) | 1)) % 31);
    fields.into_iter().flat_map(|field| field.2.to_vec()).collect()
}

fn varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = rest[0];
        *rest = &rest[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
