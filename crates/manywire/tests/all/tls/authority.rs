//! A certificate authority, its certificates, and servers that present them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use manywire::{Service, Tls};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// A certificate authority.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// The certificate of the authority, in PEM.
    pub(crate) pem: String,
}

/// A certificate and its key, in PEM.
pub(crate) struct CertifiedPair {
    pub(crate) chain: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new() -> Authority {
        Authority::named("an authority")
    }

    pub(crate) fn named(name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    pub(crate) fn pair(&self, name: &str) -> CertifiedPair {
        self.pair_with(name, |_| {})
    }

    pub(crate) fn pair_with(
        &self,
        name: &str,
        change: impl Fn(&mut CertificateParams),
    ) -> CertifiedPair {
        let mut params = CertificateParams::new([name.to_owned()]).expect("parameters");
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let chain = params.signed_by(&key, &self.issuer).expect("a certificate").pem();
        CertifiedPair { chain, key: key.serialize_pem() }
    }

    pub(crate) fn expired_pair(&self, name: &str) -> CertifiedPair {
        self.pair_with(name, |params| params.not_after = date_time_ymd(2001, 1, 1))
    }

    pub(crate) fn future_pair(&self, name: &str) -> CertifiedPair {
        self.pair_with(name, |params| params.not_before = date_time_ymd(2970, 1, 1))
    }
}

/// Starts our own server on its own port.
pub(crate) async fn serve(service: Service, pair: &CertifiedPair) -> SocketAddr {
    let tls = Tls::from_pem(pair.chain.as_bytes(), pair.key.as_bytes()).expect("a pair");
    let server = service.bind("127.0.0.1:0").await.expect("a port").tls(tls);
    let address = server.local_address();
    tokio::spawn(server.run());
    address
}

/// The negotiated protocol of each connection, or nothing after a failed handshake.
pub(crate) type ServerErrors = Arc<Mutex<Vec<Option<String>>>>;

/// Starts a server that records what its connections negotiate, and requests certificates of
/// `clients`.
pub(crate) async fn watch(
    service: Service,
    pair: &CertifiedPair,
    protocols: &[&str],
    clients: Option<&Authority>,
) -> (SocketAddr, ServerErrors) {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions");
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            let root = CertificateDer::from_pem_slice(authority.pem.as_bytes()).expect("PEM");
            roots.add(root).expect("a root");
            let provider = Arc::new(ring::default_provider());
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
        }
    };
    let chain = CertificateDer::pem_slice_iter(pair.chain.as_bytes()).flatten().collect();
    let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).expect("a key");
    let mut config = builder.with_single_cert(chain, key).expect("a pair");
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let seen = ServerErrors::default();
    let noted = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let (tcp, _) = listener.accept().await.expect("a connection");
            let agreed = acceptor.accept(tcp).await;
            let protocol = agreed.as_ref().ok().and_then(|tls| tls.get_ref().1.alpn_protocol());
            let protocol = protocol.map(|name| String::from_utf8_lossy(name).into_owned());
            noted.lock().expect("whole").push(protocol);
            let (Ok(tls), service) = (agreed, service.clone()) else { continue };
            tokio::spawn(async move {
                let call = service_fn(move |request| service.call(request));
                let builder = Builder::new(TokioExecutor::new());
                drop(builder.serve_connection(TokioIo::new(tls), call).await);
            });
        }
    });
    (address, seen)
}
