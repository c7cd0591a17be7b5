//! Features of axum handlers: statuses, header fields, failures, optional bodies, layers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use http_body_util::BodyExt;
use manywire::content::{Form, Items, Multipart, Raw, ZeroCopy};
use manywire::{Api, EntityTags, Failure, Format, Limits, Problem, Shaped};
use manywire_axum::{Acceptable, Wire, WireAs, WireLayer, WireRejection};
use serde::{Deserialize, Serialize};
use tower::ServiceExt;
use tower::util::MapResponseLayer;
use tower_layer::Layer;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
    name: String,
}

fn ritz() -> Hotel {
    Hotel { id: 7, name: "Ritz".to_owned() }
}

fn layer() -> WireLayer {
    WireLayer::new([Format::Json, Format::Cbor, Format::Protobuf]).expect("formats that are there")
}

/// Returns a request from a line such as `POST /hotels`, header fields and content.
fn request(line: &str, fields: &[(&str, &str)], body: &'static [u8]) -> Request<Body> {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body)).expect("a request")
}

async fn ask(app: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, Bytes) {
    let (parts, body) = app.clone().oneshot(request).await.expect("an answer").into_parts();
    (parts.status, parts.headers, body.collect().await.expect("a body").to_bytes())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const HOTEL: &[u8] = br#"{"id":7,"name":"Ritz"}"#;

#[tokio::test]
async fn handler_sets_status_and_header_fields() {
    async fn create(Wire(hotel): Wire<Hotel>) -> impl IntoResponse {
        let location = [(header::LOCATION, format!("/hotels/{}", hotel.id))];
        (StatusCode::CREATED, location, [(header::VARY, "origin")], Wire(hotel))
    }
    let app = Router::new().route("/hotels", post(create)).layer(layer());
    let cbor = ("accept", "application/cbor");
    let (status, headers, body) = ask(&app, request("POST /hotels", &[JSON, cbor], HOTEL)).await;
    assert_eq!(status, 201);
    assert_eq!(headers["location"], "/hotels/7");
    assert_eq!(headers["content-type"], "application/cbor");
    let vary: Vec<_> = headers.get_all("vary").iter().collect();
    assert_eq!(vary, ["origin", "accept, accept-encoding"]);
    assert_eq!(body, manywire_codec::cbor::to_vec(&ritz()).expect("CBOR"));
}

#[derive(Failure)]
enum HotelError {
    /// No such hotel
    #[failure(status = 404, type = "/problems/no-such-hotel")]
    NotFound(String),
}

#[tokio::test]
async fn failures_become_problems_in_the_format_of_the_client() {
    async fn find(Path(id): Path<u64>) -> Result<Wire<Hotel>, Wire<Problem>> {
        match id {
            7 => Ok(Wire(ritz())),
            8 => Err(HotelError::NotFound("there is no hotel 8".to_owned()))?,
            _ => Err(Problem::new(StatusCode::GONE).into()),
        }
    }
    async fn odd() -> (StatusCode, [(&'static str, &'static str); 1], Wire<Problem>) {
        let problem = Problem::new(StatusCode::GONE);
        (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "5")], Wire(problem))
    }
    async fn log_out() -> Wire<Problem> {
        let problem = Problem::new(StatusCode::UNAUTHORIZED);
        let cookie = |text| HeaderValue::from_static(text);
        let problem = problem.with_header(header::SET_COOKIE, cookie("sid=; Max-Age=0"));
        Wire(problem.with_header(header::SET_COOKIE, cookie("user=; Max-Age=0")))
    }
    async fn moody() -> ([(&'static str, &'static str); 1], Wire<Problem>) {
        let mood = HeaderValue::from_static("x-mood");
        let problem = Problem::new(StatusCode::GONE).with_header(header::VARY, mood);
        ([("vary", "origin")], Wire(problem))
    }
    let app = Router::new()
        .route("/hotels/{id}", get(find))
        .route("/odd", get(odd))
        .route("/moody", get(moody))
        .route("/log-out", get(log_out))
        .route("/mute", get(|| async { StatusCode::IM_A_TEAPOT }))
        .route("/said", get(|| async { (StatusCode::BAD_REQUEST, "what?") }))
        .layer(layer());
    let cbor = ("accept", "application/cbor");

    let (status, headers, body) = ask(&app, request("GET /hotels/8", &[cbor], b"")).await;
    assert_eq!(
        (status.as_u16(), &headers["content-type"]),
        (404, &"application/problem+cbor".parse().expect("a value"))
    );
    let problem: Problem = manywire_codec::cbor::from_slice(&body).expect("a problem");
    assert_eq!(problem.kind(), "/problems/no-such-hotel");
    assert_eq!(problem.detail(), Some("there is no hotel 8"));
    assert_eq!(ask(&app, request("GET /hotels/9", &[], b"")).await.0, 410);

    // The explicit status overrides that of the problem, in the head and in the body.
    let (status, headers, body) = ask(&app, request("GET /odd", &[], b"")).await;
    let problem: Problem = manywire_codec::json::from_slice(&body).expect("a problem");
    assert_eq!((status.as_u16(), problem.status().as_u16()), (429, 429));
    assert_eq!(headers["retry-after"], "5");

    // Each of the three says on what the response depends.
    let (_, headers, _) = ask(&app, request("GET /moody", &[cbor], b"")).await;
    let vary: Vec<_> = headers.get_all("vary").iter().collect();
    assert_eq!(vary, ["origin", "x-mood", "accept"]);
    assert_eq!(headers.get_all("content-type").iter().count(), 1);

    // A field of a problem may have several lines.
    let (_, headers, _) = ask(&app, request("GET /log-out", &[], b"")).await;
    let cookies: Vec<_> = headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["sid=; Max-Age=0", "user=; Max-Age=0"]);

    let (status, headers, body) = ask(&app, request("GET /mute", &[cbor], b"")).await;
    assert_eq!(
        (status.as_u16(), headers["content-type"].as_bytes()),
        (418, &b"application/problem+cbor"[..])
    );
    let problem: Problem = manywire_codec::cbor::from_slice(&body).expect("a problem");
    assert_eq!(problem.title(), "I'm a teapot");
    // A body from the handler is kept.
    assert_eq!(ask(&app, request("GET /said", &[cbor], b"")).await.2, "what?");
}

