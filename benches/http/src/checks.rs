//! Checks of the servers: every server responds to every scenario, and our service has all defaults
//! on, because a server without them would not be comparable.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use tower_service::Service as _;

use crate::exchange::Exchange;
use crate::process::Server;
use crate::stacks::{STACKS, has, manywire};
use crate::{Scenario, client};

/// The number of requests per scenario.
const TIMES: usize = 20;

/// Sends every stack the requests of its scenarios, and checks the responses.
///
/// # Errors
/// Returns an error if a server fails or responds wrongly.
pub fn smoke() -> io::Result<()> {
    let formats = Scenario::LOADED.into_iter().filter(|it| !Scenario::COUNTED.contains(it));
    for scenario in Scenario::COUNTED.into_iter().chain(formats) {
        let exchange = Exchange::for_scenario(scenario);
        for stack in STACKS.iter().filter(|stack| has(stack, scenario)) {
            let result = Server::start(&[], stack, scenario).and_then(|server| {
                client::exchange(&server.address, &exchange, TIMES)?;
                server.end()
            });
            result.map_err(|error| {
                io::Error::other(format!("{stack}, {}: {error}", scenario.name()))
            })?;
        }
    }
    Ok(())
}

/// Checks the defaults and returns their description.
///
/// # Errors
/// Returns an error if a response lacks `Vary`, or if a client that accepts no offered type is not
/// refused.
pub fn defaults() -> io::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let head = |accept: &'static str| {
        let mut service = manywire(Scenario::Hotels);
        let request = Request::get("/hotels").header("accept", accept);
        runtime.block_on(async {
            let request = request.body(Full::<Bytes>::default()).map_err(io::Error::other)?;
            let response: Result<_, Infallible> = service.call(request).await;
            match response {
                Ok(response) => Ok::<_, io::Error>(response),
                Err(never) => match never {},
            }
        })
    };
    if !head("*/*")?.headers().contains_key("vary") {
        return Err(io::Error::other("a response lacks Vary"));
    }
    let status = head("text/html")?.status();
    if status != 406 {
        return Err(io::Error::other(format!("expected 406 for text/html, found {status}")));
    }
    let limits = manywire(Scenario::Tiny).limits();
    Ok(format!(
        "on: negotiation of 6 formats and 3 codings (406, Vary), problem bodies, bodies up to {} \
         bytes, {:?} for a head, {:?} between pieces of a body; off: subscriber, metrics",
        limits.body_bytes, limits.header_timeout, limits.body_idle_timeout
    ))
}
