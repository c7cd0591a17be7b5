//! The server of every stack but ours, and the limits that all stacks share.

use std::io;
use std::pin::pin;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::Scenario;
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
    /// No timeouts and no limit, which would be unsafe on a network.
    None,
}

/// Runs the server of every stack but ours until the standard input ends, with the minimum of code
/// for the protocol of a scenario.
pub(super) async fn listen<S, B>(
    service: S,
    protection: Protection,
    scenario: Scenario,
) -> io::Result<()>
where
    S: hyper::service::Service<Request<Incoming>, Response = http::Response<B>>,
    S: Clone + Send + 'static,
    S::Future: Send + 'static,
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
        let (io, service) = (TokioIo::new(stream), service.clone());
        // A client that disconnects is not an error of the server.
        match scenario.is_http2() {
            true => {
                let connection = http2(protection).serve_connection(io, service);
                tokio::spawn(async move { drop(connection.await) });
            }
            false => {
                let connection = http1(protection).serve_connection(io, service);
                tokio::spawn(async move { drop(connection.await) });
            }
        }
    }
}

fn http1(protection: Protection) -> http1::Builder {
    let mut builder = http1::Builder::new();
    match protection {
        Protection::Full => {
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
        }
        Protection::None => {
            builder.header_read_timeout(None);
        }
    }
    builder
}

/// Configures HTTP/2. With full protection, the server sends a ping on a silent connection, as our
/// server does.
fn http2(protection: Protection) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    if protection == Protection::Full {
        builder
            .timer(TokioTimer::new())
            .keep_alive_interval(BODY_TIMEOUT)
            .keep_alive_timeout(HEAD_TIMEOUT);
    }
    builder
}
