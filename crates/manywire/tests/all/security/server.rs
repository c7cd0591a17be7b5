//! The answers of a server to requests with and without credentials.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Request, header};
use http_body::Frame;
use manywire::content::{NoContent, Text};
use manywire::security::{
    CredentialsWriter, Either, InvalidCredentials, Scheme, Secret, SecurityScheme, UserAndPassword,
    basic, bearer, key_in_cookie, key_in_header, key_in_query,
};
use manywire::{
    Api, EntityTags, Failure, Fault, InputLocation, Problem, Route, Service, StatusCode, get, put,
    scope,
};
use serde_json::json;

use super::service::{ADA, BOB, Users, bearing, challenges, fetch, service};
use crate::support::{call, send};

#[tokio::test]
async fn accepts_valid_credentials() {
    let service = service(Users::default());
    let answer = fetch(&service, "/orders/3", &[("authorization", &bearing(ADA))]).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json(), json!({"id": 3, "text": "an order of Ada"}));
    let answer =
        fetch(&service, "/orders/3", &[("authorization", &format!("bearer  {BOB}"))]).await;
    assert_eq!(answer.json()["text"], "an order of Bob");
    let answer = fetch(&service, "/admin/lookups", &[("authorization", &bearing(ADA))]).await;
    assert_eq!(answer.text(), "3");
    assert_eq!(fetch(&service, "/open", &[]).await.text(), "open");
}

