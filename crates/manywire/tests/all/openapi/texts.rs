//! The texts, tags and examples that users give for the document.

use manywire::content::{Form, Items, Text};
use manywire::{Api, InvalidApi, Route, Shaped, get, post, scope};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Serialize, Deserialize, Shaped)]
struct Stay {
    guest: String,
    nights: u8,
    address: std::net::Ipv4Addr,
    #[serde(with = "serde_bytes")]
    token: Vec<u8>,
}

/// The part of the crate of this name that the derive knows.
mod serde_bytes {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        Vec::deserialize(from)
    }
}

fn stay() -> Stay {
    let (guest, address) = ("Ada".to_owned(), std::net::Ipv4Addr::LOCALHOST);
    Stay { guest, nights: 2, address, token: vec![1, 255] }
}

fn document(api: &Api) -> Value {
    serde_json::from_str(api.documents().expect("a valid API").openapi()).expect("JSON")
}

fn faults(route: Route) -> Vec<String> {
    let built: Result<_, InvalidApi> = Api::new("Stays").serve(route).build();
    built.err().map(|error| error.faults().to_vec()).unwrap_or_default()
}

#[test]
fn documents_the_texts_of_the_api() {
    let health = || get("/health").to(|| async {});
    let plain = document(&Api::new("Stays").serve(health()));
    assert_eq!(plain["info"], json!({"title": "Stays", "version": "1"}));
    assert_eq!(plain["servers"], json!([{"url": "/"}]));
    assert_eq!((plain.get("tags"), &plain["security"]), (None, &json!([])));

    let api = Api::new("Stays").version("2").description("All *stays*.").license("Apache-2.0");
    let api = api.server("https://stays.example", "Production").server("/", "");
    let full = document(&api.tag("stays", "Stays of guests").serve(health()));
    assert_eq!(
        full["info"],
        json!({
            "title": "Stays", "description": "All *stays*.", "version": "2",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        })
    );
    assert_eq!(
        full["servers"],
        json!([{"url": "https://stays.example", "description": "Production"}, {"url": "/"}])
    );
    assert_eq!(full["tags"], json!([{"name": "stays", "description": "Stays of guests"}]));
    let own = Api::new("Own").license_at("Our terms", "https://stays.example/terms");
    let license = json!({"name": "Our terms", "url": "https://stays.example/terms"});
    assert_eq!(document(&own)["info"]["license"], license);
}

/// Collects the descriptions within a value.
fn descriptions<'d>(value: &'d Value, found: &mut Vec<&'d str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("description").and_then(Value::as_str));
            members.values().for_each(|value| descriptions(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| descriptions(item, found)),
        _ => {}
    }
}

#[test]
fn shows_no_comment_of_the_library() {
    let api = Api::new("Stays").serve(get("/health").to(|| async {}));
    let document = document(&api);
    let mut found = Vec::new();
    descriptions(&document["components"]["schemas"], &mut found);
    found.sort_unstable();
    // Written for readers of the document.
    assert_eq!(
        found,
        [
            "One fault of a request: an input that the endpoint does not accept.",
            "Problem details (RFC 9457).",
            "The location of an input in a request.\n\n- `path`: A segment of the path.\n- `query`: A \
             parameter of the query.\n- `header`: A header field.\n- `cookie`: A cookie.\n- `body`: The \
             body.",
        ]
    );
}

#[test]
fn documents_the_texts_of_an_endpoint() {
    let stays = scope("/stays").tag("stays");
    let find = stays.get("").returns::<Text>().named("findStays").summary("Finds stays");
    let find = find.description("In the order of arrival.").tag("search").deprecated();
    // The name that method and path give is taken.
    let other = get("/find").returns::<Text>().named("getHealth");
    let health = get("/health");
    let api = Api::new("Stays")
        .serve(health.to(|| async {}))
        .serve(find.to(|| async { String::new() }))
        .serve(other.to(|| async { String::new() }));
    let document = document(&api);
    let mut find = document["paths"]["/stays"]["get"].clone();
    find.as_object_mut().expect("an object").remove("responses");
    assert_eq!(
        find,
        json!({
            "operationId": "findStays", "tags": ["stays", "search"], "summary": "Finds stays",
            "description": "In the order of arrival.", "deprecated": true,
        })
    );
    assert_eq!(document["tags"], json!([{"name": "stays"}, {"name": "search"}]));
    assert_eq!(document["paths"]["/health"]["get"]["operationId"], "getHealth2");
    api.build().expect("a valid API");
}

