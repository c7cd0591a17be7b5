//! A check that all defaults of our service are on, because a server without them would not be
//! comparable.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use tower_service::Service as _;

use super::Scenario;
use super::stacks::manywire;

/// Checks the defaults and returns their description.
///
/// # Errors
/// Returns an error if a response lacks `Vary`, or if a client that accepts no offered type gets a
/// response with a body.
pub fn check() -> io::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let head = |accept: &'static str| {
        let mut service = manywire(Scenario::Hotels);
        let request = Request::get("/hotels").header("accept", accept);
        runtime.block_on(async {
            let request = request.body(Full::<Bytes>::default()).map_err(io::Error::other)?;
            let answered: Result<_, Infallible> = service.call(request).await;
            match answered {
                Ok(response) => Ok::<_, io::Error>(response),
                Err(never) => match never {},
            }
        })
    };
    if !head("*/*")?.headers().contains_key("vary") {
        return Err(io::Error::other("an answer lacks Vary"));
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
