//! Stand-ins for the types of `tls` without the feature `client-tls`, so that callers need no `cfg`.

use std::convert::Infallible;
use std::error::Error;
use std::io;

use http::Uri;
use tokio::net::TcpStream;

use crate::socket::Socket;

/// The TLS configuration of a client, which cannot exist.
#[derive(Clone, Debug)]
pub(super) struct ClientTls(Infallible);

/// Returns the configuration that trusts the certificates of the system, if TLS is compiled in.
pub(super) fn system() -> Option<ClientTls> {
    None
}

/// A connector that makes the TLS handshake, which cannot exist.
#[derive(Clone, Debug)]
pub(super) struct Handshake(Infallible);

impl Handshake {
    pub(super) fn new(tls: ClientTls, _: bool) -> Handshake {
        match tls.0 {}
    }

    pub(super) async fn handshake(&self, _: TcpStream, _: &Uri) -> io::Result<Socket> {
        match self.0 {}
    }
}

/// Returns false: no connection is encrypted.
pub(super) fn is_tls_error(_: &(dyn Error + 'static)) -> bool {
    false
}

/// Returns nothing: no connection is encrypted.
pub(super) fn advice(_: &(dyn Error + 'static)) -> Option<&'static str> {
    None
}
