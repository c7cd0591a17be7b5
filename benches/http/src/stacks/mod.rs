//! The servers. Each prints its address, and serves until its standard input ends.

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

/// The base.
pub const BASE: &str = "hyper";

/// Ours, as it is run: by its own `Server`.
pub const OURS: &str = "manywire";

/// Ours on the connection that the base has: what is not its own about the server is left out.
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

/// The most a body may take, in bytes, and how long a head or a body may take: the same in each
/// stack that can be told.
const BODY_BYTES_MAX: usize = 2 << 20;
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Whether a stack has what a scenario asks for.
pub fn has(stack: &str, scenario: Scenario) -> bool {
    match scenario {
        // Only these speak every format.
        Scenario::Catalogue(_) => [BASE, OURS, MOUNTED].contains(&stack),
        // An API is a tuple of types there, of 25 at most.
        Scenario::Last => stack != "typeway",
        _ => true,
    }
}

/// Serves a scenario, by the name it has on the command line, on this thread.
///
/// # Errors
/// When there is no such stack or scenario, or no port can be bound.
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

/// The server that every stack has but ours: what is left of one where all else is measured.
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
        // A client that leaves is no failure of the server.
        tokio::spawn(async move { drop(connection.await) });
    }
}
