use http::Request;
use manywire::content::{Items, Text};
use manywire::{Api, EntityTags, Format, get, post};
use serde_json::{Value, json};

use super::service::{document, fetch, service};
use crate::support::send;

/// The schema of OpenAPI 3.1 documents, published by the OpenAPI Initiative.
const OPENAPI: &str = include_str!("openapi-3.1.schema.json");

#[tokio::test]
async fn document_is_valid_by_the_official_schema() {
    let schema: Value = serde_json::from_str(OPENAPI).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema compiles");
    let document = document().await;
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let mut broken = document;
    broken["paths"]["/hotels"]["get"]["parameters"][0]["in"] = json!("somewhere");
    assert!(!validator.is_valid(&broken), "the validator finds faults");
}

/// Collects every `$ref` of a document with its location.
fn references(value: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let ("$ref", Value::String(target)) = (name.as_str(), value) {
                    found.push((at.to_owned(), target.clone()));
                }
                references(value, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(i, item)| references(item, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

#[tokio::test]
async fn every_reference_resolves_and_every_component_is_used() {
    let document = document().await;
    let mut found = Vec::new();
    references(&document, "", &mut found);
    assert!(found.len() > 20, "{found:?}");
    for (at, target) in &found {
        let pointer = target.strip_prefix('#').expect("within the document");
        assert!(document.pointer(pointer).is_some(), "{at}: {target}");
    }
    for kind in ["schemas", "responses"] {
        for name in document["components"][kind].as_object().expect("an object").keys() {
            let target = format!("#/components/{kind}/{name}");
            assert!(found.iter().any(|(_, known)| *known == target), "unused component {target}");
        }
    }
}

#[tokio::test]
async fn endpoints_list_exactly_their_formats() {
    let document = document().await;
    let media_types = |pointer: &str| -> Vec<String> {
        let content = document.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        content.as_object().expect("an object").keys().cloned().collect()
    };
    let answer = |path: &str, method: &str, status: u16| {
        let path = path.replace('/', "~1");
        media_types(&format!("/paths/{path}/{method}/responses/{status}/content"))
    };
    let mut all = Format::ALL.map(|format| match format.row().parameter {
        Some((name, value)) => format!("{};{name}={value}", format.row().media_type),
        None => format.row().media_type.to_owned(),
    });
    all.sort_unstable();
    assert_eq!(answer("/hotels/{id}", "get", 200), all);
    assert_eq!(answer("/hotels/{id}/room", "put", 200), ["application/cbor", "application/json"]);
    assert_eq!(answer("/count", "get", 200), ["application/json", "application/protobuf"]);
    assert_eq!(answer("/files/{rest}", "get", 200), ["application/octet-stream"]);
    assert_eq!(answer("/text", "post", 200), ["text/plain"]);
    let gone = &document["paths"]["/hotels/{id}"]["delete"]["responses"]["204"];
    assert!(gone.is_object() && gone.get("content").is_none(), "{gone}");

    // Every documented media type is served under exactly that name.
    for media_type in all {
        let response = fetch("/hotels/3", &media_type).await;
        assert_eq!(response.status, 200, "{media_type}");
        let content_type = response.headers["content-type"].to_str().expect("text");
        assert_eq!(content_type.replace("; ", ";"), media_type);
    }
}

/// Collects every media type object of a document with its location.
fn media_types<'d>(value: &'d Value, at: &str, found: &mut Vec<(String, &'d Value)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let ("content", Value::Object(content)) = (name.as_str(), value) {
                    found.extend(content.iter().map(|(ty, it)| (format!("{at}/{ty}"), it)));
                }
                media_types(value, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            items.iter().for_each(|item| media_types(item, at, found));
        }
        _ => {}
    }
}

#[tokio::test]
async fn every_media_type_has_a_schema() {
    let document = document().await;
    let mut found = Vec::new();
    media_types(&document, "", &mut found);
    assert!(found.len() > 50, "{found:?}");
    for (at, media_type) in found {
        assert!(media_type.get("schema").is_some(), "{at}: {media_type}");
        let is = |name: &str| at.contains(name);
        let proto = is("application/protobuf");
        assert_eq!(media_type.get("x-proto-message").is_some(), proto, "{at}: {media_type}");
        let avro = is("application/avro");
        assert_eq!(media_type.get("x-avro-schema").is_some(), avro, "{at}: {media_type}");
    }
    // Generators take the type of a response from all of its media types.
    let content = &document["paths"]["/hotels/{id}"]["get"]["responses"]["200"]["content"];
    let all = content.as_object().expect("an object").values();
    assert!(
        all.map(|media_type| &media_type["schema"])
            .all(|schema| *schema == content["application/json"]["schema"])
    );
    let file = &document["paths"]["/files/{rest}"]["get"]["responses"]["200"]["content"];
    let bytes = json!({"type": "string", "format": "binary"});
    assert_eq!(file["application/octet-stream"]["schema"], bytes);
}

#[test]
fn streams_are_arrays_in_every_framing() {
    let stream = get("/stream").returns::<Items<u8>>().to(|| async { Items::from_values(1..2) });
    let api = Api::new("Stream").formats(Format::ALL).serve(stream);
    let documents = api.documents().expect("a valid API");
    let document: Value = serde_json::from_str(documents.openapi()).expect("JSON");
    let content = &document["paths"]["/stream"]["get"]["responses"]["200"]["content"];
    let content = content.as_object().expect("an object");
    assert!(content.len() > 5, "{content:?}");
    let byte = json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255});
    for (name, media_type) in content {
        assert_eq!(media_type["schema"], json!({"type": "array", "items": byte}), "{name}");
        let item = (name != "application/json").then_some(&byte);
        assert_eq!(media_type.get("x-item-schema"), item, "{name}");
    }
}

