//! What to do about a connection on which the ends could not agree.

use std::error::Error;
use std::io;

use tokio_rustls::rustls::{AlertDescription, CertificateError, Error as TlsError};

/// What rustls says at the bottom of an error, if it says anything.
fn said<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e TlsError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(said) = error.downcast_ref::<TlsError>() {
            return Some(said);
        }
        // An error of input and output says what is below the one it holds, and not that one.
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match held {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    None
}

/// Whether it is of no use to try again: the other end will be the same.
pub(in super::super) fn is_refused(error: &(dyn Error + 'static)) -> bool {
    said(error).is_some()
}

/// What a server says that does not trust its client. In TLS 1.3 that comes when the connection is
/// made already, and HTTP/2 keeps of what broke its connection the words alone.
const DISTRUSTED: [&str; 5] =
    ["CertificateRequired", "UnknownCA", "BadCertificate", "DecryptError", "AccessDenied"];

const SHOW_IDENTITY: &str = "the server wants a certificate of the client that it trusts: give one \
                             by ClientTls::with_identity";

fn is_distrusted(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let words = error.to_string();
        if let Some((_, alert)) = words.split_once("received fatal alert: ") {
            return DISTRUSTED.iter().any(|name| alert.starts_with(name));
        }
        next = error.source();
    }
    false
}

/// What whoever calls can do about it.
pub(in super::super) fn advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if is_distrusted(error) {
        return Some(SHOW_IDENTITY);
    }
    Some(match said(error)? {
        TlsError::InvalidCertificate(why) => match why {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "call the server by a name of its certificate, or have it show one for this name"
            }
            // An authority that has been made anew under its old name signs otherwise.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "nobody who is trusted here vouches for it: if the authority is your own, name it \
                 by ClientTls::with_roots; else the server may not send the certificates between"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server needs a new certificate, or the clock here is wrong"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the clock of this machine, or of whoever made the certificate, is wrong"
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