#[tokio::test]
async fn rejects_with_406_before_the_handler_runs() {
    let done = Arc::new(AtomicUsize::new(0));
    async fn create(State(done): State<Arc<AtomicUsize>>, Wire(hotel): Wire<Hotel>) -> Wire<Hotel> {
        done.fetch_add(1, Ordering::Relaxed);
        Wire(hotel)
    }
    async fn cancel(_: Acceptable, State(done): State<Arc<AtomicUsize>>) -> Wire<Hotel> {
        done.fetch_add(1, Ordering::Relaxed);
        Wire(ritz())
    }
    let app = Router::new()
        .route("/hotels", post(create).delete(cancel))
        .layer(layer())
        .with_state(Arc::clone(&done));
    for line in ["POST /hotels", "DELETE /hotels"] {
        for wanted in [("accept", "text/html"), ("accept-encoding", "identity;q=0, *;q=0")] {
            let (status, _, body) = ask(&app, request(line, &[JSON, wanted], HOTEL)).await;
            let problem: Problem = manywire_codec::json::from_slice(&body).expect("a problem");
            assert_eq!(status, 406, "{line} {wanted:?}");
            assert!(problem.available().len() >= 3, "{problem:?}");
        }
        assert_eq!(done.swap(0, Ordering::Relaxed), 0, "{line}");
        assert_eq!(ask(&app, request(line, &[JSON], HOTEL)).await.0, 200);
        assert_eq!(done.swap(0, Ordering::Relaxed), 1, "{line}");
    }
    // The response is refused when it is written if no extractor has negotiated before.
    let late = Router::new().route("/", get(|| async { Wire(ritz()) })).layer(layer());
    assert_eq!(ask(&late, request("GET /", &[("accept", "text/html")], b"")).await.0, 406);
}

