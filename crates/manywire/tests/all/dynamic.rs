//! Dynamic values with a shape: the same bytes and documents as the Rust type of that shape.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, StatusCode};
use manywire::content::dynamic::{Arena, Dynamic, Shape, Value, ValueSource};
use manywire::content::{Items, Type};
use manywire::{Api, Format, Service, Shaped, get, post};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: i32,
    name: String,
    rooms: Vec<Room>,
    stars: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Room {
    #[shaped(number = 4)]
    rate: String,
}

fn hotel() -> Hotel {
    let rooms = vec![Room { rate: "rack".to_owned() }, Room { rate: "half".to_owned() }];
    Hotel { id: 7, name: "Zażółć".to_owned(), rooms, stars: Some(4.5) }
}

static RATES: [[(Value<'static>, Value<'static>); 1]; 2] =
    [[(Value::Str("rate"), Value::Str("rack"))], [(Value::Str("rate"), Value::Str("half"))]];
static ROOMS: [Value<'static>; 2] = [Value::Map(&RATES[0]), Value::Map(&RATES[1])];
static HOTEL: [(Value<'static>, Value<'static>); 4] = [
    (Value::Str("id"), Value::I64(7)),
    (Value::Str("name"), Value::Str("Zażółć")),
    (Value::Str("rooms"), Value::Array(&ROOMS)),
    (Value::Str("stars"), Value::F64(4.5)),
];

fn api() -> Api {
    Api::new("Hotels").formats(Format::ALL).documented()
}

/// Returns the API with endpoints of the Rust type.
fn typed() -> Api {
    let one = get("/hotel").returns::<Hotel>();
    let many = get("/hotels").returns::<Items<Hotel>>();
    let echo = post("/echo").body::<Hotel>().returns::<Hotel>();
    api()
        .serve(one.to(|| async { hotel() }))
        .serve(many.to(|| async { Items::from_values([hotel(), hotel()]) }))
        .serve(echo.to(|hotel| async move { hotel }))
}

/// Returns the API with endpoints of the shape.
fn dynamic() -> Api {
    let shape = Type::from(Shape::of::<Hotel>());
    let hotel = || Dynamic::new(Value::Map(&HOTEL));
    let one = get("/hotel").returns_shape(shape.clone());
    let many = get("/hotels").returns_items(shape.clone());
    let echo = post("/echo").body_shape(shape.clone()).returns_shape(shape);
    api()
        .serve(one.to(move || async move { hotel() }))
        .serve(many.to(move || async move { Items::from_values([hotel(), hotel()]) }))
        .serve(echo.to(|hotel| async move { hotel }))
}

fn built(api: Api) -> Service {
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

async fn send(
    service: &Service,
    request: http::request::Builder,
    body: Bytes,
) -> (StatusCode, Option<String>, Bytes) {
    let response = support::send(service, request, body).await;
    let content_type = response.field("content-type").map(str::to_owned);
    (response.status, content_type, response.body)
}

fn media_type(format: Format) -> &'static str {
    match format {
        Format::MsgPackArray => "application/vnd.msgpack;layout=array",
        format => format.row().media_type,
    }
}

#[tokio::test]
async fn dynamic_values_have_the_bytes_of_their_type() {
    let (typed, dynamic) = (built(typed()), built(dynamic()));
    let streams = ["application/x-ndjson", "text/event-stream", "application/cbor-seq"];
    let delimited = ["application/protobuf;delimited=true"];
    let values = Format::ALL.map(|format| ("/hotel", media_type(format)));
    let many =
        streams.into_iter().chain(delimited).chain(["application/json", "application/msgpack"]);
    for (path, accept) in values.into_iter().chain(many.map(|accept| ("/hotels", accept))) {
        let get = || Request::get(path).header("accept", accept);
        let expected = send(&typed, get(), Bytes::new()).await;
        assert_eq!(expected.0, 200, "{accept}");
        assert!(expected.2.len() > 20, "{accept}: {:?}", expected.2);
        assert_eq!(send(&dynamic, get(), Bytes::new()).await, expected, "{path} {accept}");
    }
}

#[tokio::test]
async fn documents_a_shape_like_its_type() {
    let (typed, dynamic) = (typed().documents().unwrap(), dynamic().documents().unwrap());
    assert!(typed.openapi().contains("\"Hotel\""), "{}", typed.openapi());
    assert_eq!(dynamic.openapi(), typed.openapi());
    assert!(typed.proto().unwrap().contains("string rate = 4;"), "{:?}", typed.proto());
    assert_eq!(dynamic.proto(), typed.proto());
    assert_eq!(dynamic.avro(), typed.avro());
}

#[tokio::test]
async fn converts_bodies_between_all_formats() {
    let (typed, dynamic) = (built(typed()), built(dynamic()));
    for from in Format::ALL {
        let get = Request::get("/hotel").header("accept", media_type(from));
        let (_, _, body) = send(&typed, get, Bytes::new()).await;
        for to in Format::ALL {
            let post = || {
                let post = Request::post("/echo").header("content-type", media_type(from));
                post.header("accept", media_type(to))
            };
            let expected = send(&typed, post(), body.clone()).await;
            assert_eq!(expected.0, 200, "{from} to {to}");
            assert_eq!(send(&dynamic, post(), body.clone()).await, expected, "{from} to {to}");
        }
    }
}

#[tokio::test]
async fn reads_both_layouts_of_messagepack_whichever_is_listed() {
    for listed in [Format::MsgPack, Format::MsgPackArray] {
        let formats = [listed, Format::Json];
        let (typed, dynamic) = (built(typed().formats(formats)), built(dynamic().formats(formats)));
        // By name, by position, and by position below a map.
        for body in [
            &b"\x84\xa2id\x07\xa4name\xa4Ritz\xa5rooms\x91\x81\xa4rate\xa4rack\xa5stars\xc0"[..],
            b"\x94\x07\xa4Ritz\x91\x91\xa4rack\xc0",
            b"\x84\xa2id\x07\xa4name\xa4Ritz\xa5rooms\x91\x91\xa4rack\xa5stars\xc0",
        ] {
            let post = || Request::post("/echo").header("content-type", "application/vnd.msgpack");
            let expected = send(&typed, post(), Bytes::from_static(body)).await;
            assert_eq!(expected.0, 200, "{listed}: {expected:?}");
            let found = send(&dynamic, post(), Bytes::from_static(body)).await;
            assert_eq!(found, expected, "{listed}");
        }
        // The error is that of the layout of the body.
        for body in [&b"\x83\xa2id\x07\xa4name\x01\xa5rooms\x90"[..], b"\x93\x07\x01\x90"] {
            let post = Request::post("/echo").header("content-type", "application/vnd.msgpack");
            let post = post.header("accept", "application/json");
            let (status, _, answer) = send(&dynamic, post, Bytes::from_static(body)).await;
            assert_eq!(status, 422, "{listed}: {answer:?}");
            let problem: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
            let error = &problem["errors"][0];
            let text = format!("{} {}", error["path"], error["detail"]);
            assert!(text.contains("$.name"), "{listed}: {problem}");
        }
    }
}

#[derive(Deserialize, Shaped)]
#[allow(dead_code, reason = "only its shape is used")]
struct Renamed {
    id: i32,
    #[serde(alias = "title")]
    name: String,
}

/// Returns the status of a list of `Renamed` in MessagePack, and the text of its first error.
async fn refused_list(body: &'static [u8]) -> (StatusCode, String) {
    let list = post("/list").body_shape(Shape::of::<Vec<Renamed>>()).returns::<u64>();
    let api = Api::new("Lists").formats([Format::MsgPack, Format::Json]);
    let service = built(api.serve(list.to(|_| async { 7_u64 })));
    let post = Request::post("/list").header("content-type", "application/vnd.msgpack");
    let post = post.header("accept", "application/json");
    let (status, _, answer) = send(&service, post, Bytes::from_static(body)).await;
    let problem: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
    let error = &problem["errors"][0];
    (status, format!("{} {}", error["path"], error["detail"]))
}

/// A list is an array in both layouts, so only the items tell by which names it is read.
#[tokio::test]
async fn reports_faults_of_a_list_by_its_own_layout() {
    for body in [
        &b"\x92\x82\xa2id\x01\xa5title\xa1a\x82\xa2id\xa1x\xa4name\xa1b"[..],
        b"\x92\x92\x01\xa1a\x92\xa1x\xa1b",
    ] {
        let (status, text) = refused_list(body).await;
        assert_eq!(status, 422, "{text}");
        assert!(text.contains("$[1].id"), "{text}");
    }
}

#[tokio::test]
async fn reports_faults_of_a_body() {
    let dynamic = built(dynamic());
    let post = || Request::post("/echo").header("content-type", "application/json");
    for (body, status, path, detail) in [
        (r#"{"id":7,"name":1,"rooms":[]}"#, 422, "$", "$.name: expected"),
        (r#"{"id":9999999999,"name":"","rooms":[]}"#, 422, "$", "$.id: expected"),
        (r#"{"id":7,"name":"","rooms":[{}]}"#, 422, "$", "rate"),
        (r#"{"id":7,"name":""#, 400, "$", "expected"),
        ("", 400, "$", ""),
    ] {
        let (found, _, answer) = send(&dynamic, post(), Bytes::from(body)).await;
        assert_eq!(found, status, "{body}: {answer:?}");
        let problem: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
        let error = &problem["errors"][0];
        assert_eq!(error["in"], json!("body"), "{problem}");
        let text = format!("{} {}", error["path"], error["detail"]);
        assert!(text.contains(path) && text.contains(detail), "{body}: {text}");
    }
}

/// A source that counts its reads.
struct CountedSource(Arc<AtomicUsize>);

impl ValueSource for CountedSource {
    fn value<'a>(&'a self, arena: &'a Arena) -> manywire_codec::Result<Value<'a>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Value::Array(arena.alloc_slice_copy(&[Value::I64(1), Value::I64(2)])))
    }
}

#[tokio::test]
async fn caches_what_was_written_for_each_format() {
    let asked = Arc::new(AtomicUsize::new(0));
    let shape = Type::from(Shape::of::<Vec<u8>>());
    let cached = Dynamic::new(CountedSource(Arc::clone(&asked))).cached();
    let service = built(Api::new("Kept").formats([Format::Json, Format::Cbor]).serve(
        get("/").returns_shape(shape).to(move || {
            let cached = cached.clone();
            async move { cached }
        }),
    ));
    for round in 0..3 {
        for (format, expected) in [(Format::Json, &b"[1,2]"[..]), (Format::Cbor, &[0x82, 1, 2])] {
            let get = Request::get("/").header("accept", media_type(format));
            let (_, _, body) = send(&service, get, Bytes::new()).await;
            assert_eq!(body, expected, "{format} {round}");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2, "once for each format");
    }
}

#[tokio::test]
async fn accepts_any_value_without_a_shape() {
    let any = get("/").returns::<Dynamic>();
    let service = built(
        Api::new("Any")
            .formats([Format::Json, Format::MsgPack])
            .serve(any.to(|| async { Dynamic::new(Value::Map(&HOTEL)) })),
    );
    let (status, _, body) = send(&service, Request::get("/"), Bytes::new()).await;
    assert_eq!(status, 200);
    assert_eq!(serde_json::from_slice::<Hotel>(&body).expect("JSON"), hotel());
}

#[test]
fn rejects_a_shape_that_a_format_cannot_represent_at_build() {
    let list = get("/").returns_shape(Shape::of::<u8>());
    let api = Api::new("Scalars").formats([Format::Json, Format::Bson]);
    let invalid = api.serve(list.to(|| async { Dynamic::new(Value::I64(1)) })).build().unwrap_err();
    assert!(invalid.to_string().contains("GET /: BSON has no scalars"), "{invalid}");
}

#[tokio::test]
async fn lists_paths_in_404_if_enabled() {
    let service = built(typed().listing_paths());
    let (status, _, body) = send(&service, Request::get("/nothing"), Bytes::new()).await;
    assert_eq!(status, 404);
    let problem: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    let paths = problem["available"].as_array().expect("paths");
    for path in ["/hotel", "/hotels", "/echo", "/openapi.json", "/schema.proto"] {
        assert!(paths.contains(&json!(path)), "{problem}");
    }
}
