//! The rules of proto2 through codec and walker. The results are those of Google's implementation for
//! Python (protobuf 7.36), where a message that lacks a required field is not initialized.

use manywire_codec::{Limits, protobuf};
use manywire_format::Format;
use manywire_inspect::{Options, Schema, walk};
use manywire_shape::{Arena, ValueSeed, proto};
use serde_json::{Value as Json, json};

const SCHEMA: &str = "syntax = \"proto2\";
enum Color { RED = 1; BLUE = 3; }
enum Size { NONE = 0; BIG = 2; }
message Inner { required int32 id = 1; optional string name = 2; }
message All {
  optional int32 count = 1 [default = 7];
  optional Color color = 2;
  repeated Color colors = 3;
  repeated Color packed = 4 [packed = true];
  map<string, Size> by_name = 5;
  optional group Point = 6 { optional int32 x = 1; required int32 y = 2; }
  repeated group Step = 7 { optional string to = 1; optional group Deep = 2 { optional bool on = 1; } }
  optional Inner inner = 8;
  repeated Inner inners = 9;
  oneof choice { Color pick = 10; string text = 11; }
  extensions 100 to 199;
  repeated int32 numbers = 12;
}
message Need { required int32 a = 1; required Inner b = 2; required Color c = 3; }
";

/// A message, its bytes, and its value as JSON without empty lists. A text is part of the error.
fn table() -> Vec<(&'static str, &'static str, Json)> {
    vec![
        ("All", "", json!({})),
        ("All", "1001", json!({"color": "RED"})),
        ("All", "1002", json!({})),
        ("All", "10011002", json!({"color": "RED"})),
        ("All", "10021001", json!({"color": "RED"})),
        ("All", "180118021803", json!({"colors": ["RED", "BLUE"]})),
        ("All", "2203010203", json!({"packed": ["RED", "BLUE"]})),
        ("All", "2a050a01611001", json!({})),
        ("All", "2a050a01611002", json!({"byName": {"a": "BIG"}})),
        ("All", "2a050a01611003", json!({})),
        ("All", "330801100234", json!({"point": {"x": 1, "y": 2}})),
        ("All", "33080134", json!("the required field y is missing")),
        ("All", "3b0a0161130801143c", json!({"step": [{"to": "a", "deep": {"on": true}}]})),
        ("All", "3b3c3b3c", json!({"step": [{}, {}]})),
        ("All", "3308013433100234", json!({"point": {"x": 1, "y": 2}})),
        ("All", "420408051200", json!({"inner": {"id": 5, "name": ""}})),
        ("All", "42021200", json!("the required field id is missing")),
        ("All", "4a0208014a020802", json!({"inners": [{"id": 1}, {"id": 2}]})),
        ("All", "5002", json!({})),
        ("All", "5001", json!({"pick": "RED"})),
        ("All", "5a01615002", json!({"text": "a"})),
        ("All", "50015002", json!({"pick": "RED"})),
        ("All", "6001", json!({"numbers": [1]})),
        ("All", "620101", json!({"numbers": [1]})),
        ("All", "6002620103", json!({"numbers": [2, 3]})),
        ("All", "33", json!("")),
        ("All", "3308", json!("")),
        ("All", "3334", json!("the required field y is missing")),
        ("Need", "", json!("the required field a is missing")),
        ("Need", "0801120208011801", json!({"a": 1, "b": {"id": 1}, "c": "RED"})),
        ("Need", "08011800", json!("the required field b is missing")),
        ("Need", "0801120208011802", json!("the required field c is missing")),
        ("Need", "080112001801", json!("the required field id is missing")),
        ("All", "a00605", json!({})),
        // A field of another wire type is an unknown field there; here it is an error, as in proto3.
        ("All", "320408011002", json!("wire type")),
        ("All", "43080144", json!("wire type")),
    ]
}

fn schema(message: &str) -> proto::Schema {
    match manywire_schema::read_proto("probe.proto", SCHEMA, Some(message)) {
        Ok((schema, _)) => schema,
        Err(error) => panic!("{error}"),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// Removes empty lists and maps: an absent list is an empty one.
fn without_empty(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let is_empty = |value: &Json| match value {
                Json::Array(items) => items.is_empty(),
                Json::Object(_) | Json::Null => false,
                _ => false,
            };
            let members = members.into_iter().filter(|(_, value)| !is_empty(value));
            let members = members.map(|(key, value)| (key, without_empty(value)));
            let no_map = |(key, value): &(String, Json)| key != "byName" || *value != json!({});
            members.filter(no_map).collect()
        }
        Json::Array(items) => items.into_iter().map(without_empty).collect(),
        other => other,
    }
}