#[tokio::test]
async fn carries_every_kind_of_content() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Name<'b> {
        name: &'b str,
    }
    async fn optional(hotel: Option<Wire<Hotel>>) -> Wire<bool> {
        Wire(hotel.is_some())
    }
    async fn lent(Wire(name): Wire<ZeroCopy<Name<'static>>>) -> String {
        name.get().name.to_owned()
    }
    async fn form(WireAs(hotel): WireAs<Form<Hotel>>) -> Wire<Hotel> {
        Wire(hotel)
    }
    async fn sum(Wire(mut numbers): Wire<Items<u32>>) -> Result<Wire<u32>, Wire<Problem>> {
        let mut sum = 0;
        while let Some(number) = numbers.next().await {
            sum += number?;
        }
        Ok(Wire(sum))
    }
    let app = Router::new()
        .route("/optional", post(optional))
        .route("/lent", post(lent))
        .route("/form", post(form))
        .route("/sum", post(sum))
        .route("/count", get(|| async { Wire(Items::from_values(1u32..=3)) }))
        .layer(layer());
    assert_eq!(ask(&app, request("POST /optional", &[], b"")).await.2, "false");
    assert_eq!(ask(&app, request("POST /optional", &[JSON], HOTEL)).await.2, "true");
    assert_eq!(ask(&app, request("POST /optional", &[], HOTEL)).await.0, 415);
    assert_eq!(ask(&app, request("POST /lent", &[JSON], br#"{"name":"Ritz"}"#)).await.2, "Ritz");
    let form = ("content-type", "application/x-www-form-urlencoded");
    assert_eq!(ask(&app, request("POST /form", &[form], b"id=7&name=Ritz")).await.2, HOTEL);
    let lines = ("content-type", "application/x-ndjson");
    assert_eq!(ask(&app, request("POST /sum", &[lines], b"1\n2\n3\n")).await.2, "6");
    let (status, _, body) = ask(&app, request("POST /sum", &[lines], b"1\n\"x\"\n")).await;
    let problem: Problem = manywire_codec::json::from_slice(&body).expect("a problem");
    assert_eq!((status.as_u16(), problem.errors()[0].path()), (422, Some("$[1]")));
    let lines = ("accept", "application/x-ndjson");
    assert_eq!(ask(&app, request("GET /count", &[lines], b"")).await.2, "1\n2\n3\n");
}

#[tokio::test]
async fn handler_names_the_coding_of_its_bytes() {
    const CODED: &[u8] = b"\x1f\x8b, and so on";
    const GZIP: [(&str, &str); 1] = [("content-encoding", "gzip")];
    /// Compresses a response as a layer does that knows nothing of the content.
    fn compress(response: Response<Body>) -> Response<Body> {
        let mut response = response.map(|body| Body::from_stream(body.into_data_stream()));
        let gzip = HeaderValue::from_static("gzip");
        response.headers_mut().insert(header::CONTENT_ENCODING, gzip);
        response
    }
    let bytes = || WireAs::<Raw>(Bytes::from_static(CODED));
    let gone = || Wire(Problem::new(StatusCode::GONE));
    let app = Router::new()
        .route("/bytes", get(move || async move { (GZIP, bytes()) }))
        .route("/hotel", get(|| async { (GZIP, Wire(ritz())) }))
        .route("/gone", get(move || async move { (GZIP, gone()) }))
        .route("/mute", get(|| async { (StatusCode::IM_A_TEAPOT, GZIP) }))
        .route(
            "/compressed",
            get(move || async move { bytes() }).layer(MapResponseLayer::new(compress)),
        )
        .layer(layer());
    for (path, coding) in [
        ("/bytes", Some(&b"gzip"[..])),
        ("/hotel", None),
        ("/gone", None),
        ("/mute", None),
        ("/compressed", None),
    ] {
        for method in ["GET", "HEAD"] {
            let line = format!("{method} {path}");
            // The bytes are in no other coding in addition.
            let (_, headers, body) =
                ask(&app, request(&line, &[("accept-encoding", "br")], b"")).await;
            let found = headers.get(header::CONTENT_ENCODING).map(|coding| coding.as_bytes());
            assert_eq!(found, coding, "{line}");
            let is_bytes = method == "GET" && matches!(path, "/bytes" | "/compressed");
            assert_eq!(body == CODED, is_bytes, "{line}: {body:?}");
        }
    }
}

#[tokio::test]
async fn fails_visibly_without_the_layer() {
    let app: Router = Router::new()
        .route("/hotels", post(|Wire(hotel): Wire<Hotel>| async { Wire(hotel) }))
        .route("/hotel", get(|| async { (StatusCode::CREATED, Wire(ritz())) }));
    let (status, _, body) = ask(&app, request("POST /hotels", &[JSON], HOTEL)).await;
    assert_eq!(status, 500);
    assert!(body.starts_with(b"this route has no WireLayer: add .layer("), "{body:?}");
    let answered = app.oneshot(request("GET /hotel", &[], b"")).await.expect("an answer");
    let broken = answered.into_body().collect().await.expect_err("no content");
    assert!(broken.to_string().contains("add .layer(WireLayer::new("), "{broken}");
}

#[tokio::test]
async fn uses_the_layer_nearest_to_the_route() {
    let near = WireLayer::new([Format::MsgPack]).expect("a format");
    let app = Router::new()
        .route("/near", get(|| async { Wire(ritz()) }).layer(near))
        .route("/far", get(|| async { Wire(ritz()) }))
        .layer(layer());
    let any = ("accept", "*/*");
    assert_eq!(
        ask(&app, request("GET /near", &[any], b"")).await.1["content-type"],
        "application/vnd.msgpack"
    );
    assert_eq!(
        ask(&app, request("GET /far", &[any], b"")).await.1["content-type"],
        "application/json"
    );
    // The layer is around the whole router, which removes the content of HEAD responses before the
    // layer sees them.
    let bare = Router::<()>::new().route("/hotel", get(|| async { Wire(ritz()) }));
    let whole = layer().layer(bare);
    for method in ["GET", "HEAD"] {
        let request = request(&format!("{method} /hotel"), &[], b"");
        let answered = whole.clone().oneshot(request).await.expect("an answer");
        assert_eq!(answered.headers()["content-type"], "application/json", "{method}");
        let length = answered.headers().get("content-length").map(|length| length.as_bytes());
        assert_eq!(length, (method == "HEAD").then_some(&b"22"[..]), "{method}");
        let body = answered.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(body.is_empty(), method == "HEAD");
    }
}

#[tokio::test]
async fn uses_the_settings_of_an_api() {
    let api = Api::new("Hotels")
        .formats([Format::Json])
        .untyped_bodies_are(Format::Json)
        .entity_tags(EntityTags::Weak)
        .limits(Limits::DEFAULT.with_body_bytes(30));
    let app = Router::new()
        .route("/hotels", post(|Wire(hotel): Wire<Hotel>| async { Wire(hotel) }))
        .route("/hotel", get(|| async { Wire(ritz()) }))
        .layer(WireLayer::from_api(api).expect("an API"));
    assert_eq!(ask(&app, request("POST /hotels", &[], HOTEL)).await.0, 200);
    let long = br#"{"id":7,"name":"Grand Hotel Europa"}"#;
    assert_eq!(ask(&app, request("POST /hotels", &[], long)).await.0, 413);
    let (_, headers, _) = ask(&app, request("GET /hotel", &[], b"")).await;
    let tag = headers["etag"].to_str().expect("text").to_owned();
    let (status, _, body) = ask(&app, request("GET /hotel", &[("if-none-match", &tag)], b"")).await;
    assert_eq!((status.as_u16(), body.len()), (304, 0));

    let endpoint = manywire::get("/").to(|| async {});
    let mistaken = WireLayer::from_api(Api::new("Hotels").serve(endpoint)).expect_err("endpoints");
    assert!(
        mistaken.to_string().contains("build it with `Api::build` and mount the service"),
        "{mistaken}"
    );
    WireLayer::new([Format::Json; 0]).expect_err("no format");
    let bson = WireLayer::new([Format::Bson]).expect("a format");
    let unfit = bson.carries::<u64>().expect_err("BSON has no scalars");
    assert!(unfit.to_string().contains("BSON has no scalars at the top"), "{unfit}");
}

#[tokio::test]
async fn locks_field_numbers() {
    let locked = |proto: &str| {
        let api = Api::new("Hotels").formats([Format::Protobuf]).schema_lock(proto);
        WireLayer::from_api(api).expect("an API").carries::<Hotel>()
    };
    let layer = locked("syntax = \"proto3\"; message Hotel { string name = 1; uint64 id = 4; }");
    let app = Router::new()
        .route("/hotel", get(|| async { Wire(ritz()) }))
        .layer(layer.expect("numbers that hold"));
    assert_eq!(ask(&app, request("GET /hotel", &[], b"")).await.2, &b"\x20\x07\x0a\x04Ritz"[..]);
    let moved =
        locked("syntax = \"proto3\"; message Hotel { string id = 1; }").expect_err("a string");
    assert!(moved.to_string().contains("id"), "{moved}");
}

/// Parts belong to no message, so a lock fixes no numbers for them.
#[tokio::test]
async fn lock_restricts_parts_to_formats_without_numbers() {
    #[derive(Deserialize, Shaped)]
    struct Upload {
        hotel: Hotel,
    }
    async fn upload(Wire(form): Wire<Multipart<Upload>>) -> Result<Wire<u64>, Wire<Problem>> {
        let Upload { hotel } = form.read().await.map_err(Wire)?;
        Ok(Wire(hotel.id))
    }
    let proto = "syntax = \"proto3\"; message Hotel { string name = 1; uint64 id = 4; }";
    let api = Api::new("Hotels").formats([Format::Json, Format::Protobuf]).schema_lock(proto);
    let layer = WireLayer::from_api(api).expect("an API");
    let app = Router::new().route("/hotels", post(upload)).layer(layer);
    let form = ("content-type", "multipart/form-data; boundary=edge");
    for (body, expected) in [
        (
            &b"--edge\r\nContent-Disposition: form-data; name=\"hotel\"\r\n\
               Content-Type: application/json\r\n\r\n{\"id\":7,\"name\":\"Ritz\"}\r\n--edge--\r\n"
                [..],
            200,
        ),
        (
            b"--edge\r\nContent-Disposition: form-data; name=\"hotel\"\r\n\
              Content-Type: application/protobuf\r\n\r\n\x08\x07\x12\x04Ritz\r\n--edge--\r\n",
            415,
        ),
    ] {
        let (status, _, answer) = ask(&app, request("POST /hotels", &[form], body)).await;
        assert_eq!(status, expected, "{answer:?}");
    }
}

#[tokio::test]
async fn handler_can_replace_a_rejection() {
    async fn create(hotel: Result<Wire<Hotel>, WireRejection>) -> Result<Wire<Hotel>, String> {
        hotel.map_err(|rejection| {
            let problem = rejection.problem();
            format!("{} {}", rejection.status(), problem.errors()[0].path().unwrap_or_default())
        })
    }
    let app = Router::new().route("/hotels", post(create)).layer(layer());
    let body = ask(&app, request("POST /hotels", &[JSON], br#"{"id":-1}"#)).await.2;
    assert_eq!(body, "422 Unprocessable Entity $.id");
}