#[tokio::test]
async fn challenges_requests_without_valid_credentials() {
    let users = Users::default();
    let service = service(users.clone());
    // Credentials come before the other inputs: this path would be 422.
    let missing = fetch(&service, "/orders/x", &[]).await;
    assert_eq!(missing.status, 401);
    assert_eq!(challenges(&missing), ["Bearer"]);
    assert_eq!(
        missing.json(),
        json!({
            "type": "about:blank", "title": "Unauthorized", "status": 401,
            "detail": "expected Authorization: Bearer",
        })
    );
    for malformed in ["Bearer", "Bearer ", "Bearer two words", "Bearer \u{e4}"] {
        let answer = fetch(&service, "/orders/3", &[("authorization", malformed)]).await;
        assert_eq!(answer.status, 401, "{malformed}");
        assert_eq!(challenges(&answer), ["Bearer error=\"invalid_token\""], "{malformed}");
    }
    let other = fetch(&service, "/orders/3", &[("authorization", "Digest x")]).await;
    assert_eq!((other.status, challenges(&other)), (StatusCode::UNAUTHORIZED, vec!["Bearer"]));
    let (ada, bob) = (bearing(ADA), bearing(BOB));
    let two = [("authorization", &*ada), ("authorization", &*bob)];
    let two = fetch(&service, "/orders/3", &two).await;
    assert_eq!(
        (two.status, &two.json()["detail"]),
        (StatusCode::UNAUTHORIZED, &json!("expected one Authorization field"))
    );
    assert_eq!(users.lookups.load(Ordering::Relaxed), 0);

    let unknown = fetch(&service, "/orders/3", &[("authorization", &bearing("eve-1"))]).await;
    assert_eq!(unknown.status, 401);
    assert_eq!(challenges(&unknown), ["Bearer error=\"invalid_token\""]);
    assert_eq!(unknown.json()["type"], "/problems/unknown-token");
    assert_eq!(users.lookups.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn forbids_what_a_role_does_not_permit() {
    let service = service(Users::default());
    let answer = fetch(&service, "/admin/lookups", &[("authorization", &bearing(BOB))]).await;
    assert_eq!(answer.status, 403);
    assert_eq!(challenges(&answer), [""; 0]);
    assert_eq!(answer.json()["title"], "Not an administrator");
}

#[tokio::test]
async fn writes_refusals_in_the_format_of_the_client() {
    let service = service(Users::default());
    let answer = fetch(&service, "/orders/3", &[("accept", "application/cbor")]).await;
    assert_eq!(answer.status, 401);
    assert_eq!(answer.headers["content-type"], "application/problem+cbor");
    let head = send(&service, Request::head("/orders/3"), "").await;
    assert_eq!((head.status, challenges(&head)), (StatusCode::UNAUTHORIZED, vec!["Bearer"]));
    assert!(head.body.is_empty());
    // A preflight request of a browser (CORS) has no credentials.
    assert_eq!(send(&service, Request::options("/orders/3"), "").await.status, 204);
}

/// A body that must not be read.
struct Untouched;

impl http_body::Body for Untouched {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        panic!("the body is read before the credentials are checked")
    }
}

#[tokio::test]
async fn checks_credentials_before_the_body_is_read() {
    let service = service(Users::default());
    for token in ["Bearer", "Bearer eve-1"] {
        let request = Request::post("/orders")
            .header("content-type", "application/json")
            .header("authorization", token)
            .body(Untouched)
            .expect("a request");
        assert_eq!(call(&service, request).await.status, 401);
    }
    let post = || {
        Request::post("/orders")
            .header("content-type", "application/json")
            .header("authorization", bearing(ADA))
    };
    let answer = send(&service, post(), r#"{"id":1,"text":"tea"}"#).await;
    assert_eq!(answer.text(), "Ada ordered tea");
    assert_eq!(send(&service, post(), r#"{"id":"x"}"#).await.status, 422);
    // A body so long that it is decoded on another thread.
    let long = format!(r#"{{"id":1,"text":"{}"}}"#, "x".repeat(300_000));
    let answer = send(&service, post(), long).await;
    assert_eq!(
        (answer.status, answer.body.len()),
        (StatusCode::OK, 300_000 + "Ada ordered ".len())
    );
}

fn serving(routes: impl IntoIterator<Item = Route>) -> Service {
    let api = routes.into_iter().fold(Api::new("Test"), Api::serve);
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

/// A check that any endpoint of these tests may use.
async fn is_seven(key: Secret) -> Result<&'static str, Problem> {
    match key.matches("k-7 \u{e9}") {
        true => Ok("seven"),
        false => Err(Problem::new(StatusCode::UNAUTHORIZED).with_detail("unknown key")),
    }
}

#[tokio::test]
async fn reads_keys_in_header_fields_queries_and_cookies() {
    let header = get("/header").secured(key_in_header("X-Api-Key"), is_seven).returns::<Text>();
    let query = get("/query").secured(key_in_query("key"), is_seven).returns::<Text>();
    let cookie = get("/cookie").secured(key_in_cookie("sid"), is_seven).returns::<Text>();
    let service = serving([
        header.to(|user| async move { user.to_owned() }),
        query.to(|user| async move { user.to_owned() }),
        cookie.to(|user| async move { user.to_owned() }),
    ]);
    let key = HeaderValue::from_bytes("k-7 \u{e9}".as_bytes()).expect("a value");
    let request = Request::get("/header").header("x-api-key", key);
    assert_eq!(send(&service, request, "").await.text(), "seven");
    assert_eq!(fetch(&service, "/query?a=b&k%65y=k-7+%C3%A9", &[]).await.text(), "seven");
    let cookie = HeaderValue::from_bytes("a=b; sid=\"k-7 \u{e9}\"".as_bytes()).expect("a value");
    let request = Request::get("/cookie").header("cookie", cookie);
    assert_eq!(send(&service, request, "").await.text(), "seven");

    let places = [
        ("/header", "the header field X-Api-Key", "ApiKey in=\"header\", name=\"X-Api-Key\""),
        ("/query", "the query parameter key", "ApiKey in=\"query\", name=\"key\""),
        ("/cookie", "the cookie sid", "ApiKey in=\"cookie\", name=\"sid\""),
    ];
    for (path, place, challenge) in places {
        let missing = fetch(&service, path, &[]).await;
        assert_eq!(missing.status, 401);
        assert_eq!(missing.json()["detail"], format!("expected {place}"));
        assert_eq!(challenges(&missing), [challenge]);
    }
    let wrong = [
        fetch(&service, "/header", &[("x-api-key", "k-8")]).await,
        fetch(&service, "/query?key=k-8", &[]).await,
        fetch(&service, "/cookie", &[("cookie", "sid=k-8")]).await,
    ];
    for (answer, (_, _, challenge)) in wrong.iter().zip(places) {
        assert_eq!(answer.status, 401);
        assert_eq!(answer.json()["detail"], "unknown key");
        assert_eq!(challenges(answer), [challenge]);
    }
    for unclear in ["/query?key=a&key=b", "/query?key=%FF"] {
        assert_eq!(fetch(&service, unclear, &[]).await.status, 401);
    }
}

#[tokio::test]
async fn reads_user_and_password() {
    let check = |UserAndPassword { user, password }| async move {
        match password.matches("open:sesame \u{e9}") {
            true => Ok(user),
            false => Err(Problem::new(StatusCode::UNAUTHORIZED)),
        }
    };
    let whoami = get("/").secured(basic("Ali's \"cave\""), check).returns::<Text>();
    let service = serving([whoami.to(|user| async move { user })]);
    let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
    let coded = basic("ali baba:open:sesame \u{e9}");
    let unpadded = coded.trim_end_matches('=');
    assert_ne!(coded, unpadded);
    for credentials in [&*coded, unpadded] {
        let answer = fetch(&service, "/", &[("authorization", credentials)]).await;
        assert_eq!(answer.text(), "ali baba");
    }
    let challenge = r#"Basic realm="Ali's \"cave\"", charset="UTF-8""#;
    let latin = format!("Basic {}", STANDARD.encode(b"a:\xe9"));
    for wrong in [&*basic("ali:sesame"), &*basic("ali"), &*basic("a\n:b"), "Basic !", &*latin] {
        let answer = fetch(&service, "/", &[("authorization", wrong)]).await;
        assert_eq!(
            (answer.status, challenges(&answer)),
            (StatusCode::UNAUTHORIZED, vec![challenge])
        );
    }
}

#[tokio::test]
async fn accepts_one_of_two_schemes_or_none() {
    let either = get("/either").secured(
        bearer().with_realm("orders").or(key_in_header("x-key")),
        |credentials| async move {
            match credentials {
                Either::First(token) => Ok::<_, Problem>(format!("token {}", token.expose())),
                Either::Second(key) => Ok(format!("key {}", key.expose())),
            }
        },
    );
    let maybe = get("/maybe").secured(bearer().optional(), |token| async move {
        match token {
            Some(token) => is_seven(token).await,
            None => Ok("nobody"),
        }
    });
    let service = serving([
        either.returns::<Text>().to(|user| async move { user }),
        maybe.returns::<Text>().to(|user| async move { user.to_owned() }),
    ]);
    let (token, key) = (("authorization", "Bearer t"), ("x-key", "k"));
    assert_eq!(fetch(&service, "/either", &[token]).await.text(), "token t");
    assert_eq!(fetch(&service, "/either", &[key]).await.text(), "key k");
    assert_eq!(fetch(&service, "/either", &[key, token]).await.text(), "token t");
    let missing = fetch(&service, "/either", &[]).await;
    assert_eq!(missing.status, 401);
    assert_eq!(
        challenges(&missing),
        ["Bearer realm=\"orders\"", "ApiKey in=\"header\", name=\"x-key\""]
    );
    let detail = "expected Authorization: Bearer or the header field x-key";
    assert_eq!(missing.json()["detail"], detail);

    assert_eq!(fetch(&service, "/maybe", &[]).await.text(), "nobody");
    assert_eq!(fetch(&service, "/maybe", &[token]).await.status, 401);
}

/// A user-defined scheme: a number in a separate header field.
#[derive(Clone, Debug)]
struct Numbered;

impl Scheme for Numbered {
    type Credentials = u32;

    fn schemes(&self) -> Vec<SecurityScheme> {
        vec![SecurityScheme::api_key(InputLocation::Header, "x-number")]
    }

    fn read(&self, head: &Parts) -> Result<u32, InvalidCredentials> {
        let field = head.headers.get("x-number").ok_or(InvalidCredentials::Missing)?;
        let number = field.to_str().ok().and_then(|text| text.parse().ok());
        number.ok_or(InvalidCredentials::Malformed("expected a number in x-number"))
    }

    fn write(&self, number: &u32, request: &mut CredentialsWriter) -> Result<(), Box<Fault>> {
        request.add_header("x-number", &number.to_string())
    }
}

/// A failure that says itself how a client may authenticate.
struct Step;

impl Failure for Step {
    const KINDS: &'static [manywire::ProblemKind] = &[manywire::ProblemKind::new(401)];

    fn problem(&self) -> Problem {
        let challenge = HeaderValue::from_static("Step up=\"yes\"");
        Problem::new(StatusCode::UNAUTHORIZED).with_header(header::WWW_AUTHENTICATE, challenge)
    }

    fn from_problem(_: &Problem) -> Option<Self> {
        None
    }
}

#[tokio::test]
async fn reads_a_scheme_of_a_users_own() {
    let double = scope("/double").secured(Numbered, |number| async move {
        if number < 100 { Ok(number * 2) } else { Err(Step) }
    });
    let service = serving([double.get("").returns::<u32>().to(|number| async move { number })]);
    assert_eq!(fetch(&service, "/double", &[("x-number", "21")]).await.text(), "42");
    let malformed = fetch(&service, "/double", &[("x-number", "x")]).await;
    assert_eq!(malformed.status, 401);
    assert_eq!(malformed.json()["detail"], "expected a number in x-number");
    let own = fetch(&service, "/double", &[("x-number", "100")]).await;
    assert_eq!(challenges(&own), ["Step up=\"yes\""]);
}

#[tokio::test]
async fn authenticates_before_preconditions_are_compared() {
    let users = Users::default();
    let page = scope("/page")
        .with(users.clone())
        .secured(bearer(), |token, users| async move { users.find(&token).await });
    let read = page.get("").returns::<Text>().to(|_, _| async { "a page".to_owned() });
    let change = page.put("").returns::<NoContent>().to(|_, _| async {});
    let open = put("/open").returns::<NoContent>().to(|| async {});
    let read_open = scope("/open").secured(bearer(), is_seven).get("").returns::<Text>();
    let service = Api::new("Pages")
        .entity_tags(EntityTags::Strong)
        .serve(read)
        .serve(change)
        .serve(open)
        .serve(read_open.to(|user| async move { user.to_owned() }))
        .build()
        .expect("a valid API");
    let current = fetch(&service, "/page", &[("authorization", &bearing(ADA))]).await;
    let tag = current.headers["etag"].clone();
    let put = |path: &'static str, token: &str, tag: &HeaderValue| {
        Request::put(path).header("authorization", bearing(token)).header("if-match", tag)
    };
    assert_eq!(send(&service, put("/page", ADA, &tag), "").await.status, 204);
    let other = HeaderValue::from_static("\"other\"");
    assert_eq!(send(&service, put("/page", ADA, &other), "").await.status, 412);
    let lookups = users.lookups.load(Ordering::Relaxed);
    assert_eq!(send(&service, put("/page", "eve-1", &tag), "").await.status, 401);
    assert_eq!(users.lookups.load(Ordering::Relaxed), lookups + 1);
    // A client that may not have the representation cannot compare with it.
    assert_eq!(send(&service, put("/open", "eve-1", &tag), "").await.status, 412);
}

#[test]
fn refuses_schemes_that_no_request_can_carry() {
    let faults = |route: Route| {
        let invalid = Api::new("Test").serve(route).build().expect_err("an invalid API");
        invalid.faults().join("; ")
    };
    let route = |scheme| get("/a").secured(scheme, is_seven).to(|_| async {});
    assert_eq!(
        faults(route(key_in_header("x key").named("key"))),
        "GET /a: invalid security scheme \"x key\": expected a token of HTTP"
    );
    assert_eq!(
        faults(route(key_in_header("x-key").named("a key"))),
        "GET /a: invalid name \"a key\" of a security scheme: expected letters, digits and -_."
    );
}
