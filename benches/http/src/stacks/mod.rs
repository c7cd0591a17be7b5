//! The servers. Each prints its address and serves until its standard input ends.

mod axum;
mod ours;
mod raw;
#[cfg(feature = "peers")]
mod typeway;
#[cfg(feature = "peers")]
mod warp;

use std::io;
use std::pin::pin;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use super::Scenario;
use super::process::ended;

pub use ours::manywire;

/// The name of the base.
pub const BASE: &str = "hyper";

/// The name of our service behind its own `Server`.
pub const OURS: &str = "manywire";

/// The name of our service on the same connection code as the base, without our server.
pub const MOUNTED: &str = "mounted";

/// The stacks, the base first.
pub const STACKS: &[&str] = &[
    BASE,
    OURS,
    MOUNTED,
    "axum",
    #[cfg(feature = "peers")]
    "warp",
    #[cfg(feature = "peers")]
    "typeway",
];

/// The maximum length of a body in bytes, and the timeouts of head and body: the same in each stack
/// that can be configured.
const BODY_BYTES_MAX: usize = 2 << 20;
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Returns true if a stack supports a scenario.
pub fn has(stack: &str, scenario: Scenario) -> bool {
    match scenario {
        // Only these stacks support every format.
        Scenario::Catalogue(_) => [BASE, OURS, MOUNTED].contains(&stack),
        // This framework defines an API as a tuple of at most 25 types.
        Scenario::Last => stack != "typeway",
        _ => true,
    }
}

/// Serves a scenario, by its name on the command line, on this thread.
///
/// # Errors
/// Returns an error for an unknown stack or scenario, or if no port can be bound.
pub fn run(stack: &str, scenario: &str) -> io::Result<()> {
    let scenario = Scenario::named(scenario).ok_or_else(|| io::Error::other("no such scenario"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(stack, scenario))
}

async fn serve(stack: &str, scenario: Scenario) -> io::Result<()> {
    match stack {
        OURS => ours::run(scenario).await,
        MOUNTED => listen(TowerToHyperService::new(manywire(scenario))).await,
        "axum" => listen(TowerToHyperService::new(axum::router(scenario))).await,
        #[cfg(feature = "peers")]
        "warp" => listen(TowerToHyperService::new(warp::service(scenario))).await,
        #[cfg(feature = "peers")]
        "typeway" => listen(TowerToHyperService::new(typeway::service())).await,
        BASE => raw::run(scenario).await,
        other => Err(io::Error::other(format!("there is no stack {other}"))),
    }
}

/// The server of every stack but ours, with the least that a server needs.
async fn listen<S, B>(service: S) -> io::Result<()>
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
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service.clone());
        // A client that disconnects is not an error of the server.
        tokio::spawn(async move { drop(connection.await) });
    }
}