#[test]
fn documents_the_texts_of_inputs() {
    let find = get("/stays/{id}").path::<u64>().header::<Option<u8>>("X-Floor");
    let find = find.describe("id", "The number of the stay.").describe("X-Floor", "As in lifts.");
    let api = Api::new("Stays").serve(find.to(|_, _| async {}));
    let parameters = &document(&api)["paths"]["/stays/{id}"]["get"]["parameters"];
    let texts: Vec<Value> = parameters
        .as_array()
        .expect("parameters")
        .iter()
        .map(|parameter| json!([parameter["name"], parameter["description"]]))
        .collect();
    let expected = [json!(["id", "The number of the stay."]), json!(["x-floor", "As in lifts."])];
    assert_eq!(texts, expected);
    api.build().expect("a valid API");
    assert_eq!(
        faults(get("/stays").describe("page", "").to(|| async {})),
        [r#"GET /stays: the endpoint has no input "page" to describe"#]
    );
}

#[test]
fn refuses_two_endpoints_with_one_name() {
    let one = get("/one").named("one").to(|| async {});
    let two = post("/two").named("one").to(|| async {});
    let error = Api::new("Names").serve(one).serve(two).build().expect_err("a repeated name");
    assert_eq!(error.faults(), [r#"POST /two: another endpoint is named "one", too"#]);
}

#[test]
fn documents_examples_in_readable_media_types() {
    let create = post("/stays").body::<Stay>().returns::<Items<Stay>>();
    let create = create.formats([manywire::Format::Json, manywire::Format::Cbor]);
    let create = create.body_example("short", &stay()).example("two", &[stay(), stay()]);
    let api = Api::new("Stays")
        .serve(create.to(|stay| async { Items::from_values(std::iter::once(stay)) }));
    let operation = &document(&api)["paths"]["/stays"]["post"];
    let value = json!({"guest": "Ada", "nights": 2, "address": "127.0.0.1", "token": [1, 255]});
    let content = &operation["requestBody"]["content"];
    assert_eq!(content["application/json"]["examples"], json!({"short": {"value": value}}));
    assert_eq!(content["application/cbor"].get("examples"), None);
    let content = &operation["responses"]["200"]["content"];
    let two = json!({"two": {"value": [value, value]}});
    assert_eq!(content["application/json"]["examples"], two);
    api.build().expect("the examples fit");

    let greet = post("/greet").body::<Form<Stay>>().returns::<Text>();
    let greet = greet.body_example("short", &stay()).example("hello", "Hello, Ada");
    let api = Api::new("Stays").serve(greet.to(|_| async { String::new() }));
    let operation = &document(&api)["paths"]["/greet"]["post"];
    let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"];
    assert_eq!(form["examples"], json!({"short": {"value": value}}));
    let text = &operation["responses"]["200"]["content"]["text/plain"]["examples"];
    assert_eq!(*text, json!({"hello": {"value": "Hello, Ada"}}));
}

#[test]
fn refuses_examples_that_do_not_fit() {
    let find = || get("/stay").returns::<Stay>();
    assert_eq!(faults(find().example("one", &stay()).to(|| async { stay() })), [""; 0]);
    // As `serde_json` has it, with text for the address.
    let mut value = serde_json::to_value(stay()).expect("JSON");
    value["nights"] = json!("two");
    assert_eq!(
        faults(find().example("bad", &value).to(|| async { stay() })),
        [
            "GET /stay: the example \"bad\": $.nights: expected an unsigned integer of 8 bits, found \
             the string \"two\""
        ]
    );
    assert_eq!(
        faults(find().body_example("none", &1).to(|| async { stay() })),
        [r#"GET /stay: the example "none": only text and content with a type can have examples"#]
    );
    let stream = get("/stays").returns::<Items<u8>>();
    let route = |value: &Value| {
        let stream = stream.clone().example("items", value);
        stream.to(|| async { Items::from_values(0..1) })
    };
    assert_eq!(faults(route(&json!([1, 2]))), [""; 0]);
    let list = r#"GET /stays: the example "items": expected a list of the values of the stream"#;
    assert_eq!(faults(route(&json!(1))), [list]);
    assert_eq!(faults(route(&json!([1, 256]))).len(), 1);
}
