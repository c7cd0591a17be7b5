//! TLS of a client: which certificates it trusts, which it presents, and what an error message
//! advises after a failed handshake.

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{fmt, io};

use http::Uri;
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{
    AlertDescription, CertificateError, ClientConfig, Error as TlsError, RootCertStore,
};

use crate::pem::{InvalidTls, certificates, private_key};
use crate::socket::Socket;

/// The timeout for the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the configuration that trusts the certificates of the system, if TLS is compiled in.
pub(super) fn system() -> Option<ClientTls> {
    Some(ClientTls::new())
}

/// The TLS configuration of a client, for TLS 1.2 and 1.3 with HTTP/2 or HTTP/1.1 by ALPN (RFC
/// 9113, section 3.2): the certificates that the client trusts, and the certificate that it
/// presents to servers that request one.
///
/// By default, the client trusts the certificates that the system trusts, including authorities
/// that a company has installed there. On Linux these are the files that OpenSSL reads;
/// `SSL_CERT_FILE` names others.
///
/// ```no_run
/// # fn client() -> Result<manywire::Client, Box<dyn std::error::Error>> {
/// use manywire::{Client, ClientTls};
///
/// let tls = ClientTls::new()
///     .with_roots(&std::fs::read("our-authority.pem")?)?
///     .with_identity(&std::fs::read("chain.pem")?, &std::fs::read("key.pem")?)?;
/// let client = Client::new("https://hotels.example")?.tls(tls);
/// # Ok(client)
/// # }
/// ```
#[derive(Clone, Default)]
pub struct ClientTls {
    roots: Vec<CertificateDer<'static>>,
    without_system: bool,
    identity: Option<Arc<SingleCertAndKey>>,
}

impl ClientTls {
    /// Trusts the certificates of the system.
    pub fn new() -> ClientTls {
        ClientTls::default()
    }

    /// Trusts only these authorities, in PEM, and not those of the system.
    ///
    /// # Errors
    /// Returns an error for invalid PEM, or PEM without a certificate.
    pub fn from_roots(pem: &[u8]) -> Result<ClientTls, InvalidTls> {
        ClientTls { without_system: true, ..ClientTls::new() }.with_roots(pem)
    }

    /// Trusts these authorities, in PEM, in addition to those that are trusted already.
    ///
    /// # Errors
    /// Returns the errors of [`ClientTls::from_roots`].
    pub fn with_roots(mut self, pem: &[u8]) -> Result<ClientTls, InvalidTls> {
        let roots = certificates(pem)?;
        store(&roots)?;
        self.roots.extend(roots);
        Ok(self)
    }

    /// Presents this certificate, followed by its chain, to servers that request one, and proves
    /// its possession with the private key (PKCS #8, PKCS #1 or SEC 1). Both are in PEM.
    ///
    /// # Errors
    /// Returns an error for invalid PEM, for a missing certificate or key, and for a key that does
    /// not belong to the certificate.
    pub fn with_identity(mut self, chain: &[u8], key: &[u8]) -> Result<ClientTls, InvalidTls> {
        let (chain, key) = (certificates(chain)?, private_key(key)?);
        let identity = CertifiedKey::from_der(chain, key, &ring::default_provider())
            .map_err(|error| InvalidTls::new("the certificate and key cannot be used", error))?;
        self.identity = Some(Arc::new(identity.into()));
        Ok(self)
    }