fn decode(plan: &protobuf::Plan, bytes: &[u8]) -> Result<Json, String> {
    let arena = Arena::new();
    let value = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT);
    let value = value.map_err(|error| error.to_string())?;
    Ok(without_empty(serde_json::to_value(value).expect("JSON")))
}

#[test]
fn proto2_messages_are_read_as_google_reads_them() {
    for (message, hex, expected) in table() {
        let schema = schema(message);
        let plan = protobuf::Plan::new(&schema).expect("a plan");
        let bytes = bytes(hex);
        let found = decode(&plan, &bytes);
        match (&found, &expected) {
            (Err(error), Json::String(part)) => {
                assert!(error.contains(part.as_str()), "{message} {hex}: {error}");
            }
            (found, expected) => assert_eq!(found.as_ref(), Ok(expected), "{message} {hex}"),
        }
        let options = Options { schema: Some(Schema::Protobuf(&schema)), ..Options::DEFAULT };
        let faults = walk(Format::Protobuf, &bytes, options, &mut |_| {}).faults;
        assert_eq!(faults == 0, found.is_ok(), "{message} {hex}: {faults} faults");
        // The value is written and read again, by the dynamic value and by its JSON.
        if found.is_ok() {
            let arena = Arena::new();
            let value = plan.decode_seed(&mut ValueSeed::new(&arena), &bytes, Limits::DEFAULT);
            let again = plan.to_vec(&value.expect("it was read before")).expect("it is written");
            assert_eq!(decode(&plan, &again).as_ref(), Ok(&expected), "{message} {hex}");
            let faults = walk(Format::Protobuf, &again, options, &mut |_| {}).faults;
            assert_eq!(faults, 0, "{message} {hex}");
        }
    }
}

#[test]
fn groups_are_written_between_two_tags() {
    let schema = schema("All");
    let plan = protobuf::Plan::new(&schema).expect("a plan");
    for (value, expected) in [
        (json!({"point": {"y": 5}}), "33100534"),
        (json!({"step": [{"to": "a"}, {"deep": {"on": true}}]}), "3b0a01613c3b130801143c"),
        (json!({"inner": {"id": 3}, "point": {"x": 300, "y": 1}}), "420208033308ac02100134"),
    ] {
        assert_eq!(plan.to_vec(&value).expect("it is written"), bytes(expected), "{value}");
    }
    // A group has no length prefix, even with content over 127 bytes, whose length would take two
    // bytes.
    let long = "x".repeat(200);
    let value = json!({"step": [{"to": long, "deep": {"on": true}}]});
    let written = plan.to_vec(&value).expect("it is written");
    assert_eq!(written.len(), 1 + (1 + 2 + 200) + (1 + 2 + 1) + 1);
    assert_eq!(decode(&plan, &written), Ok(value));
    let missing = plan.to_vec(&json!({"point": {"x": 1}})).expect_err("y is required");
    assert!(
        missing.to_string().contains("\"y\"") || missing.to_string().contains('y'),
        "{missing}"
    );
}

/// Cut bytes and random changes never panic, and codec and walker agree on them.
#[test]
fn codec_and_walker_agree_on_broken_proto2() {
    let schema = schema("All");
    let plan = protobuf::Plan::new(&schema).expect("a plan");
    let whole = bytes("08011003331005343b0a0161130801143c420208034a0208012a050a0161100122020103");
    let options = Options { schema: Some(Schema::Protobuf(&schema)), ..Options::DEFAULT };
    let check = |bytes: &[u8]| {
        let faults = walk(Format::Protobuf, bytes, options, &mut |_| {}).faults;
        let found = decode(&plan, bytes);
        // The walker also reports what readers drop, such as a message that later ones complete.
        if found.is_err() {
            assert!(faults > 0, "{bytes:02x?}: {found:?}");
        }
    };
    for len in 0..=whole.len() {
        check(&whole[..len]);
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut broken = whole.clone();
            broken[at] ^= 1 << bit;
            check(&broken);
        }
    }
}
