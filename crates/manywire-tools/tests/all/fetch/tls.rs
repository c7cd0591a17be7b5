use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::server::{Server, failure, get, with};

/// The environment variable with the URL to fetch, for the process that trusts the certificate.
const TRUSTING: &str = "MANYWIRE_FETCH_TRUSTING";

/// The environment configures the trusted certificates, and a test cannot change its own
/// environment. The test therefore starts itself again with the certificate among the trusted ones.
#[test]
fn https_needs_a_trusted_certificate_and_never_redirects_to_http() {
    if let Ok(base) = std::env::var(TRUSTING) {
        assert_eq!(get(&format!("{base}/ok")).unwrap().bytes, b"[1]");
        let left = failure(&format!("{base}/left"));
        assert!(left.contains("from https to http://localhost:1/, where anybody"), "{left}");
        println!("trusted and checked");
        return;
    }
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let server = Server::through(
        |lines| match lines[0].split(' ').nth(1) {
            Some("/left") => with("302 Found", "Location: http://localhost:1/\r\n", b""),
            _ => with("200 OK", "Content-Type: application/json\r\n", b"[1]"),
        },
        move |stream: TcpStream| {
            StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream)
        },
    );
    let base = format!("https://localhost:{}", server.address.port());
    let untrusted = failure(&format!("{base}/ok"));
    assert!(untrusted.to_lowercase().contains("certificate"), "{untrusted}");

    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("certificate-{}.pem", std::process::id()));
    std::fs::write(&file, cert.pem()).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "fetch::tls::https_needs_a_trusted_certificate_and_never_redirects_to_http",
        ])
        .arg("--nocapture")
        .env("SSL_CERT_FILE", &file)
        .env(TRUSTING, &base)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("trusted and checked"), "{text}{errors}");
}
