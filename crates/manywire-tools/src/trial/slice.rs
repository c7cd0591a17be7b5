//! One slice of a launch: requests for a fixed time, with the server's CPU clock read before and
//! after.

use std::time::Duration;

use crate::weigh::lanes::{FetchRequest, FetchResult, ServerStatistics, Session, Subject};
use crate::weigh::launch::LaunchError;

/// The parameters of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) url: &'a str,
    pub(crate) media_type: &'a str,
    pub(crate) coding: Option<&'a str>,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) nonce: Option<u32>,
    pub(crate) decode: bool,
    pub(crate) connections: usize,
    pub(crate) rate: Option<f64>,
    pub(crate) duration: Duration,
    pub(crate) timeout: Duration,
}

/// The result of a slice.
#[derive(Clone, Debug)]
pub(crate) struct SliceResult {
    pub(crate) fetched: FetchResult,
    /// CPU time of the server for each request that it answered, in nanoseconds.
    pub(crate) server_cpu_ns: Option<f64>,
}

/// The end of the client's or the server's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessFailure {
    pub(crate) side: &'static str,
    pub(crate) error: LaunchError,
}

/// A result, or the reason why it is missing. The outer error ends the launch.
pub(crate) type Attempt<T> = Result<Result<T, String>, ProcessFailure>;

pub(crate) fn client_failure(error: LaunchError) -> ProcessFailure {
    ProcessFailure { side: "client", error }
}

pub(crate) fn server_failure(error: LaunchError) -> ProcessFailure {
    ProcessFailure { side: "server", error }
}

/// The maximum number of requests in a slice; a lane stores sixteen bytes for each.
const REQUESTS_MAX: u64 = 1_000_000;

/// Makes the client send requests, and reads the CPU time that the server spent on them.
pub(crate) fn run_slice(
    client: &mut Session<'_>,
    server: Option<&mut Session<'_>>,
    request: &Request<'_>,
) -> Attempt<SliceResult> {
    let mut headers = request.headers.to_vec();
    headers.push(("Accept".to_owned(), request.media_type.to_owned()));
    // The field is always sent, because some clients otherwise add their own.
    let coding = request.coding.unwrap_or("identity");
    headers.push(("Accept-Encoding".to_owned(), coding.to_owned()));
    let fetch = FetchRequest {
        subject: request.subject,
        url: request.url,
        nonce: request.nonce,
        headers,
        decode: request.decode,
        connections: request.connections,
        rate: request.rate,
        requests: REQUESTS_MAX,
        duration: request.duration,
        timeout: request.timeout,
    };
    let mut server = server;
    let before = server_statistics(server.as_deref_mut())?;
    let fetched = match client.fetch(&fetch).map_err(client_failure)? {
        Ok(fetched) => fetched,
        Err(refusal) => return Ok(Err(format!("client: {refusal}"))),
    };
    let after = server_statistics(server)?;
    if fetched.errors > 0 {
        let (errors, all) = (fetched.errors, fetched.errors + fetched.requests);
        let first = fetched.error.as_deref().unwrap_or("the client gave no reason");
        return Ok(Err(format!("{errors} of {all} requests failed, the first: {first}")));
    }
    if fetched.requests == 0 {
        return Ok(Err("no request was answered".to_owned()));
    }
    let server_cpu_ns = before.zip(after).and_then(|(before, after)| {
        let requests = after.requests.saturating_sub(before.requests);
        let spent = after.cpu_ns? - before.cpu_ns?;
        (requests > 0 && spent >= 0.0).then(|| spent / requests as f64)
    });
    Ok(Ok(SliceResult { fetched, server_cpu_ns }))
}

fn server_statistics(
    server: Option<&mut Session<'_>>,
) -> Result<Option<ServerStatistics>, ProcessFailure> {
    match server {
        None => Ok(None),
        // A server without counters is measured only from outside.
        Some(server) => Ok(server.server_statistics().map_err(server_failure)?.ok()),
    }
}
