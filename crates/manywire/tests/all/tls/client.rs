//! The client over `https`.

use std::net::SocketAddr;
use std::process::Command;

use manywire::content::Items;
use manywire::{
    Api, CallError, Client, ClientTls, Endpoint, Format, Service, get, input::Body, post,
};

use super::authority::{Authority, CertifiedPair, serve, watch};
use crate::support::listening;

fn square() -> Endpoint<(manywire::input::Path<u64>,), u64> {
    get("/squares/{of}").path::<u64>().returns::<u64>()
}

fn echo() -> Endpoint<(Body<Items<u64>>,), Items<u64>> {
    post("/echo").body::<Items<u64>>().returns::<Items<u64>>()
}

fn service() -> Service {
    Api::new("Squares")
        .formats([Format::Json, Format::Cbor])
        .serve(square().to(|of| async move { of * of }))
        .serve(echo().to(|numbers| async move { numbers }))
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
}

fn client(host: &str, address: SocketAddr) -> Client {
    Client::new(&format!("https://{host}:{}", address.port())).expect("a base")
}

fn trusting(authority: &Authority) -> ClientTls {
    ClientTls::from_roots(authority.pem.as_bytes()).expect("a root")
}

#[tokio::test]
async fn calls_and_streams_over_tls() {
    let authority = Authority::new();
    let address = serve(service(), &authority.pair("localhost")).await;
    let tls = trusting(&authority);
    for client in [client("localhost", address), client("localhost", address).http2()] {
        let client = client.tls(tls.clone()).formats([Format::Cbor]);
        assert_eq!(client.call(&square(), 12).await.expect("an answer"), 144);
        let sent = Items::from_values(0..5_000);
        let mut response = client.call(&echo(), sent).await.expect("an answer");
        for expected in 0..5_000 {
            assert_eq!(response.next().await.expect("a number").expect("a number"), expected);
        }
        assert!(response.next().await.is_none());
    }
    // A certificate may name addresses, too.
    let address = serve(service(), &authority.pair("127.0.0.1")).await;
    let client = client("127.0.0.1", address).tls(tls);
    assert_eq!(client.call(&square(), 3).await.expect("an answer"), 9);
}

#[tokio::test]
async fn negotiates_the_protocol_by_alpn() {
    let authority = Authority::new();
    let pair = authority.pair("localhost");
    for (protocols, agreed) in [
        (&["h2", "http/1.1"][..], Some("h2")),
        (&["http/1.1"], Some("http/1.1")),
        // A server without ALPN speaks HTTP/1.1.
        (&[], None),
    ] {
        let (address, seen) = watch(service(), &pair, protocols, None).await;
        let client = client("localhost", address).tls(trusting(&authority));
        for of in 0..3 {
            assert_eq!(client.call(&square(), of).await.expect("an answer"), of * of);
        }
        let seen = seen.lock().expect("whole").clone();
        assert_eq!(seen, [agreed.map(str::to_owned)], "one connection for all calls");
    }
    let (address, _) = watch(service(), &pair, &["http/1.1"], None).await;
    let client = client("localhost", address).tls(trusting(&authority)).http2();
    let error = client.call(&square(), 1).await.expect_err("no HTTP/2").to_string();
    assert!(error.contains("leave out Client::http2"), "{error}");
}

/// Returns the error of a call, and the number of connections to the server.
async fn refusal(pair: &CertifiedPair, host: &str, tls: ClientTls) -> (String, usize) {
    let (address, seen) = watch(service(), pair, &["h2", "http/1.1"], None).await;
    let error = client(host, address).tls(tls).call(&square(), 1).await.expect_err("refused");
    assert!(matches!(error, CallError::Connection(_)), "{error:?}");
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let count = seen.lock().expect("whole").len();
    (error.to_string(), count)
}

