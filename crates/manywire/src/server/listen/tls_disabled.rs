//! Stand-in for the type of `tls` without the feature, so that callers need no `cfg`.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use crate::socket::Socket;

/// The TLS configuration of a server, which cannot exist.
#[derive(Clone, Debug)]
pub(super) struct Tls(Infallible);

impl Tls {
    pub(super) async fn accept(&self, _: Socket, _: Duration) -> io::Result<Socket> {
        match self.0 {}
    }
}
