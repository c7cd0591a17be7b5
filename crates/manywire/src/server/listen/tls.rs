//! TLS for accepted connections, with rustls.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

use crate::pem::{InvalidTls, certificates, private_key};
use crate::socket::Socket;

/// The TLS configuration of a server, for TLS 1.2 and 1.3: its certificate, and HTTP/2 and HTTP/1.1
/// by ALPN (RFC 9113, section 3.2).
///
/// ```no_run
/// # async fn serve(service: manywire::Service) -> Result<(), Box<dyn std::error::Error>> {
/// let tls = manywire::Tls::from_pem(&std::fs::read("chain.pem")?, &std::fs::read("key.pem")?)?;
/// service.bind("0.0.0.0:443").await?.tls(tls).run().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl Tls {
    /// Reads a certificate, followed by its chain, and its private key (PKCS #8, PKCS #1 or SEC 1),
    /// both in PEM.
    ///
    /// # Errors
    /// Returns an error for invalid PEM, for a missing certificate or key, and for a key that does
    /// not belong to the certificate.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Tls, InvalidTls> {
        let (chain, key) = (certificates(chain)?, private_key(key)?);
        let unusable = |error| InvalidTls::new("the certificate and key cannot be used", error);
        let provider = Arc::new(ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls(Arc::new(config).into()))
    }

    /// Performs the handshake of a connection.
    ///
    /// # Errors
    /// Returns an error if the handshake fails or takes too long.
    pub(super) async fn accept(&self, socket: Socket, timeout: Duration) -> io::Result<Socket> {
        let agreed = tokio::time::timeout(timeout, self.0.accept(socket)).await;
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake timed out");
        Ok(Socket::Tls(Box::new(agreed.map_err(late)??.into())))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}
