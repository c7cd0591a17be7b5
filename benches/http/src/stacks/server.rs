//! The server of every stack but ours, and the limits that all stacks share.

use std::io;
use std::pin::pin;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::process::ended;

/// The maximum length of a body in bytes, and the timeouts of head and body: the same in each stack
/// that can be configured.
pub(super) const BODY_BYTES_MAX: usize = 2 << 20;
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Protection against clients that send slowly or too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// The timeouts and the limit on bodies.
    Full,
    /// None, which no server on a network can do without.
    None,
}

/// The server of every stack but ours, with the least that a server needs.
pub(super) async fn listen<S, B>(service: S, protection: Protection) -> io::Result<()>
where
    S: hyper::service::Service<Request<Incoming>, Response = http::Response<B>>,
    S: Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: hyper::body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let mut ended = pin!(ended());
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            () = &mut ended => return Ok(()),
        };
        stream.set_nodelay(true)?;
        let mut builder = http1::Builder::new();
        match protection {
            Protection::Full => {
                builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
            }
            Protection::None => {
                builder.header_read_timeout(None);
            }
        }
        let connection = builder.serve_connection(TokioIo::new(stream), service.clone());
        // A client that disconnects is not an error of the server.
        tokio::spawn(async move { drop(connection.await) });
    }
}
