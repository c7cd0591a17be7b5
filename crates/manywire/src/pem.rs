//! Certificates and keys in PEM, for either end of a connection.

use std::fmt;

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Parses the certificates of a PEM text.
///
/// # Errors
/// Returns an error for invalid PEM, or PEM without a certificate.
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, InvalidTls> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| InvalidTls::new("the certificates are not valid PEM", error))?;
    if certificates.is_empty() {
        let cause = "expected a section BEGIN CERTIFICATE, found none";
        return Err(InvalidTls::new("no certificate was found", cause));
    }
    Ok(certificates)
}

/// Parses the private key of a PEM text.
///
/// # Errors
/// Returns an error for invalid PEM, or PEM without a key.
pub(crate) fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, InvalidTls> {
    PrivateKeyDer::from_pem_slice(pem)
        .map_err(|error| InvalidTls::new("no private key was found in the PEM", error))
}

/// The error for a certificate or key that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTls {
    context: &'static str,
    cause: String,
}

impl InvalidTls {
    #[cold]
    pub(crate) fn new(context: &'static str, cause: impl fmt::Display) -> Self {
        InvalidTls { context, cause: cause.to_string() }
    }
}

impl fmt::Display for InvalidTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.context, self.cause)
    }
}

impl std::error::Error for InvalidTls {}
