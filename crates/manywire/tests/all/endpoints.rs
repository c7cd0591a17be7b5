//! Endpoints as users write them: inputs, several faults at once, replies, scopes, and faults of an
//! API at build.

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::Full;
use manywire::content::{Raw, Text};
use manywire::input::Invalid;
use manywire::{
    Api, Endpoint, EntityTags, Failure, Format, HeaderName, HeaderValue, Problem, Reply, Route,
    Service, Shaped, TrailingSlash, get, header, post, put, scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{TestResponse, call};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
    stars: u8,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "lowercase")]
enum Order {
    Name,
    Stars,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Filter {
    city: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    stars: u8,
    limit: Option<u16>,
    order: Option<Order>,
}

fn service(routes: impl IntoIterator<Item = Route>) -> Service {
    let api = routes.into_iter().fold(Api::new("Test"), Api::serve);
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

async fn send(service: &Service, request: Request<&'static str>) -> TestResponse {
    call(service, request.map(|body| Full::<Bytes>::new(body.into()))).await
}

async fn fetch(service: &Service, path: &str) -> TestResponse {
    send(service, Request::get(path).body("").expect("a request")).await
}

#[tokio::test]
async fn reads_the_query_as_a_record() {
    let list = get("/hotels").query::<Filter>().returns::<Text>();
    let service = service([list.to(|filter| async move { format!("{filter:?}") })]);
    let response =
        fetch(&service, "/hotels?stars=5&city=S%C3%A3o+Paulo&tags=a&tags=b&order=stars").await;
    assert_eq!(
        response.body,
        r#"Filter { city: Some("São Paulo"), tags: ["a", "b"], stars: 5, limit: None, order: Some(Stars) }"#
    );
    let response = fetch(&service, "/hotels?limit=70000&stars=300&city=x").await;
    assert_eq!(response.status, 422);
    assert_eq!(
        response.json()["errors"],
        json!([
            {"in": "query", "name": "stars", "detail": "expected an integer from 0 to 255, found \"300\""},
            {"in": "query", "name": "limit", "detail": "expected an integer from 0 to 65535, found \"70000\""},
        ])
    );
    let response = fetch(&service, "/hotels").await;
    assert_eq!(
        response.json()["errors"],
        json!([{"in": "query", "name": "stars", "detail": "missing required value"}])
    );
    let response = fetch(&service, "/hotels?stars=1&order=price").await;
    assert_eq!(response.status, 422);
    assert_eq!(response.json()["errors"][0]["name"], "order");
    assert_eq!(fetch(&service, "/hotels?stars=%ZZ").await.status, 400);
}

#[tokio::test]
async fn reports_all_faults_at_once() {
    let update = put("/hotels/{id}/{room}")
        .path::<u32>()
        .path::<i8>()
        .header::<bool>("X-Dry-Run")
        .cookie::<u16>("session")
        .parameter::<Option<f64>>("rate")
        .body::<Hotel>()
        .returns::<Hotel>();
    let service = service([update.to(|_, _, _, _, _, hotel| async move { hotel })]);
    let request = |path: &str, dry: &'static str, cookie: &'static str, body: &'static str| {
        Request::put(path)
            .header("content-type", "application/json")
            .header("x-dry-run", dry)
            .header("cookie", cookie)
            .body(body)
            .expect("a request")
    };
    let fine = request("/hotels/7/-1?rate=2.5", "true", "a=b; session=9", r#"{"id":1,"stars":2}"#);
    let response = send(&service, fine).await;
    assert_eq!(response.json(), json!({"id": 1, "stars": 2}));

    let wrong =
        request("/hotels/x/200?rate=much", "yes", "session=-1", "{\"id\": 1,\n \"stars\": 999}");
    let response = send(&service, wrong).await;
    assert_eq!(response.status, 422);
    let found = response.json();
    assert_eq!(found["type"], "about:blank");
    assert_eq!(found["title"], "Unprocessable Entity");
    assert_eq!(found["status"], 422);
    let errors = found["errors"].as_array().expect("errors");
    let places: Vec<_> = errors.iter().map(|error| (&error["in"], &error["name"])).collect();
    let expected = [
        (json!("path"), json!("id")),
        (json!("path"), json!("room")),
        (json!("header"), json!("x-dry-run")),
        (json!("cookie"), json!("session")),
        (json!("query"), json!("rate")),
        (json!("body"), Value::Null),
    ];
    assert_eq!(places, expected.iter().map(|(place, name)| (place, name)).collect::<Vec<_>>());
    assert_eq!(errors[5]["path"], "$.stars");
    assert_eq!((&errors[5]["line"], &errors[5]["column"]), (&json!(2), &json!(13)));
    assert_eq!(errors[1]["detail"], "expected an integer from -128 to 127, found \"200\"");

    let broken = request("/hotels/x/1", "true", "session=1", "{");
    assert_eq!(send(&service, broken).await.status, 400, "bytes that are not JSON come first");
}

#[tokio::test]
async fn a_parameter_under_an_alias_is_not_missing() {
    #[derive(Debug, Deserialize, Serialize, Shaped)]
    struct Search {
        #[serde(alias = "q")]
        text: String,
        #[serde(alias = "l")]
        limit: u8,
    }
    let search = get("/search").query::<Search>().returns::<String>();
    let service = service([search.to(|search: Search| async move { search.text })]);
    let response = fetch(&service, "/search?q=ritz&l=many").await;
    assert_eq!(response.status, 422);
    let errors = response.json()["errors"].clone();
    let names: Vec<_> = errors.as_array().expect("errors").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["l"], "{errors}");
}

#[derive(Debug, Failure)]
enum Missing {
    #[failure(status = 410, type = "/gone")]
    Gone(String),
}

#[tokio::test]
async fn accepts_values_replies_and_results_of_handlers() {
    let find = || get("/{id}").path::<u64>().returns::<Hotel>();
    let hotel = |id| Hotel { id, stars: 1 };
    let value = service([find().to(move |id| async move { hotel(id) })]);
    let reply = service([find().to(move |id| async move {
        Reply::new(hotel(id))
            .with_status(StatusCode::ACCEPTED)
            .with_location("/ü berall")
            .with_header(header::VARY, HeaderValue::from_static("x-mood"))
    })]);
    let result = service([find().fails::<Missing>().to(move |id| async move {
        if id == 0 { Err(Missing::Gone(format!("{id} is gone"))) } else { Ok(hotel(id)) }
    })]);
    assert_eq!(fetch(&value, "/3").await.json(), json!({"id": 3, "stars": 1}));
    let response = fetch(&reply, "/3").await;
    assert_eq!(response.status, 202);
    assert_eq!(response.headers["location"], "/%C3%BC%20berall");
    let vary: Vec<_> = response.headers.get_all("vary").iter().collect();
    assert_eq!(vary, ["x-mood", "accept, accept-encoding"]);
    assert_eq!(fetch(&result, "/3").await.status, 200);
    let response = fetch(&result, "/0").await;
    assert_eq!(response.status, 410);
    assert_eq!(response.headers["content-type"], "application/problem+json");
    assert_eq!(
        response.json(),
        json!({"type": "/gone", "title": "Gone", "status": 410, "detail": "0 is gone"})
    );
}

/// A handler may pass on the fields of a response that it received.
#[tokio::test]
async fn fields_of_a_handler_do_not_describe_how_the_content_is_sent() {
    let described = ["content-encoding", "content-length", "transfer-encoding"];
    let fields = move || -> HeaderMap {
        let names = described.into_iter().chain(["x-origin"]).map(HeaderName::from_static);
        names.map(|name| (name, HeaderValue::from_static("9"))).collect()
    };
    let value = get("/value")
        .returns::<u8>()
        .to(move || async move { Reply::new(7_u8).with_headers(fields()) });
    let problem = get("/problem").returns::<u8>().to(move || async move {
        let (problem, fields) = (Problem::new(StatusCode::CONFLICT), fields());
        let add = |problem: Problem, (name, value): (&HeaderName, &HeaderValue)| {
            problem.with_header(name.clone(), value.clone())
        };
        Err::<u8, _>(fields.iter().fold(problem, add))
    });
    let service = service([value, problem]);
    for (path, status) in [("/value", 200), ("/problem", 409)] {
        let response = fetch(&service, path).await;
        assert_eq!(response.status, status);
        for name in described {
            assert!(!response.headers.contains_key(name), "{path}: {:?}", response.headers);
        }
        assert_eq!(response.headers["x-origin"], "9");
    }
}

#[tokio::test]
async fn sends_bytes_in_the_coding_of_the_handler() {
    const STORED: &[u8] = b"bytes that are stored in gzip";
    let stored = get("/stored").returns::<Raw>().to(|| async {
        let gzip = HeaderValue::from_static("gzip");
        Reply::new(Bytes::from_static(STORED)).with_header(header::CONTENT_ENCODING, gzip)
    });
    let api = Api::new("Test").entity_tags(EntityTags::Weak).serve(stored);
    let service = api.build().expect("a valid API");
    let mut tags = Vec::new();
    for accepted in ["gzip", "zstd", "zstd, identity;q=0"] {
        let request = Request::get("/stored").header("accept-encoding", accepted);
        let response = send(&service, request.body("").expect("a request")).await;
        assert_eq!(response.headers["content-encoding"], "gzip", "{accepted}");
        assert_eq!(response.body, STORED, "{accepted}");
        tags.push(response.headers["etag"].clone());
    }
    // The content is the same whatever the client accepts, and so is its tag.
    tags.dedup();
    assert_eq!(tags.len(), 1, "{tags:?}");
}

#[tokio::test]
async fn a_refused_coding_varies_by_the_accepted_codings() {
    let service = service([get("/name").returns::<Text>().to(|| async { "Ada".to_owned() })]);
    let request = Request::get("/name").header("accept-encoding", "identity;q=0, *;q=0");
    let response = send(&service, request.body("").expect("a request")).await;
    assert_eq!(response.status, 406);
    let vary: Vec<_> = response.headers.get_all("vary").iter().collect();
    assert_eq!(vary, ["accept", "accept-encoding"]);
}

#[tokio::test]
async fn responds_204_without_content() {
    let service = service([get("/health").to(|| async {})]);
    for method in ["GET", "HEAD"] {
        let request = Request::builder().method(method).uri("/health");
        let response = send(&service, request.body("").expect("a request")).await;
        assert_eq!(response.status, 204);
        for name in ["content-type", "content-length"] {
            assert!(!response.headers.contains_key(name), "{method}: {name}");
        }
    }
}

#[tokio::test]
async fn a_status_without_content_has_none() {
    let reply = |status: u16| {
        let status = StatusCode::from_u16(status).expect("a status");
        Reply::new(Hotel { id: 7, stars: 5 })
            .with_status(status)
            .with_header(header::ETAG, HeaderValue::from_static("\"x\""))
            .with_header(header::CONTENT_LANGUAGE, HeaderValue::from_static("en"))
    };
    let service = service([
        get("/reply/{status}")
            .path::<u16>()
            .returns::<Hotel>()
            .to(move |status| async move { reply(status) }),
        get("/bare/{status}").path::<u16>().returns::<Hotel>().to(move |status| async move {
            let status = StatusCode::from_u16(status).expect("a status");
            Reply::new(Hotel { id: 7, stars: 5 }).with_status(status)
        }),
        get("/problem/{status}").path::<u16>().returns::<Hotel>().to(|status| async move {
            let status = StatusCode::from_u16(status).expect("a status");
            Err::<Hotel, _>(Problem::new(status))
        }),
        get("/relayed/{status}").path::<u16>().returns::<Hotel>().to(|status| async move {
            let problem = json!({"title": "Relayed", "status": status});
            Err::<Hotel, _>(serde_json::from_value::<Problem>(problem).expect("a problem"))
        }),
    ]);
    for status in [204, 205, 304] {
        for path in ["reply", "bare", "problem"] {
            for method in ["GET", "HEAD"] {
                let request = Request::builder().method(method).uri(format!("/{path}/{status}"));
                let response = send(&service, request.body("").expect("a request")).await;
                let case = format!("{method} /{path}/{status}");
                assert_eq!(
                    (response.status.as_u16(), &*response.body),
                    (status, &b""[..]),
                    "{case}"
                );
                for name in ["content-type", "content-length", "content-language"] {
                    assert!(!response.headers.contains_key(name), "{case}: {name}");
                }
                let tag = response.headers.get("etag").map(|tag| tag.as_bytes());
                assert_eq!(tag, (path == "reply").then_some(&b"\"x\""[..]), "{case}");
                assert!(response.headers.contains_key("vary"), "{case}");
            }
        }
    }
    // Other statuses have content.
    let response = fetch(&service, "/reply/203").await;
    assert_eq!(response.json(), json!({"id": 7, "stars": 5}));
    // The client would wait for another response after an informational one. No status is above 599.
    for status in [100, 101, 103, 199, 600, 999] {
        for path in ["reply", "bare", "problem"] {
            let response = fetch(&service, &format!("/{path}/{status}")).await;
            assert_eq!(response.status, 500, "/{path}/{status}");
            assert_eq!(response.json()["status"], 500, "/{path}/{status}");
        }
        assert_eq!(fetch(&service, &format!("/relayed/{status}")).await.status, 500, "{status}");
    }
    assert_eq!(fetch(&service, "/relayed/409").await.status, 409);
}

#[tokio::test]
async fn sends_bytes_and_text() {
    let reverse = post("/reverse").body::<Raw>().returns::<Raw>();
    let shout = post("/shout").body::<Text>().returns::<Text>();
    let service = service([
        reverse.to(|bytes: Bytes| async move { bytes.iter().rev().copied().collect::<Bytes>() }),
        shout.to(|text| async move { text.to_uppercase() }),
    ]);
    let request = |path: &str, content_type: &'static str| {
        Request::post(path).header("content-type", content_type).body("stone").expect("a request")
    };
    let response = send(&service, request("/reverse", "image/png")).await;
    assert_eq!(response.body, "enots");
    assert_eq!(response.headers["content-type"], "application/octet-stream");
    assert_eq!(send(&service, request("/shout", "text/markdown")).await.body, "STONE");
    assert_eq!(send(&service, request("/shout", "application/json")).await.status, 415);
}