#[tokio::test]
async fn schemas_have_bounds_and_are_open_to_absent_options() {
    let document = document().await;
    let schemas = &document["components"]["schemas"];
    assert_eq!(
        schemas["Hotel"]["properties"]["id"],
        json!({"type": "integer", "format": "uint64", "minimum": 0, "maximum": u64::MAX})
    );
    assert_eq!(schemas["Hotel"]["required"], json!(["id", "name", "rooms"]));
    // Generators make no type of a `oneOf` of constants.
    assert_eq!(schemas["Place"]["enum"], json!(["path", "query", "header", "cookie", "body"]));
    let described = schemas["Place"]["description"].as_str().expect("text");
    assert!(described.ends_with("\n- `body`: The body."), "{described}");
}

#[tokio::test]
async fn documents_location_and_presence_of_parameters() {
    let document = document().await;
    let list = &document["paths"]["/hotels"]["get"];
    assert_eq!(
        (&list["summary"], &list["operationId"]),
        (&json!("Lists hotels"), &json!("getHotels"))
    );
    assert_eq!(
        list["parameters"],
        json!([
            {"name": "city", "in": "query", "required": true, "description": "Where it is.",
             "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "required": false,
             "schema": {"type": "integer", "format": "uint32", "minimum": 0, "maximum": 4_294_967_295_u32}},
            {"name": "tags", "in": "query", "required": false,
             "schema": {"type": "array", "items": {"type": "string"}}},
            {"name": "order", "in": "query", "required": false,
             "schema": {"$ref": "#/components/schemas/Order"}},
        ])
    );
    let room = document["paths"]["/hotels/{id}/room"]["put"]["parameters"].as_array();
    let room: Vec<_> = room
        .expect("parameters")
        .iter()
        .map(|parameter| json!([parameter["in"], parameter["name"], parameter["required"]]))
        .collect();
    let expected = [
        json!(["path", "id", true]),
        json!(["header", "x-dry-run", false]),
        json!(["cookie", "session", true]),
    ];
    assert_eq!(room, expected, "`authorization` is described elsewhere, by OpenAPI's rule");
}

