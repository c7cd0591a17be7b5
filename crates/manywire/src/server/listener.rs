//! What connections come in by.

use std::io;

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;

use crate::socket::Socket;

/// What is listened on.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    pub(super) async fn accept(&self) -> io::Result<Socket> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Small answers should not wait for more to be sent with them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a socket keeps delaying");
                }
                Ok(Socket::Tcp(stream))
            }
            #[cfg(unix)]
            Listener::Unix(listener) => Ok(Socket::Unix(listener.accept().await?.0)),
        }
    }
}
