//! Protocol Buffers by name: codec and walker are led by one schema, which has every kind of field.
//!
//! On the wire fields come in any order, twice and in pieces. What the walker reports field by
//! field is put together by the rules of the encoding (the last of a scalar or of a oneof wins,
//! messages merge, items add up), and the value that the codec read must be just that.

use std::sync::LazyLock;

use manywire_codec::{Category, Limits, protobuf};
use manywire_format::Format;
use manywire_inspect::{Options, Schema, walk};
use manywire_schema::Language;
use manywire_shape::{Arena, ValueSeed, proto};

use super::merge::Merge;
use crate::target::{Broken, Holds, hold};

const SCHEMA: &str = r#"syntax = "proto3";
message All {
  int32 int32 = 1; int64 int64 = 2; uint32 uint32 = 3; uint64 uint64 = 4;
  sint32 sint32 = 5; sint64 sint64 = 6; fixed32 fixed32 = 7; fixed64 fixed64 = 8;
  sfixed32 sfixed32 = 9; sfixed64 sfixed64 = 10; float float = 11; double double = 12;
  bool truth = 13; string text = 14; bytes bytes = 15; Kind kind = 16;
  optional sint32 maybe = 17; optional string perhaps = 18; optional Kind which = 19;
  repeated int32 packed = 20; repeated sint64 unpacked = 21 [packed = false];
  repeated string texts = 22; repeated double doubles = 23; repeated Kind kinds = 24;
  All child = 25; repeated Leaf leaves = 26;
  map<string, int64> counts = 27; map<int32, Leaf> by_number = 28; map<fixed64, Kind> by_fixed = 29;
  oneof choice { uint32 number = 30; string name = 31; Leaf leaf = 32; }
  repeated bool truths = 33; repeated fixed32 fixed = 34; repeated bytes pieces = 35;
  int64 far = 20000000;
}
message Leaf { sint32 id = 1; string name = 2; optional float weight = 3; Leaf next = 4; }
enum Kind { ZERO = 0; ONE = 1; BELOW = -1; }
"#;

struct Both {
    document: manywire_payload::Schema,
    schema: proto::Schema,
    plan: protobuf::Plan,
}

static BOTH: LazyLock<Both> = LazyLock::new(|| {
    let read = manywire_schema::read_proto("all.proto", SCHEMA, Some("All"));
    let (schema, shape) = read.expect("a sound schema");
    let plan = protobuf::Plan::new(&schema).expect("a plan of a sound schema");
    let language = Some(Language::Proto(schema.clone()));
    Both { document: manywire_payload::Schema { shape, language }, schema, plan }
});

/// The schema, for who reads messages of it.
pub(crate) fn protobuf_document() -> &'static manywire_payload::Schema {
    &BOTH.document
}

/// The schema, for who writes messages of it.
pub(crate) fn protobuf_schema() -> &'static proto::Schema {
    &BOTH.schema
}

/// How deep the walker goes: beyond where the codec gives up.
const DEPTH_MAX: usize = 2 * Limits::DEFAULT.depth;

pub(crate) fn protobuf_named(bytes: &[u8]) -> Holds {
    let Both { schema, plan, .. } = &*BOTH;
    let arena = Arena::new();
    let mut merge = Merge::new(schema, &arena);
    let led = Options { schema: Some(Schema::Protobuf(schema)), ..Options::DEFAULT };
    let options = Options { depth_max: DEPTH_MAX, ..led };
    walk(Format::Protobuf, bytes, options, &mut |event| merge.add(&event));
    let merged = merge.finish();
    let read = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT);
    let error = match read {
        Ok(value) => {
            if let Some((at, expected)) = &merged.fault {
                return Err(Broken(format!(
                    "the codec reads {value:?}, the walker expects {expected} at {at}"
                )));
            }
            return match merged.message.difference(&value, schema) {
                Some(found) => Err(Broken(format!("the codec and the walker read ${found}"))),
                None => Ok(()),
            };
        }
        Err(error) => error,
    };
    // How deep a message goes is each one's own limit.
    if error.category() == Category::Limit {
        return Ok(());
    }
    let Some(at) = error.offset() else {
        return Err(Broken(format!("the codec says no place: {error}")));
    };
    let Some((fault, expected)) = &merged.fault else {
        return Err(Broken(format!("the codec fails, the walker does not: {error}")));
    };
    // The codec looks each message through before it reads what is in its fields, so a fault
    // further on, but further out, comes first: one that the walker may not have come to.
    hold!(
        at == *fault || (at > *fault && merged.fault_depth > 1) || merged.faults.contains(&at),
        "the codec fails at {at}: {error}; the walker at {fault}: expected {expected}"
    );
    Ok(())
}