#[tokio::test]
async fn maps_and_validates_inputs() {
    let even = get("/{n}")
        .path::<u32>()
        .validate(|n| if n % 2 == 0 { Ok(()) } else { Err("expected an even number".into()) })
        .map(|n| n / 2)
        .returns::<u32>();
    let service = service([even.to(|half| async move { half })]);
    assert_eq!(fetch(&service, "/8").await.body, "4");
    let response = fetch(&service, "/7").await;
    assert_eq!(response.status, 422);
    assert_eq!(
        response.json()["errors"],
        json!([{"in": "path", "name": "n", "detail": "expected an even number"}])
    );
}

#[tokio::test]
async fn a_failed_check_names_the_fields() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Stay {
        nights: u32,
        guests: u32,
    }
    fn check(stay: &Stay) -> Result<(), Invalid> {
        Invalid::all([
            (stay.nights == 0).then(|| Invalid::at("$.nights", "expected at least one night")),
            (stay.guests > 8).then(|| Invalid::at("$.guests", "expected at most 8 guests")),
            (stay.nights > 365).then(|| "expected a shorter stay".into()),
        ])
    }
    let book = post("/stays").body::<Stay>().validate(check).returns::<u32>();
    let list = get("/stays").query::<Stay>().validate(check).returns::<u32>();
    let service = service([
        book.to(|stay| async move { stay.nights }),
        list.to(|stay| async move { stay.guests }),
    ]);
    let request = |body: &'static str| {
        let request = Request::post("/stays").header("content-type", "application/json");
        request.body(body).expect("a request")
    };
    assert_eq!(send(&service, request(r#"{"nights":2,"guests":8}"#)).await.body, "2");
    let response = send(&service, request(r#"{"nights":0,"guests":9}"#)).await;
    assert_eq!(response.status, 422);
    assert_eq!(
        response.json()["errors"],
        json!([
            {"in": "body", "path": "$.nights", "detail": "expected at least one night"},
            {"in": "body", "path": "$.guests", "detail": "expected at most 8 guests"},
        ])
    );
    assert_eq!(
        send(&service, request(r#"{"nights":400,"guests":1}"#)).await.json()["errors"],
        json!([{"in": "body", "path": "$", "detail": "expected a shorter stay"}])
    );
    assert_eq!(fetch(&service, "/stays?nights=2&guests=8").await.body, "8");
    assert_eq!(
        fetch(&service, "/stays?nights=400&guests=9").await.json()["errors"],
        json!([
            {"in": "query", "name": "guests", "detail": "expected at most 8 guests"},
            {"in": "query", "detail": "expected a shorter stay"},
        ])
    );
}

#[tokio::test]
async fn scopes_share_prefixes_and_inputs() {
    let tenants = scope("/tenants/{tenant}").path::<u32>().header::<String>("authorization");
    let hotels = tenants.scope("/hotels");
    let find = hotels.get("/{id}").path::<u64>().returns::<Text>();
    let service = service([
        find.to(|tenant, key, id| async move { format!("{tenant} {key} {id}") }),
        tenants.get("").returns::<Text>().to(|tenant, _| async move { format!("{tenant}") }),
    ]);
    let request =
        |path: &str| Request::get(path).header("authorization", "me").body("").expect("a request");
    assert_eq!(send(&service, request("/tenants/4/hotels/5")).await.body, "4 me 5");
    assert_eq!(send(&service, request("/tenants/4")).await.body, "4");
    assert_eq!(fetch(&service, "/tenants/4").await.status, 422);
}

#[tokio::test]
async fn trailing_slashes_follow_the_policy() {
    for (policy, status) in [
        (TrailingSlash::Distinct, 404),
        (TrailingSlash::Ignore, 200),
        (TrailingSlash::Redirect, 308),
    ] {
        let find = get("/hotels/{id}").path::<u64>().returns::<u64>();
        let api = Api::new("Test").trailing_slash(policy).serve(find.to(|id| async move { id }));
        let service = api.build().expect("a valid API");
        let response = fetch(&service, "/hotels/7/?a=b").await;
        assert_eq!(response.status, status, "{policy:?}");
        if policy == TrailingSlash::Redirect {
            assert_eq!(response.headers["location"], "../7?a=b");
        }
        assert_eq!(fetch(&service, "/hotels/7").await.status, 200);
        assert_eq!(fetch(&service, "//example.org/").await.status, 404);
    }
}

#[tokio::test]
async fn a_redirect_is_relative_to_the_last_segment() {
    let api = Api::new("Test").trailing_slash(TrailingSlash::Redirect);
    let service = ["/", "/hotels/", "/hotels/rooms/", "/all"]
        .into_iter()
        .fold(api, |api, pattern| api.serve(get(pattern).to(|| async {})))
        .build()
        .expect("a valid API");
    for (path, location) in [
        ("/hotels", "./hotels/"),
        ("/hotels?a=/b", "./hotels/?a=/b"),
        ("/hotels/rooms", "./rooms/"),
        ("/all/", "../all"),
        // Relative to `/hotels//`, `../` is `/hotels/`.
        ("/hotels//", "../"),
        ("/hotels//?a=b", "../?a=b"),
        ("//", "../"),
    ] {
        let response = fetch(&service, path).await;
        assert_eq!(response.status, 308, "{path}");
        assert_eq!(response.headers["location"], location, "{path}");
    }
}

#[tokio::test]
async fn a_redirect_stays_on_the_server() {
    let page = get("/{one}/{other}").path::<String>().path::<String>().returns::<Text>();
    let api = Api::new("Test").trailing_slash(TrailingSlash::Redirect);
    let service = api.serve(page.to(|one, _| async move { one })).build().expect("a valid API");
    // A path with invalid percent-encoding has no normal form, which would encode the backslash.
    let response = fetch(&service, "/\\example.org/%zz/").await;
    assert_eq!(response.status, 308);
    assert_eq!(response.headers["location"], "../%zz");
}

#[tokio::test]
async fn matches_patterns_regardless_of_percent_encoding() {
    let cafe = get("/café/{*rest}").path::<String>().returns::<Text>();
    let service = service([cafe.to(|rest| async move { rest })]);
    assert_eq!(fetch(&service, "/caf%c3%a9/a/b%20c").await.body, "a/b c");
    assert_eq!(fetch(&service, "/%63af%C3%A9/x").await.body, "x");
}

#[tokio::test]
async fn routes_by_the_normalized_path() {
    let page = get("/{page}").path::<String>().returns::<Text>();
    let own = get("/a-%62%2fc").returns::<Text>();
    let service = service([
        page.to(|page| async move { page }),
        own.to(|| async { "its own".to_owned() }),
        get("/admin").returns::<Text>().to(|| async { "admin".to_owned() }),
    ]);
    for (path, expected) in [
        ("/admin", "admin"),
        ("/%61dmin", "admin"),
        ("/admi%6e", "admin"),
        ("/admin%2F", "admin/"),
        ("/a-b%2Fc", "its own"),
        ("/%61%2db%2fc", "its own"),
    ] {
        assert_eq!(fetch(&service, path).await.body, expected, "{path}");
    }
}

#[tokio::test]
async fn text_beside_a_capture_hides_no_other_pattern() {
    let json = get("/{name}.json/a").path::<String>().returns::<Text>();
    let page = get("/{page}/{*rest}").path::<String>().path::<String>().returns::<Text>();
    let service = service([
        json.to(|name| async move { format!("json {name}") }),
        page.to(|page, rest| async move { format!("page {page} {rest}") }),
        get("/{x}A9").path::<String>().returns::<Text>().to(|x| async move { x }),
    ]);
    for (path, expected) in [
        ("/x.json/a", "json x"),
        ("/x.json/b", "page x.json b"),
        ("/x%2ejson/%62", "page x.json b"),
        ("/x.json/a/b", "page x.json a/b"),
        ("/x/a", "page x a"),
        ("/caf%C3%A9A9", "café"),
    ] {
        assert_eq!(fetch(&service, path).await.body, expected, "{path}");
    }
    for (path, status) in [("/.json", 404), ("/caf%C3%A9", 404), ("/x/a%", 400)] {
        assert_eq!(fetch(&service, path).await.status, status, "{path}");
    }
}

#[test]
fn reports_all_faults_of_an_api_at_build() {
    let ok = |pattern: &str| get(pattern).to(|| async {});
    let scalar: Endpoint<(), u32> = get("/scalar").returns::<u32>().formats([Format::Bson]);
    let error = Api::new("Broken")
        .serve(ok("no-slash"))
        .serve(ok("/same"))
        .serve(ok("/same"))
        .serve(ok("/{taken}"))
        .serve(get("/{a}/x").path::<u32>().path::<u32>().to(|_, _| async {}))
        .serve(get("/{a}/y/{a}").path::<u32>().path::<u32>().to(|_, _| async {}))
        .serve(ok("/{{a}}"))
        .serve(get("/{/}").path::<u32>().to(|_| async {}))
        .serve(ok("/100%"))
        .serve(get("/status").status(99).to(|| async {}))
        .serve(get("/early").status(103).to(|| async {}))
        .serve(get("/beyond").status(600).to(|| async {}))
        .serve(get("/empty").status(204).returns::<u32>().to(|| async { 7 }))
        .serve(get("/none").formats([Format::Json; 0]).to(|| async {}))
        .serve(scalar.to(|| async { 7 }))
        .build()
        .expect_err("all inputs are invalid");
    let expected = [
        "GET no-slash: the path must begin with a slash",
        "GET /same: there is already an endpoint GET /same",
        "GET /{taken}: the path names 1 segments and the endpoint takes 0: add `.path::<T>()` for each",
        "GET /{a}/x: the path names 1 segments and the endpoint takes 2: add `.path::<T>()` for each",
        "GET /{a}/y/{a}: the path names {a} twice",
        "GET /{{a}}: unbalanced brace: write %7B or %7D for a literal brace",
        "GET /{/}: a named segment has a name: {id}, or {*rest} at the end",
        "GET /100%: a percent sign that begins no percent-encoding must be written %25",
        "GET /status: invalid response status 99: expected 200 to 599",
        "GET /early: invalid response status 103: expected 200 to 599",
        "GET /beyond: invalid response status 600: expected 200 to 599",
        "GET /empty: a response with status 204 has no content: set another status, or return nothing",
        "GET /none: no format is listed: name one by `.formats([Format::Json])`",
        "GET /scalar: BSON has no scalars at the top: return a record, or leave bson out of the formats",
    ];
    assert_eq!(error.faults(), expected);
    assert!(error.to_string().starts_with("the API \"Broken\" cannot be served\n  GET no-slash"));
}

/// A handler's `Result` reserves room for a problem in every future and response, so a problem is
/// one word.
#[test]
fn problem_is_one_pointer_in_size() {
    assert_eq!(size_of::<manywire::Problem>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), manywire::Problem>>(), size_of::<usize>());
}
