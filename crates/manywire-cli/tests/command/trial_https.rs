//! The clients of the lanes, as they are, over TLS: each with what its runtime brings, and with
//! nothing but an authority of our own to trust.
//!
//! Ignored, since it takes lanes that are built: `.ci/trial` runs it. `MANYWIRE_HTTPS_LANES` names
//! those that must be there; without it, those that are ready are tried.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};

use crate::run::{Folder, Run, manywire, manywire_with};
use crate::trial::{assert_valid, pair};
use crate::trial_service::{SCHEMA, secured_by};

/// What makes a runtime trust an authority, beside those of the system.
struct Trust {
    /// For whoever goes by OpenSSL's variable: Go, Python, Rust, and the command itself.
    pem: String,
    /// For Node.js, which brings its own authorities.
    node: bool,
    /// For Java, which has a format of its own for them.
    java: bool,
    folder: Folder,
}

const PASSWORD: &str = "authority";

impl Trust {
    fn store(&self) -> String {
        format!("{}/authority.p12", self.folder.path())
    }

    /// Makes what Java reads.
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

/// An authority of this name, and what it has signed for `localhost`: the certificate of the one, and
/// the chain and the key of the other.
fn authority(name: &str) -> (String, String, String) {
    let mut params = CertificateParams::new([]).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // Under one name, OpenSSL would take what it signs for signed by itself.
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("a certificate");
    let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    params.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate().expect("a key");
    let leaf = params.signed_by(&key, &authority).expect("a certificate");
    (authority.pem(), leaf.pem(), key.serialize_pem())
}

/// The lanes to try: those that must be there, or else those that are.
fn lanes() -> Vec<String> {
    if let Ok(named) = std::env::var("MANYWIRE_HTTPS_LANES") {
        return named.split(',').map(str::to_owned).collect();
    }
    let all = manywire(&["lanes", "--json"]).json();
    let all = all["lanes"].as_array().expect("lanes").iter();
    let ready = all.filter(|lane| lane["state"] == "ready");
    ready.map(|lane| lane["name"].as_str().expect("a name").to_owned()).collect()
}

/// What became of every lane and every pair, for whoever has to find out why.
fn statuses(report: &serde_json::Value) -> String {
    let of_pair = |pair: &serde_json::Value| {
        let rows = pair["rows"].as_array().into_iter().flatten();
        let rows: Vec<_> = rows.map(|row| row["status"].to_string()).collect();
        format!("{}: {}; {}\n", pair["client"], pair["status"], rows.join(", "))
    };
    let pairs = report["pairs"].as_array().into_iter().flatten();
    format!("{:#}\n{}", report["lanes"], pairs.map(of_pair).collect::<String>())
}

/// What the service is asked for.
const FORMATS: [&str; 2] = ["json", "protobuf"];

/// Tries the lanes on a service.
fn ask(trust: &Trust, lanes: &str, url: &str) -> Run {
    let schema = trust.folder.file("user.proto", SCHEMA);
    let formats = FORMATS.join(",");
    let words = ["trial", "--quick", "--launches", "1", "--formats", &formats];
    let where_to = ["--url", url, "--schema", &schema, "--lanes", lanes, "--json", "-"];
    trust.run(&[&words[..], &where_to[..]].concat())
}

#[test]
#[ignore = "takes lanes that are built; .ci/trial runs it"]
fn every_lane_asks_over_tls_and_trusts_nobody_else() {
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

    // Three of them go by the file that the command goes by, too. It asks before they do, once for
    // each format: with its last answer the file comes to name somebody else.
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
