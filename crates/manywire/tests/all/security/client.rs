//! Clients send the credentials of the scheme that an endpoint requires, and of no other.

use manywire::content::Text;
use manywire::security::{
    Scheme, Secret, UserAndPassword, basic, bearer, key_in_cookie, key_in_header, key_in_query,
};
use manywire::{Api, CallError, Client, Endpoint, Format, Problem, get};

use super::service::{ADA, AuthError, BOB, Order, Users, create, find, service};
use crate::support::{client, listening};

#[tokio::test]
async fn sends_the_credentials_of_an_endpoint_in_every_format() {
    let address = listening(service(Users::default())).await;
    for format in [Format::Json, Format::Cbor, Format::Protobuf] {
        let client = client(address).formats([format]);
        let missing = client.call(&find(), 3).await.expect_err("no credentials");
        assert_eq!(
            missing.to_string(),
            "cannot write the request: header authorization: the endpoint requires credentials of \
             bearer: set them by Client::credentials"
        );
        let ada = client.clone().credentials(&bearer(), Secret::new(ADA)).expect("credentials");
        let order = ada.call(&find(), 3).await.expect("an order");
        assert_eq!(order, Order { id: 3, text: "an order of Ada".to_owned() });
        assert_eq!(ada.call(&create(), order).await.expect("text"), "Ada ordered an order of Ada");
        let bob = ada.credentials(&bearer(), Secret::new(BOB)).expect("credentials");
        assert_eq!(bob.call(&find(), 3).await.expect("an order").text, "an order of Bob");
        let eve = client.credentials(&bearer(), Secret::new("eve-1")).expect("credentials");
        match eve.call(&find(), 3).await {
            Err(CallError::Failed(AuthError::Unknown)) => {}
            other => panic!("{other:?}"),
        }
        match eve.call(&create(), Order { id: 1, text: String::new() }).await {
            Err(CallError::Problem(problem)) => {
                assert_eq!(problem.status(), 401);
                let challenge = &problem.headers()["www-authenticate"];
                assert_eq!(challenge, "Bearer error=\"invalid_token\"");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// An endpoint that returns the text of its credentials.
fn echo<S: Scheme>(
    path: &str,
    scheme: S,
    show: fn(S::Credentials) -> String,
) -> Endpoint<(), Text, Problem, manywire::input::Secured<S, String>> {
    get(path)
        .secured(scheme, move |credentials| async move { Ok::<_, Problem>(show(credentials)) })
        .returns::<Text>()
}

#[tokio::test]
async fn sends_credentials_of_every_scheme() {
    let secret = |secret: Secret| secret.expose().to_owned();
    let user = |it: UserAndPassword| format!("{} {}", it.user, it.password.expose());
    let header = echo("/header", key_in_header("x-key"), secret);
    let query = echo("/query", key_in_query("key"), secret);
    let cookie = echo("/cookie", key_in_cookie("sid"), secret);
    let basic_auth = echo("/basic", basic("here"), user);
    let other = echo("/other", bearer().named("other"), secret);
    let maybe = echo("/maybe", key_in_header("x-maybe").optional(), |key| format!("{key:?}"));
    let either = get("/either")
        .secured(key_in_header("x-unknown").or(key_in_query("key")), |_| async {
            Ok::<_, Problem>("either".to_owned())
        })
        .returns::<Text>();
    let in_cookie = get("/both").cookie::<String>("a").returns::<Text>();
    let in_cookie = in_cookie.secured(key_in_cookie("sid"), |_| async { Ok::<_, Problem>(()) });
    let service = Api::new("Echo")
        .serve(header.clone().to(|text| async move { text }))
        .serve(query.clone().to(|text| async move { text }))
        .serve(cookie.clone().to(|text| async move { text }))
        .serve(basic_auth.clone().to(|text| async move { text }))
        .serve(other.clone().to(|text| async move { text }))
        .serve(maybe.clone().to(|text| async move { text }))
        .serve(either.clone().to(|text| async move { text }))
        .serve(in_cookie.clone().to(|(), text| async move { text }))
        .build()
        .expect("a valid API");
    let address = listening(service).await;
    let client = client(address)
        .credentials(&key_in_header("x-key"), Secret::new("in header"))
        .expect("credentials")
        .credentials(&key_in_query("key"), Secret::new("in query &=+ \u{e9}"))
        .expect("credentials")
        .credentials(&key_in_cookie("sid"), Secret::new("in-cookie"))
        .expect("credentials")
        .credentials(&basic("elsewhere"), UserAndPassword::new("ali \u{e9}", "a:b"))
        .expect("credentials")
        .credentials(&bearer(), Secret::new("first"))
        .expect("credentials")
        .credentials(&bearer().named("other"), Secret::new("second"))
        .expect("credentials");
    assert_eq!(client.call(&header, ()).await.expect("text"), "in header");
    assert_eq!(client.call(&query, ()).await.expect("text"), "in query &=+ \u{e9}");
    assert_eq!(client.call(&cookie, ()).await.expect("text"), "in-cookie");
    assert_eq!(client.call(&basic_auth, ()).await.expect("text"), "ali \u{e9} a:b");
    assert_eq!(client.call(&other, ()).await.expect("text"), "second");
    assert_eq!(client.call(&maybe, ()).await.expect("text"), "None");
    assert_eq!(client.call(&either, ()).await.expect("text"), "either");
    assert_eq!(client.call(&in_cookie, "b".to_owned()).await.expect("text"), "b");
}

#[test]
fn takes_the_credentials_of_one_scheme_at_a_time() {
    let both = key_in_header("a").or(key_in_header("b"));
    let client = Client::new("http://localhost").expect("a client");
    let fault = client.credentials(&both, manywire::security::Either::First(Secret::new("x")));
    let detail = "give the credentials of one scheme, not of several joined by `or`";
    assert_eq!(fault.expect_err("two schemes").detail(), detail);
}