#[tokio::test]
async fn advises_on_certificate_errors() {
    let (authority, other) = (Authority::new(), Authority::named("another"));
    let namesake = Authority::new();
    let fine = authority.pair("localhost");
    let elsewhere = authority.pair("hotels.example");
    for (pair, host, trusted, what, advice) in [
        (&fine, "127.0.0.1", &authority, "only valid for", "by a name in its certificate"),
        (&elsewhere, "localhost", &authority, "hotels.example", "by a name in its certificate"),
        (&fine, "localhost", &other, "UnknownIssuer", "ClientTls::with_roots"),
        (&fine, "localhost", &namesake, "BadSignature", "ClientTls::with_roots"),
        (&authority.expired_pair("localhost"), "localhost", &authority, "expired", "a new cert"),
        (&authority.future_pair("localhost"), "localhost", &authority, "not valid yet", "clock"),
    ] {
        let (error, asked) = refusal(pair, host, trusting(trusted)).await;
        assert!(error.contains(what) && error.contains(advice), "{error}");
        assert_eq!(asked, 1, "a retry would be useless: {error}");
    }
    // A client that trusts both authorities accepts either.
    let both = trusting(&other).with_roots(authority.pem.as_bytes()).expect("a root");
    let address = serve(service(), &fine).await;
    assert_eq!(client("localhost", address).tls(both).call(&square(), 2).await.expect("trust"), 4);
}

#[tokio::test]
async fn reports_a_server_without_tls() {
    let address = listening(service()).await;
    let tls = trusting(&Authority::new());
    let error = client("localhost", address).tls(tls).call(&square(), 1).await;
    let error = error.expect_err("no TLS").to_string();
    assert!(error.contains("does not speak TLS here"), "{error}");
}

#[tokio::test]
async fn presents_the_client_certificate() {
    let (authority, other) = (Authority::new(), Authority::named("another"));
    let pair = authority.pair("localhost");
    let (address, _) = watch(service(), &pair, &["h2", "http/1.1"], Some(&authority)).await;
    let call =
        async |tls: ClientTls| client("localhost", address).tls(tls).call(&square(), 5).await;
    let shown = |pair: &CertifiedPair| {
        trusting(&authority).with_identity(pair.chain.as_bytes(), pair.key.as_bytes())
    };
    let own = shown(&authority.pair("client")).expect("a pair");
    assert_eq!(call(own).await.expect("an answer"), 25);
    for tls in [trusting(&authority), shown(&other.pair("client")).expect("a pair")] {
        let error = call(tls).await.expect_err("the server does not trust it").to_string();
        assert!(error.contains("ClientTls::with_identity"), "{error}");
    }
}

#[test]
fn rejects_invalid_roots_and_identities() {
    let authority = Authority::new();
    let (one, other) = (authority.pair("a"), authority.pair("b"));
    let refused = ClientTls::from_roots(b"").expect_err("no root").to_string();
    assert!(refused.contains("no certificate was found"), "{refused}");
    let refused = ClientTls::new()
        .with_roots(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    assert!(refused.expect_err("no root").to_string().contains("cannot be used"));
    for (chain, key, words) in [
        ("", &*one.key, "no certificate was found"),
        (&*one.chain, "", "no private key was found"),
        (&*one.chain, &*other.key, "cannot be used"),
    ] {
        let error = ClientTls::new().with_identity(chain.as_bytes(), key.as_bytes());
        let error = error.expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// The environment variable with the base URI for the process that the test below starts.
const BASE: &str = "MANYWIRE_TEST_BASE";

/// Trusts the certificates of the system. They are configured by the environment, which only
/// another process can have.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn trusts_the_certificates_of_the_system() {
    if let Ok(base) = std::env::var(BASE) {
        let client = Client::new(&base).expect("a base");
        assert_eq!(client.call(&square(), 6).await.expect("an answer"), 36);
        return;
    }
    let authority = Authority::new();
    let address = serve(service(), &authority.pair("localhost")).await;
    let base = format!("https://localhost:{}", address.port());
    let file = std::env::temp_dir().join(format!("manywire-roots-{}.pem", std::process::id()));
    std::fs::write(&file, &authority.pem).expect("written");
    let run = async |roots: &std::path::Path| {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "tls::client::trusts_the_certificates_of_the_system"]);
        command.env(BASE, &base).env("SSL_CERT_FILE", roots).env_remove("SSL_CERT_DIR");
        tokio::task::spawn_blocking(move || command.output()).await.expect("no panic")
    };
    let output = run(&file).await.expect("it ran");
    std::fs::remove_file(&file).expect("removed");
    assert!(output.status.success(), "{output:?}");
    // The error has advice if there is no trusted authority.
    let output = run(&file).await.expect("it ran");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success() && said.contains("ClientTls::from_roots"), "{said}");
}