#[tokio::test]
async fn documents_failures_with_their_types() {
    let document = document().await;
    let responses = &document["paths"]["/hotels/{id}"]["get"]["responses"];
    let not_found = &responses["404"];
    assert_eq!(not_found["description"], "No such hotel; Closed for good");
    let problem = &not_found["content"]["application/problem+json"]["schema"]["allOf"];
    let expected = ["/problems/no-such-hotel", "/problems/closed"];
    assert_eq!(problem[1]["properties"]["type"]["enum"], json!(expected));
    // This status has two kinds of problem: the endpoint's own and the general one.
    let invalid = &responses["422"]["content"]["application/problem+cbor"]["schema"]["allOf"][1];
    let expected = ["/problems/stars", "about:blank"];
    assert_eq!(invalid["properties"]["type"]["enum"], json!(expected));
    assert_eq!(responses["406"]["$ref"], "#/components/responses/NotAcceptable");
    assert_eq!(responses["default"]["$ref"], "#/components/responses/Failed");
    assert!(responses.get("415").is_none(), "the endpoint takes no body");
    assert!(document["paths"]["/text"]["post"]["responses"].get("415").is_some());
    let created = &document["paths"]["/hotels"]["post"]["responses"]["201"];
    assert_eq!(created["headers"], json!({"location": {"schema": {"type": "string"}}}));
}

#[tokio::test]
async fn serves_the_document_with_negotiation() {
    let head = send(&service(), Request::head("/openapi.json"), "").await;
    let got = fetch("/openapi.json", "*/*").await;
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    assert_eq!(head.headers["content-length"], got.body.len().to_string());
    assert_eq!(fetch("/openapi.json", "application/cbor").await.status, 406);
    let coded = Request::get("/openapi.json").header("accept-encoding", "gzip");
    let coded = send(&service(), coded, "").await;
    assert_eq!(coded.headers["content-encoding"], "gzip");
    assert!(coded.body.len() < got.body.len() / 4);
    assert_eq!(
        fetch("/schema.proto", "*/*").await.headers["content-type"],
        "text/plain; charset=utf-8"
    );
}

#[tokio::test]
async fn serves_no_documents_by_default() {
    let route = || get("/count").returns::<u64>().to(|| async { 1_u64 });
    let api = Api::new("Silent").serve(route());
    assert!(api.documents().expect("documents").proto().is_none(), "the endpoint has JSON only");
    let service = api.build().expect("a valid API");
    assert_eq!(send(&service, Request::get("/openapi.json"), "").await.status, 404);
    let api = Api::new("Told").formats([Format::Protobuf]).documented().serve(route());
    let proto = api.documents().expect("documents");
    let proto = proto.proto().expect("a .proto");
    assert!(proto.contains("message IntegerValue {\n  uint64 value = 1;\n}"), "{proto}");
}

#[tokio::test]
async fn documents_304_for_tagged_responses() {
    let text = || get("/text").returns::<Text>().to(|| async { "a".to_owned() });
    let stream = || get("/stream").returns::<Items<u8>>().to(|| async { Items::from_values(1..2) });
    let made = || post("/made").returns::<Text>().to(|| async { "a".to_owned() });
    let own = || {
        let own = get("/own").returns::<Text>().sends("etag");
        own.to(|| async { "a".to_owned() })
    };
    for (tags, expected) in [
        (EntityTags::None, [false, false, false, true]),
        (EntityTags::Weak, [true, false, false, true]),
        (EntityTags::Strong, [true, false, false, true]),
    ] {
        let api = Api::new("Tags").entity_tags(tags);
        let api = api.serve(text()).serve(stream()).serve(made()).serve(own());
        let documents = api.documents().expect("a valid API");
        let document: Value = serde_json::from_str(documents.openapi()).expect("JSON");
        let paths = [("/text", "get"), ("/stream", "get"), ("/made", "post"), ("/own", "get")];
        for ((path, method), is_tagged) in paths.into_iter().zip(expected) {
            let responses = &document["paths"][path][method]["responses"];
            let etag = json!({"etag": {"schema": {"type": "string"}}});
            assert_eq!(responses["304"]["headers"] == etag, is_tagged, "{tags:?} {path}");
            assert_eq!(responses["200"]["headers"] == etag, is_tagged, "{tags:?} {path}");
        }
    }
}
