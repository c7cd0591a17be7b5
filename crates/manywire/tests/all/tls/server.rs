//! The server: both protocols by ALPN.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use manywire::content::Text;
use manywire::{Api, Limits, Tls, get};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

struct TestServer {
    address: SocketAddr,
    certificate: CertificateDer<'static>,
}

async fn serve(limits: Limits) -> TestServer {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let tls = Tls::from_pem(cert.pem().as_bytes(), signing_key.serialize_pem().as_bytes());
    let hello = get("/hello").returns::<Text>().to(|| async { "hello".to_owned() });
    let service = Api::new("Hello").limits(limits).serve(hello).build().expect("a valid API");
    let server = service.bind("127.0.0.1:0").await.expect("a port").tls(tls.expect("a pair"));
    let address = server.local_address();
    tokio::spawn(server.run());
    TestServer { address, certificate: cert.der().clone() }
}

async fn connect(served: &TestServer, protocols: &[&str]) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(served.certificate.clone()).expect("a root");
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(served.address).await.expect("a connection");
    let name = "localhost".try_into().expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("TLS")
}

fn request(uri: &str) -> Request<Full<Bytes>> {
    let request = Request::get(uri).header("host", "localhost");
    request.body(Full::default()).expect("a request")
}

#[tokio::test]
async fn server_negotiates_both_protocols_by_alpn() {
    let served = serve(Limits::DEFAULT).await;

    let stream = connect(&served, &["h2", "http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    tokio::spawn(connection);
    let answer = sender.send_request(request("https://localhost/hello")).await.expect("an answer");
    assert_eq!((answer.status().as_u16(), answer.version()), (200, http::Version::HTTP_2));
    assert_eq!(answer.into_body().collect().await.expect("a body").to_bytes(), "hello");

    let stream = connect(&served, &["http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
    tokio::spawn(connection);
    for _ in 0..2 {
        let answer = sender.send_request(request("/hello")).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.into_body().collect().await.expect("a body").to_bytes(), "hello");
    }
}

#[tokio::test]
async fn closes_connections_without_tls() {
    let limits = Limits::DEFAULT.with_header_timeout(Duration::from_millis(200));
    let served = serve(limits).await;
    let mut plain = TcpStream::connect(served.address).await.expect("a connection");
    plain.write_all(b"GET /hello HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    let mut answer = Vec::new();
    drop(plain.read_to_end(&mut answer).await);
    assert!(!answer.starts_with(b"HTTP"), "no unencrypted response");
    // The server closes the connection of a silent client.
    let mut silent = TcpStream::connect(served.address).await.expect("a connection");
    let closed = tokio::time::timeout(Duration::from_secs(10), silent.read_u8()).await;
    assert!(closed.expect("closed in time").is_err());
    assert!(connect(&served, &["h2"]).await.get_ref().1.alpn_protocol().is_some());
}

#[test]
fn rejects_a_mismatched_key() {
    let pair = || generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (one, other) = (pair(), pair());
    let (chain, key) = (one.cert.pem(), one.signing_key.serialize_pem());
    for (chain, key, words) in [
        ("", &*key, "no certificate was found"),
        (&*key, &*key, "no certificate was found"),
        (&*chain, "", "no private key was found"),
        (&*chain, &*other.signing_key.serialize_pem(), "cannot be used"),
    ] {
        let error = Tls::from_pem(chain.as_bytes(), key.as_bytes()).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}
