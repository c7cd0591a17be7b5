//! Nothing that a service or a client shows contains credentials.

use http::Request;
use manywire::content::Text;
use manywire::input::{Input, InputDescription, InputReader, Read};
use manywire::security::{
    Secret, UserAndPassword, basic, bearer, key_in_cookie, key_in_header, key_in_query,
};
use manywire::{Api, Client, Problem, StatusCode, get};

use super::service::{ADA, Users, bearing, fetch, service};
use crate::request_spans::Recorder;
use crate::support::send;

#[tokio::test]
async fn problems_and_spans_contain_no_credentials() {
    let recorder = Recorder::default();
    let _default = tracing::subscriber::set_default(recorder.clone());
    let service = service(Users::default());
    let refuse = |_| async { Err::<(), _>(Problem::new(StatusCode::UNAUTHORIZED)) };
    let query = get("/query").secured(key_in_query("key"), refuse).returns::<Text>();
    let in_query = Api::new("Query").serve(query.to(|()| async { String::new() }));
    let in_query = in_query.build().expect("a valid API");
    let answers = [
        fetch(&service, "/orders/3", &[("authorization", &format!("Bearer {ADA} x"))]).await,
        fetch(&service, "/orders/3", &[("authorization", &format!("Bearer {ADA}x"))]).await,
        fetch(&service, "/orders/x", &[("authorization", &bearing(ADA))]).await,
        fetch(&service, "/orders/3", &[("authorization", &format!("Basic {ADA}"))]).await,
        fetch(&in_query, &format!("/query?key={ADA}"), &[]).await,
        fetch(&in_query, &format!("/query?key={ADA}&key=%FF"), &[]).await,
    ];
    for answer in answers {
        assert!(answer.status.is_client_error(), "{}", answer.status);
        assert!(!answer.text().contains(ADA), "{}", answer.text());
        assert!(!format!("{:?}", answer.headers).contains(ADA), "{:?}", answer.headers);
    }
    let recorded = recorder.recorded();
    assert!(recorded.contains("/orders/3"), "the spans were recorded");
    assert!(!recorded.contains(ADA), "{recorded}");
}

/// An input that shows the whole head of its request.
#[derive(Clone)]
struct Shown;

impl Input for Shown {
    type Value = String;

    fn describe(&self, _: &mut Vec<InputDescription>) {}
}

impl Read for Shown {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<String> {
        Some(format!("{:?}", reading.headers()))
    }
}

/// Lets every client in.
async fn any<C>(_: C) -> Result<(), Problem> {
    Ok(())
}

#[tokio::test]
async fn debug_of_a_request_hides_its_credentials() {
    let token = get("/token").secured(bearer(), any).input(Shown).returns::<Text>();
    let key = get("/key").secured(key_in_header("x-key"), any).input(Shown).returns::<Text>();
    let cookie = get("/cookie").secured(key_in_cookie("sid"), any).input(Shown).returns::<Text>();
    let service = Api::new("Shown")
        .serve(token.to(|(), head| async move { head }))
        .serve(key.to(|(), head| async move { head }))
        .serve(cookie.to(|(), head| async move { head }))
        .build()
        .expect("a valid API");
    let fields = [
        ("/token", "authorization", bearing(ADA)),
        ("/key", "x-key", ADA.to_owned()),
        ("/cookie", "cookie", format!("sid={ADA}")),
    ];
    for (path, name, value) in fields {
        let request = Request::get(path).header(name, value).header("x-other", "seen");
        let answer = send(&service, request, "").await;
        assert!(answer.text().contains("seen"), "{}", answer.text());
        assert!(!answer.text().contains(ADA), "{}", answer.text());
    }
}

#[test]
fn debug_of_endpoints_clients_and_credentials_hides_secrets() {
    let secured = get("/a").secured(basic("a"), |_| async { Ok::<_, Problem>(()) });
    let client = Client::new("http://localhost")
        .expect("a client")
        .credentials(&basic("a"), UserAndPassword::new("ada", ADA))
        .expect("credentials")
        .credentials(&bearer(), Secret::new(ADA))
        .expect("credentials");
    let shown = format!(
        "{:?} {client:?} {:?} {:?}",
        secured.clone(),
        UserAndPassword::new("ada", ADA),
        secured.to(|()| async {}),
    );
    assert!(shown.contains("ada"), "{shown}");
    assert!(!shown.contains(ADA), "{shown}");
}

#[test]
fn errors_of_credentials_do_not_contain_them() {
    let client = || Client::new("http://localhost").expect("a client");
    let secret = || Secret::new(format!("{ADA}\n"));
    let faults = [
        client().credentials(&bearer(), secret()),
        client().credentials(&key_in_header("x-key"), secret()),
        client().credentials(&key_in_cookie("sid"), secret()),
        client().credentials(&basic("a"), UserAndPassword::new("ada", format!("{ADA}\n"))),
        client().credentials(&basic("a"), UserAndPassword::new(format!("{ADA}:"), "x")),
    ];
    for fault in faults {
        let fault = fault.expect_err("invalid credentials");
        assert!(!format!("{fault} {fault:?}").contains(ADA), "{fault}");
    }
}
