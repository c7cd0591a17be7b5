//! The HTTP clients of the lanes over TLS, each with the TLS library of its runtime and a test CA.
//!
//! Ignored because it needs built lanes: `.ci/trial` runs it. `MANYWIRE_HTTPS_LANES` names the
//! required lanes; without it, the test uses the lanes that are ready.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};

use crate::run::{Folder, Run, manywire, manywire_with};
use crate::trial::{assert_valid, pair};
use crate::trial_service::{SCHEMA, secured_by};

/// The files and variables that make runtimes trust a CA in addition to those of the system.
struct Trust {
    /// The trust file of runtimes that read OpenSSL's variable: Go, Python, Rust and the command
    /// itself.
    pem: String,
    /// Indicates whether Node.js, which has its own list of CAs, trusts the CA.
    node: bool,
    /// Indicates whether Java, which has its own file format, trusts the CA.
    java: bool,
    folder: Folder,
}

const PASSWORD: &str = "authority";

impl Trust {
    fn store(&self) -> String {
        format!("{}/authority.p12", self.folder.path())
    }

    /// Writes the trust store for Java.
    fn make_store(&self) {
        let made = Command::new("keytool")
            .args(["-importcert", "-noprompt", "-alias", "authority", "-storetype", "PKCS12"])
            .args(["-file", &self.pem, "-keystore", &self.store(), "-storepass", PASSWORD])
            .output()
            .expect("keytool, which comes with every JDK");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let java = format!(
            "-Djavax.net.ssl.trustStore={} -Djavax.net.ssl.trustStorePassword={PASSWORD}",
            self.store()
        );
        let mut environment = vec![("SSL_CERT_FILE", self.pem.as_str())];
        if self.node {
            environment.push(("NODE_EXTRA_CA_CERTS", &self.pem));
        }
        if self.java {
            environment.push(("JAVA_TOOL_OPTIONS", &java));
        }
        manywire_with(arguments, &environment)
    }
}

/// Creates a CA of this name and a certificate for `localhost`. Returns the CA certificate, and the
/// chain and the key for `localhost`.
fn authority(name: &str) -> (String, String, String) {
    let mut params = CertificateParams::new([]).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // The CA has its own name, because OpenSSL treats a certificate with equal issuer and subject
    // as self-signed.
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("a certificate");
    let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    params.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate().expect("a key");
    let leaf = params.signed_by(&key, &authority).expect("a certificate");
    (authority.pem(), leaf.pem(), key.serialize_pem())
}

/// Returns the lanes to test: the required ones, or else those that are ready.
fn lanes() -> Vec<String> {
    if let Ok(named) = std::env::var("MANYWIRE_HTTPS_LANES") {
        return named.split(',').map(str::to_owned).collect();
    }
    let all = manywire(&["lanes", "--json"]).json();
    let all = all["lanes"].as_array().expect("lanes").iter();
    let ready = all.filter(|lane| lane["state"] == "ready");
    ready.map(|lane| lane["name"].as_str().expect("a name").to_owned()).collect()
}

/// Describes the result of every lane and every pair, for failure messages.
fn statuses(report: &serde_json::Value) -> String {
    let of_pair = |pair: &serde_json::Value| {
        let rows = pair["rows"].as_array().into_iter().flatten();
        let rows: Vec<_> = rows.map(|row| row["status"].to_string()).collect();
        format!("{}: {}; {}\n", pair["client"], pair["status"], rows.join(", "))
    };
    let pairs = report["pairs"].as_array().into_iter().flatten();
    format!("{:#}\n{}", report["lanes"], pairs.map(of_pair).collect::<String>())
}

/// The path that the lanes request.
const FORMATS: [&str; 2] = ["json", "protobuf"];

/// Runs a trial of the lanes with a service.
fn ask(trust: &Trust, lanes: &str, url: &str) -> Run {
    let schema = trust.folder.file("user.proto", SCHEMA);
    let formats = FORMATS.join(",");
    let words = ["trial", "--quick", "--launches", "1", "--formats", &formats];
    let where_to = ["--url", url, "--schema", &schema, "--lanes", lanes, "--json", "-"];
    trust.run(&[&words[..], &where_to[..]].concat())
}

#[test]
#[ignore = "takes lanes that are built; .ci/trial runs it"]
fn every_lane_checks_certificates_over_tls() {
    let lanes = lanes();
    if lanes.is_empty() {
        eprintln!("skipped: no lane is ready");
        return;
    }
    let (authority_pem, chain, key) = authority("Authority of a test");
    let folder = Folder::new();
    let pem = folder.file("authority.pem", &authority_pem);
    let url = format!("https://localhost:{}/user", secured_by(&chain, &key, || ()));
    let mut trust = Trust { pem, node: true, java: true, folder };
    if lanes.iter().any(|lane| lane == "java") {
        trust.make_store();
    }
    let run = ask(&trust, &lanes.join(","), &url);
    let report = run.json();
    assert_eq!(run.code, Some(0), "{}\n{}", run.stderr, statuses(&report));
    assert_valid(&report);
    for lane in &lanes {
        let rows = pair(&report, lane, &url)["rows"].as_array().expect("rows").clone();
        assert_eq!(rows.len(), 2, "{lane}");
        for (row, bytes) in rows.iter().zip([51, 19]) {
            assert_eq!(
                (&row["status"], &row["body_bytes"]),
                (&"ok".into(), &bytes.into()),
                "{row}"
            );
            for meter in ["endpoint_ns", "end_to_end_ns"] {
                assert!(row[meter]["value"].as_f64().is_some_and(|ns| ns > 0.0), "{lane}: {row}");
            }
        }
        println!("{lane}: {}", pair(&report, lane, &url)["client_runtime"]);
    }

    // Go, Python and Rust use the same trust file as the command. The command sends its requests
    // first, one for each format. With its last response, the server replaces the file by another
    // CA.
    (trust.node, trust.java) = (false, false);
    for lane in &lanes {
        fs::write(&trust.pem, &authority_pem).expect("the file again");
        let (stranger, _, _) = authority("Somebody else");
        let (pem, asked) = (trust.pem.clone(), AtomicUsize::new(0));
        let forget = move || {
            if asked.fetch_add(1, Ordering::Relaxed) + 1 == FORMATS.len() {
                fs::write(&pem, &stranger).expect("somebody else");
            }
        };
        let url = format!("https://localhost:{}/user", secured_by(&chain, &key, forget));
        let run = ask(&trust, lane, &url);
        let rows = pair(&run.json(), lane, &url)["rows"].as_array().expect("rows").clone();
        assert_eq!(rows.len(), 2, "{lane}");
        for row in rows {
            let status = row["status"].as_str().expect("text").to_lowercase();
            let told = ["certificate", "certification path"].iter().any(|it| status.contains(it));
            assert!(told, "{lane}: {status}");
            println!("{lane}: {status}");
        }
    }
}
