//! The conformance cases of Protocol Buffers that read and write the wire format.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::support::protobuf_peer::{compile, has_unknown_fields, same_message, schema_of};
use manywire_codec::Limits;
use manywire_codec::protobuf::Plan;
use manywire_shape::{Arena, ValueSeed};
use prost_reflect::DynamicMessage;

#[test]
fn passes_the_conformance_cases() {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return;
    };
    let folder = PathBuf::from(suites).join("protobuf/conformance");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a suite file");
    let pool = compile(&read("test_messages_proto3.proto"));
    let mut plans = BTreeMap::new();
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let (mut passed, mut failed) = (0, Vec::new());
    for line in read("cases_proto3.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let text = |key: &str| case[key].as_str();
        let name = text("name").expect("a name");
        let Some(input) = text("in_protobuf_hex") else {
            *skipped
                .entry("JSON input: the text format of JSON is no codec's".into())
                .or_default() += 1;
            continue;
        };
        let input = hex(input);
        let message_type = text("message_type").expect("a type");
        let (descriptor, plan) = plans.entry(message_type.to_owned()).or_insert_with(|| {
            let descriptor = pool.get_message_by_name(message_type).expect("a message");
            let plan = Plan::new(&schema_of(&descriptor)).expect("a plan");
            (descriptor, plan)
        });
        let arena = Arena::new();
        let read = plan.decode_seed(&mut ValueSeed::new(&arena), &input, Limits::DEFAULT);
        match (text("expect").expect("a class"), read) {
            ("parse_error", Err(_)) => passed += 1,
            ("parse_error", Ok(value)) => failed.push(format!("{name}: read as {value:?}")),
            (_, Err(error)) => failed.push(format!("{name}: {error}")),
            (_, Ok(value)) => {
                let mut output = Vec::new();
                if let Err(error) = plan.encode(&value, &mut output) {
                    failed.push(format!("{name}: {error}, writing {value:?}"));
                    continue;
                }
                let decode = |bytes: &[u8]| {
                    DynamicMessage::decode(descriptor.clone(), bytes).expect("the peer reads it")
                };
                // A case with JSON output expects the content of its input.
                let expected = match text("out_format") {
                    Some("protobuf") => hex(text("reference_output").unwrap_or_default()),
                    _ => input.clone(),
                };
                let (expected, written) = (decode(&expected), decode(&output));
                if !same_message(&expected, &written) {
                    failed.push(format!("{name}: wrote {written:?}, expected {expected:?}"));
                } else if has_unknown_fields(&expected) {
                    let reason = format!("unknown fields are skipped, not kept: {name}");
                    *skipped.entry(reason).or_default() += 1;
                } else {
                    passed += 1;
                }
            }
        }
    }
    for (reason, count) in &skipped {
        println!("skipped {count}: {reason}");
    }
    println!(
        "conformance: {passed} passed, {} failed, {} skipped",
        failed.len(),
        skipped.values().sum::<usize>()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed > 900, "only {passed} cases passed");
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).expect("hex"))
        .collect()
}