    /// Returns the configuration for rustls.
    ///
    /// # Errors
    /// Returns an error if no authority of the system can be read.
    fn config(&self, http2: bool) -> Result<ClientConfig, InvalidTls> {
        let provider = Arc::new(ring::default_provider());
        let unusable = |error| InvalidTls::new("TLS cannot be used", error);
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .dangerous()
            .with_custom_certificate_verifier(self.verifier(provider)?);
        let mut config = match &self.identity {
            Some(identity) => config.with_client_cert_resolver(identity.clone()),
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = match http2 {
            true => vec![b"h2".to_vec()],
            false => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        };
        Ok(config)
    }

    /// Returns the verifier of server certificates.
    fn verifier(
        &self,
        provider: Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, InvalidTls> {
        if self.without_system {
            let roots = Arc::new(store(&self.roots)?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| InvalidTls::new("no certificates are trusted", error))?;
            return Ok(verifier);
        }
        let verifier = Verifier::new_with_extra_roots(self.roots.iter().cloned(), provider);
        let none = "no certificates are trusted: install those of the system (ca-certificates), \
                    or set roots with ClientTls::from_roots";
        Ok(Arc::new(verifier.map_err(|error| InvalidTls::new(none, error))?))
    }
}

fn store(roots: &[CertificateDer<'static>]) -> Result<RootCertStore, InvalidTls> {
    let mut store = RootCertStore::empty();
    for root in roots {
        let unusable = |error| InvalidTls::new("a certificate cannot be used", error);
        store.add(root.clone()).map_err(unusable)?;
    }
    Ok(store)
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientTls")
    }
}

/// The TLS connector. The system's certificates are read at the first handshake.
#[derive(Clone)]
pub(super) struct Handshake(Arc<LazyConnector>);

struct LazyConnector {
    tls: ClientTls,
    http2: bool,
    connector: OnceLock<Result<TlsConnector, InvalidTls>>,
}

impl Handshake {
    pub(super) fn new(tls: ClientTls, http2: bool) -> Handshake {
        Handshake(Arc::new(LazyConnector { tls, http2, connector: OnceLock::new() }))
    }

    /// Performs the handshake of a connection.
    ///
    /// # Errors
    /// Returns an error if the handshake fails or takes too long.
    pub(super) async fn handshake(&self, tcp: TcpStream, uri: &Uri) -> io::Result<Socket> {
        let LazyConnector { tls, http2, connector } = &*self.0;
        let connector = connector.get_or_init(|| Ok(Arc::new(tls.config(*http2)?).into()));
        let connector = connector.as_ref().map_err(|error| io::Error::other(error.clone()))?;
        let host = uri.host().unwrap_or_default();
        // An IPv6 address has brackets in a URI, and none in a certificate.
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let name = ServerName::try_from(bare.to_owned())
            .map_err(|_| io::Error::other(format!("invalid server name {host:?}")))?;
        let agreed =
            tokio::time::timeout(HANDSHAKE_TIMEOUT, connector.connect(name, Socket::Tcp(tcp)))
                .await;
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake timed out");
        Ok(Socket::Tls(Box::new(agreed.map_err(late)??.into())))
    }
}

impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handshake")
    }
}

/// Returns the error of rustls among the sources of an error.
fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e TlsError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<TlsError>() {
            return Some(found);
        }
        // `io::Error::source` skips the error that it wraps, so that one is inspected first.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// Returns whether an error comes from TLS, so that a retry would fail in the same way.
pub(super) fn is_tls_error(error: &(dyn Error + 'static)) -> bool {
    tls_error(error).is_some()
}

/// The alerts of a server that rejects the client's certificate. In TLS 1.3 they arrive after the
/// handshake, and HTTP/2 keeps only the text of the error that broke its connection.
const IDENTITY_ALERTS: [&str; 5] =
    ["CertificateRequired", "UnknownCA", "BadCertificate", "DecryptError", "AccessDenied"];

const IDENTITY_ADVICE: &str = "the server requires a client certificate that it trusts: set one \
                               with ClientTls::with_identity";

fn is_identity_rejected(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let words = error.to_string();
        if let Some((_, alert)) = words.split_once("received fatal alert: ") {
            return IDENTITY_ALERTS.iter().any(|name| alert.starts_with(name));
        }
        next = error.source();
    }
    false
}

/// Returns what a caller can do about an error.
pub(super) fn advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if is_identity_rejected(error) {
        return Some(IDENTITY_ADVICE);
    }
    Some(match tls_error(error)? {
        TlsError::InvalidCertificate(why) => match why {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "call the server by a name in its certificate, or give it a certificate for this name"
            }
            // An authority that was recreated under the same name has another signature.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "its issuer is not trusted: if the authority is your own, add it with \
                 ClientTls::with_roots; otherwise the server may lack intermediate certificates"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server needs a new certificate, or the clock of this machine is wrong"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the clock of this machine, or of the issuer of the certificate, is wrong"
            }
            _ => "the server needs another certificate",
        },
        TlsError::InvalidMessage(_) => {
            "the server does not speak TLS here: its base may begin with http://, or have \
             another port"
        }
        TlsError::NoApplicationProtocol
        | TlsError::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            "the server does not speak HTTP/2: leave out Client::http2"
        }
        _ => return None,
    })
}
