//! Constraints of fields and inputs: they are checked in every format and place, all violations are
//! in one problem, and the documents have them.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Request, StatusCode};
use manywire::content::dynamic::Dynamic;
use manywire::content::{Form, Items, Type, ZeroCopy};
use manywire::input::Constraints;
use manywire::{Api, Format, Problem, Route, Service, Shaped, get, post};
use manywire_codec::{cbor, msgpack};
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{Check, Shape};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::send;

#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
struct Hotel {
    #[shaped(length = 1..=10)]
    name: String,
    #[shaped(min = 1, max = 5)]
    stars: u8,
    #[serde(default)]
    rooms: Vec<Room>,
}

#[derive(Clone, Debug, Serialize, Deserialize, Shaped)]
struct Room {
    #[shaped(max = 100)]
    rate: u32,
}

const FORMATS: [Format; 3] = [Format::Json, Format::MsgPack, Format::Cbor];

const WRONG: &str = r#"{"name":"","stars":6,"rooms":[{"rate":100},{"rate":250}]}"#;

fn service(routes: impl IntoIterator<Item = Route>) -> Service {
    let api = Api::new("Hotels").formats(FORMATS).documented();
    let api = routes.into_iter().fold(api, Api::serve);
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

async fn post_json(service: &Service, path: &str, body: &'static str) -> (StatusCode, Value) {
    post_as(service, path, "application/json", body).await
}

async fn post_as(
    service: &Service,
    path: &str,
    content_type: &str,
    body: impl Into<Bytes>,
) -> (StatusCode, Value) {
    let request = Request::post(path).header("content-type", content_type);
    let response = send(service, request, body).await;
    (response.status, response.json())
}

async fn fetch(service: &Service, path: &str) -> (StatusCode, Value) {
    let response = send(service, Request::get(path), "").await;
    (response.status, response.json())
}

fn create() -> Route {
    post("/hotels").body::<Hotel>().returns::<u8>().to(|hotel| async move { hotel.stars })
}

fn faults_of_wrong() -> Value {
    json!([
        {"in": "body", "path": "$.name", "detail": "must have 1 to 10 characters, got 0"},
        {"in": "body", "path": "$.stars", "detail": "must be at most 5, got 6"},
        {"in": "body", "path": "$.rooms[1].rate", "detail": "must be at most 100, got 250"},
    ])
}

#[tokio::test]
async fn a_body_has_all_violations_in_one_problem() {
    let service = service([create()]);
    let (status, body) = post_json(&service, "/hotels", WRONG).await;
    assert_eq!((status, &body["errors"]), (StatusCode::UNPROCESSABLE_ENTITY, &faults_of_wrong()));
    let (status, _) = post_json(&service, "/hotels", r#"{"name":"Ritz","stars":5}"#).await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn violations_are_found_and_reported_in_other_formats() {
    let service = service([create()]);
    let hotel: Hotel = serde_json::from_str(WRONG).expect("a hotel");
    let bodies = [
        ("application/cbor", cbor::to_vec(&hotel).expect("CBOR")),
        ("application/vnd.msgpack", msgpack::to_vec(&hotel).expect("MessagePack")),
    ];
    for (media_type, body) in bodies {
        let request = Request::post("/hotels")
            .header("content-type", media_type)
            .header("accept", "application/cbor");
        let response = send(&service, request, body).await;
        assert_eq!(response.status, StatusCode::UNPROCESSABLE_ENTITY, "{media_type}");
        let problem: Problem = cbor::from_slice(&response.body).expect("a problem");
        let errors = serde_json::to_value(problem.errors()).expect("JSON");
        assert_eq!(errors, faults_of_wrong(), "{media_type}");
    }
}

#[tokio::test]
async fn borrowed_and_dynamic_bodies_are_checked() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Borrowed<'b> {
        #[serde(borrow)]
        #[shaped(length = ..=3)]
        name: std::borrow::Cow<'b, str>,
    }
    let borrowed = post("/borrowed").body::<ZeroCopy<Borrowed<'_>>>().returns::<u8>();
    let dynamic = post("/dynamic").body_shape(Type::from(Shape::of::<Hotel>())).returns::<u8>();
    let service = service([borrowed.to(|_| async { 1 }), dynamic.to(|_: Dynamic| async { 1 })]);
    let (status, body) = post_json(&service, "/borrowed", r#"{"name":"Ritz"}"#).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        body["errors"],
        json!([{"in": "body", "path": "$.name", "detail": "must have at most 3 characters, got 4"}])
    );
    assert_eq!(post_json(&service, "/borrowed", r#"{"name":"Inn"}"#).await.0, StatusCode::OK);
    let (status, body) = post_json(&service, "/dynamic", WRONG).await;
    assert_eq!((status, &body["errors"]), (StatusCode::UNPROCESSABLE_ENTITY, &faults_of_wrong()));
    let (status, _) = post_json(&service, "/dynamic", r#"{"name":"Ritz","stars":5}"#).await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn the_values_of_a_stream_are_checked() {
    let sum = post("/sum").body::<Items<Room>>().returns::<u32>();
    let service = service([sum.to(|mut rooms| async move {
        let mut sum = 0;
        while let Some(room) = rooms.next().await {
            sum += room?.rate;
        }
        Ok::<_, Problem>(sum)
    })]);
    let ndjson = "application/x-ndjson";
    let (status, sum) = post_as(&service, "/sum", ndjson, "{\"rate\":1}\n{\"rate\":2}\n").await;
    assert_eq!((status, sum), (StatusCode::OK, json!(3)));
    let (status, body) = post_as(&service, "/sum", ndjson, "{\"rate\":1}\n{\"rate\":101}\n").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        body["errors"],
        json!([{"in": "body", "path": "$[1].rate", "detail": "must be at most 100, got 101"}])
    );
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Filter {
    #[shaped(min = 1, max = 100)]
    limit: Option<u16>,
    #[serde(default)]
    stars: Vec<Stars>,
    #[shaped(pattern = "^[A-Z]{2}$")]
    country: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, Shaped)]
struct Stars(#[shaped(min = 1, max = 5)] u8);

#[tokio::test]
async fn forms_and_queries_are_checked() {
    let list = get("/hotels").query::<Filter>().returns::<usize>();
    let form = post("/search").body::<Form<Filter>>().returns::<usize>();
    let service = service([
        list.to(|filter| async move { filter.stars.len() }),
        form.to(|filter| async move { filter.stars.len() }),
    ]);
    let wrong = "limit=250&stars=5&stars=9&country=fr";
    let (status, body) = fetch(&service, &format!("/hotels?{wrong}")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let country = "must match the pattern ^[A-Z]{2}$, got \"fr\"";
    assert_eq!(
        body["errors"],
        json!([
            {"in": "query", "name": "limit", "detail": "must be at most 100, got 250"},
            {"in": "query", "name": "stars", "path": "$[1]", "detail": "must be at most 5, got 9"},
            {"in": "query", "name": "country", "detail": country},
        ])
    );
    let form_type = "application/x-www-form-urlencoded";
    let (status, body) = post_as(&service, "/search", form_type, wrong).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        body["errors"],
        json!([
            {"in": "body", "path": "$.limit", "detail": "must be at most 100, got 250"},
            {"in": "body", "path": "$.stars[1]", "detail": "must be at most 5, got 9"},
            {"in": "body", "path": "$.country", "detail": country},
        ])
    );
    assert_eq!(fetch(&service, "/hotels?country=FR&stars=1").await, (StatusCode::OK, json!(1)));
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Page {
    #[serde(rename = "page[size]")]
    #[shaped(max = 100)]
    size: u16,
}

#[tokio::test]
async fn violations_in_queries_have_the_names_of_parameters_with_brackets() {
    let list = get("/hotels").query::<Page>().returns::<u16>();
    let service = service([list.to(|page| async move { page.size })]);
    let (status, body) = fetch(&service, "/hotels?page%5Bsize%5D=250").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        body["errors"],
        json!([{"in": "query", "name": "page[size]", "detail": "must be at most 100, got 250"}])
    );
}

#[cfg(feature = "multipart")]
#[tokio::test]
async fn forms_of_parts_are_checked() {
    use manywire::content::Multipart;

    #[derive(Deserialize, Shaped)]
    struct Upload {
        #[shaped(length = 1..)]
        title: String,
        hotel: Hotel,
    }
    let upload = post("/upload").body::<Multipart<Upload>>().returns::<usize>();
    let service = service([upload.to(|form| async move {
        let Upload { title, hotel } = form.read().await?;
        Ok::<_, Problem>(title.len() + hotel.rooms.len())
    })]);
    let part = |name: &str, rest: &str, content: &str| {
        format!(
            "--edge\r\nContent-Disposition: form-data; name=\"{name}\"{rest}\r\n\r\n{content}\r\n"
        )
    };
    let hotel = part("hotel", "\r\nContent-Type: application/json", WRONG);
    let form = format!("{}{hotel}--edge--\r\n", part("title", "", ""));
    let (status, body) =
        post_as(&service, "/upload", "multipart/form-data; boundary=edge", form).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let paths: Vec<_> =
        body["errors"].as_array().expect("faults").iter().map(|it| it["path"].clone()).collect();
    assert_eq!(paths, ["$.title", "$.hotel.name", "$.hotel.stars", "$.hotel.rooms[1].rate"]);
}

#[tokio::test]
async fn single_inputs_have_constraints() {
    let list = get("/hotels/{code}")
        .path::<String>()
        .constrain(Constraints::new().length(2..=2))
        .parameter::<Option<u32>>("limit")
        .constrain(Constraints::new().min(1).max(100))
        .parameter::<Vec<Stars>>("stars")
        .constrain(Constraints::new().length(..=2))
        .header::<Option<String>>("x-key")
        .constrain(Constraints::new().pattern("^[0-9a-f]+$"))
        .cookie::<Option<u32>>("visits")
        .constrain(Constraints::new().max(9))
        .returns::<u32>();
    let service = service([
        list.to(|_, limit: Option<u32>, _, _, _| async move { limit.unwrap_or_default() })
    ]);
    let request = Request::get("/hotels/fra?limit=250&stars=0&stars=1&stars=2")
        .header("x-key", "secret")
        .header("cookie", "visits=12");
    let response = send(&service, request, "").await;
    assert_eq!(response.status, StatusCode::UNPROCESSABLE_ENTITY);
    // The values of header fields and cookies may be credentials, and are not repeated.
    assert_eq!(
        response.json()["errors"],
        json!([
            {"in": "path", "name": "code", "detail": "must have exactly 2 characters, got 3"},
            {"in": "query", "name": "limit", "detail": "must be at most 100, got 250"},
            {"in": "query", "name": "stars", "path": "$[0]", "detail": "must be at least 1, got 0"},
            {"in": "query", "name": "stars", "detail": "must have at most 2 items, got 3"},
            {"in": "header", "name": "x-key", "detail": "must match the pattern ^[0-9a-f]+$"},
            {"in": "cookie", "name": "visits", "detail": "must be at most 9"},
        ])
    );
    assert_eq!(fetch(&service, "/hotels/fr?limit=7").await, (StatusCode::OK, json!(7)));
    assert_eq!(fetch(&service, "/hotels/fr").await, (StatusCode::OK, json!(0)));
}

#[tokio::test]
async fn the_document_has_the_constraints() {
    let list = get("/hotels")
        .query::<Filter>()
        .parameter::<Option<u32>>("page")
        .constrain(Constraints::new().min(1).max(100))
        .returns::<u8>();
    let service = service([create(), list.to(|_, _| async { 1 })]);
    let (_, document) = fetch(&service, "/openapi.json").await;
    let hotel = &document["components"]["schemas"]["Hotel"]["properties"];
    assert_eq!(hotel["name"], json!({"type": "string", "minLength": 1, "maxLength": 10}));
    assert_eq!(hotel["stars"]["minimum"], 1);
    assert_eq!(hotel["stars"]["maximum"], 5);
    let parameters = document["paths"]["/hotels"]["get"]["parameters"].as_array();
    let schemas: BTreeMap<_, _> = parameters
        .expect("parameters")
        .iter()
        .map(|it| (it["name"].as_str().expect("a name"), &it["schema"]))
        .collect();
    assert_eq!(
        (&schemas["limit"]["minimum"], &schemas["limit"]["maximum"]),
        (&json!(1), &json!(100))
    );
    assert_eq!(
        (&schemas["page"]["minimum"], &schemas["page"]["maximum"]),
        (&json!(1), &json!(100))
    );
    assert_eq!(schemas["stars"]["items"]["maximum"], 5);
    assert_eq!(schemas["country"]["pattern"], "^[A-Z]{2}$");
}

#[test]
fn an_api_with_constraints_that_do_not_suit_is_not_built() {
    let fault = |route: Route| {
        let error = Api::new("Hotels").serve(route).build().expect_err("an invalid API");
        error.faults().join("; ")
    };
    let constrained = |constraints: Constraints| {
        let list = get("/").parameter::<u32>("limit").constrain(constraints).returns::<u8>();
        fault(list.to(|_| async { 1 }))
    };
    assert_eq!(
        constrained(Constraints::new().pattern("^a")),
        "GET /: query limit: `pattern` does not apply to an integer"
    );
    assert_eq!(
        constrained(Constraints::new().min(2).max(1)),
        "GET /: query limit: `min` is above `max`"
    );
    let twice = get("/").parameter::<Option<u32>>("limit");
    let twice = twice.constrain(Constraints::new().min(2)).constrain(Constraints::new().max(3));
    assert!(fault(twice.returns::<u8>().to(|_| async { 1 })).contains("declare all of them"));

    #[derive(Serialize, Deserialize, Shaped)]
    struct Stay {
        #[serde(with = "stars")]
        #[shaped(as = "Vec<Room>")]
        rooms: u8,
    }
    mod stars {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        use super::Room;

        pub(super) fn serialize<S: Serializer>(rooms: &u8, to: S) -> Result<S::Ok, S::Error> {
            vec![Room { rate: 1 }; usize::from(*rooms)].serialize(to)
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
            Vec::<Room>::deserialize(from).map(|rooms| rooms.len() as u8)
        }
    }
    let book = post("/").body::<Stay>().returns::<u8>().to(|_| async { 1 });
    assert!(fault(book).contains("the field `rooms` is written as another type"));
    // A value that only the server writes needs no check.
    let stay = get("/").returns::<Stay>().to(|| async { Stay { rooms: 1 } });
    Api::new("Hotels").serve(stay).build().expect("an API");
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Order {
    #[shaped(min = -2, max = 7, multiple_of = 3)]
    count: i8,
    #[shaped(min = 0.5)]
    weight: Option<f64>,
    #[shaped(length = 1..=2)]
    name: String,
    #[shaped(pattern = r"^[a-c]+\s?$")]
    code: String,
    #[shaped(one_of = ["a", "b"])]
    class: Option<String>,
    #[shaped(one_of = [1, 2, 2.5])]
    factor: f64,
    #[shaped(length = ..=2)]
    stars: Vec<Stars>,
    #[shaped(length = 1..)]
    notes: BTreeMap<String, Stars>,
}

prop_compose! {
    fn order()(
        count in -10_i8..10,
        weight in proptest::option::of((0_u8..8).prop_map(|eighths| f64::from(eighths) / 4.0)),
        name in "[aé😀]{0,3}",
        code in "[a-d]{0,2}[ \u{a0}\u{85}]?",
        class in proptest::option::of("[abc]"),
        factor in (0_u8..7).prop_map(|halves| f64::from(halves) / 2.0),
        stars in proptest::collection::vec((0_u8..8).prop_map(Stars), 0..4),
        notes in proptest::collection::btree_map("[xy]", (1_u8..7).prop_map(Stars), 0..3),
    ) -> Order {
        Order { count, weight, name, code, class, factor, stars, notes }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Few random values satisfy all constraints, so the fields are compared one by one, too.
    #[test]
    fn the_check_and_the_schema_accept_the_same_values(order in order()) {
        let found = Check::run(|check| Shaped::check(&order, check));
        let violated = |field: &str| found.iter().any(|it| it.path[2..].starts_with(field));
        let shape = Shape::of_readable::<Order>();
        let schema: Value = serde_json::from_str(&JsonSchema::of(&shape).to_string()).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let value = serde_json::to_value(&order).unwrap();
        prop_assert_eq!(validator.is_valid(&value), found.is_empty());
        let refused: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.instance_path().to_string())
            .collect();
        for field in ["count", "weight", "name", "code", "class", "factor", "stars", "notes"] {
            let is_refused = refused.iter().any(|path| path[1..].starts_with(field));
            prop_assert_eq!(is_refused, violated(field), "{}: {:?}", field, &found);
        }
    }
}
