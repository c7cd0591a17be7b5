use manywire::Format;
use manywire_codec::Codec;
use manywire_schema::Language;
use manywire_shape::Arena;
use serde_json::{Value, json};

use super::service::{document, fetch};
use crate::support::TestResponse;

/// The paths of typed responses, with the locations of their media types.
const ANSWERS: [(&str, &str); 4] = [
    ("/hotels?city=Wien", "/paths/~1hotels/get/responses/200/content"),
    ("/hotels/5", "/paths/~1hotels~1{id}/get/responses/200/content"),
    ("/problem", "/paths/~1problem/get/responses/200/content"),
    ("/count", "/paths/~1count/get/responses/200/content"),
];

#[tokio::test]
async fn schemas_are_valid_and_match_the_responses() {
    let document = document().await;
    let schemas = document["components"]["schemas"].as_object().expect("an object");
    for (name, schema) in schemas {
        assert!(jsonschema::meta::is_valid(schema), "{name}: {schema}");
    }
    for (path, pointer) in ANSWERS {
        let mut schema =
            document.pointer(pointer).expect(pointer)["application/json"]["schema"].clone();
        schema["components"] = document["components"].clone();
        let validator = jsonschema::draft202012::new(&schema).expect("a schema compiles");
        let response = fetch(path, "application/json").await.json();
        assert!(validator.is_valid(&response), "{path}: {response} by {schema}");
        assert!(!validator.is_valid(&json!({"other": 1})), "{path}: the schema says something");
    }
    // Two types have the same name, and one has the name of a type of the library.
    let names: Vec<&String> = schemas.keys().collect();
    for name in ["Room", "Room2", "Problem", "Problem2"] {
        assert!(schemas.contains_key(name), "{name} of {names:?}");
    }
    assert!(
        schemas["Problem"]["properties"].get("difficulty").is_some(),
        "the service's own type comes first"
    );
}

/// Decodes a response by a codec that is built from the API's documents.
fn decoded(codec: &Codec, response: &TestResponse, skip: usize) -> Value {
    let arena = Arena::new();
    let value =
        codec.decode(&response.body[skip..], &arena).expect("the documented schema decodes it");
    serde_json::to_value(value).expect("JSON")
}

#[tokio::test]
async fn the_proto_decodes_the_responses() {
    let proto = fetch("/schema.proto", "*/*").await;
    let document = document().await;
    for (path, pointer) in ANSWERS {
        let content = &document.pointer(pointer).expect(pointer)["application/protobuf"];
        let message = content["x-proto-message"].as_str().expect("a message");
        let read =
            manywire_schema::read("schema.proto", proto.text(), Some(message)).expect("a .proto");
        let Language::Proto(schema) = read.language else { panic!("{read:?}") };
        let plan = manywire_codec::protobuf::Plan::new(&schema).expect("a plan");
        let mut value = decoded(&plan.into(), &fetch(path, "application/protobuf").await, 0);
        // The message around a list is a record for a reader of only the `.proto`.
        for around in ["items", "value"] {
            if let Some(inner) = value.get_mut(around) {
                value = inner.take();
            }
        }
        let plain = fetch(path, "application/json").await.json();
        assert_eq!(without_nulls(value), without_nulls(plain), "{path}: {message}");
    }
}

/// A `.proto` alone does not say that a field is nullable; null is absent there.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[tokio::test]
async fn serves_each_avro_schema_by_its_fingerprint() {
    let document = document().await;
    for (path, pointer) in &ANSWERS[..3] {
        let content = &document.pointer(pointer).expect(pointer)["application/avro"];
        let schema_path = content["x-avro-schema"].as_str().expect("a path");
        let response = fetch(path, "application/avro").await;
        let fingerprint: [u8; 8] = response.body[2..10].try_into().expect("eight bytes");
        let fingerprint = u64::from_le_bytes(fingerprint);
        assert_eq!(schema_path, format!("/schemas/{fingerprint:016x}.avsc"));
        let schema = fetch(schema_path, "*/*").await;
        assert_eq!(schema.status, 200);
        let read = manywire_schema::read("x.avsc", schema.text(), None).expect("an Avro schema");
        let Language::Avro(schema) = read.language else { panic!("{read:?}") };
        assert_eq!(schema.fingerprint(), fingerprint);
        let plan = manywire_codec::avro::Plan::new(&schema).expect("a plan");
        let value = decoded(&plan.into(), &response, 10);
        let plain = fetch(path, Format::Json.row().media_type).await;
        assert_eq!(value, plain.json(), "{path}");
    }
}
