//! One slice of a launch: requests for a fixed time, with the server's CPU clock read before and
//! after.

use std::thread;
use std::time::Duration;

use crate::trial::error::{CellError, ProcessError};
use crate::weigh::lanes::{Answer, FetchRequest, FetchResult, ServerStatistics, Session};
use crate::weigh::launch::{LaunchError, Refusal};
use crate::weigh::subject::Subject;

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

/// A result, or the reason why it is missing. The outer error ends the launch.
pub(crate) type Attempt<T> = Result<Result<T, CellError>, ProcessError>;

/// The maximum number of requests in a slice; a lane stores sixteen bytes for each.
const REQUESTS_MAX: u64 = 1_000_000;

/// Returns the header fields of a request: the given ones, and those that choose the representation.
fn request_headers(
    given: &[(String, String)],
    media_type: &str,
    coding: Option<&str>,
) -> Vec<(String, String)> {
    let mut headers = given.to_vec();
    headers.push(("Accept".to_owned(), media_type.to_owned()));
    // The field is always sent, because some clients otherwise add their own. Beside a given one, it
    // would accept what the lane then counts as a coding that was not requested.
    if !given.iter().any(|(name, _)| name.eq_ignore_ascii_case("Accept-Encoding")) {
        let coding = coding.unwrap_or("identity");
        headers.push(("Accept-Encoding".to_owned(), coding.to_owned()));
    }
    headers
}

/// Makes the clients send requests at the same time, and reads the CPU time that the server spent on
/// them.
pub(crate) fn run_slice(
    clients: &mut [&mut Session<'_>],
    server: Option<&mut Session<'_>>,
    request: &Request<'_>,
) -> Attempt<SliceResult> {
    let fetch = FetchRequest {
        subject: request.subject,
        url: request.url,
        nonce: request.nonce,
        headers: request_headers(request.headers, request.media_type, request.coding),
        decode: request.decode,
        connections: request.connections,
        rate: request.rate,
        requests: REQUESTS_MAX,
        duration: request.duration,
        timeout: request.timeout,
    };
    let mut server = server;
    let before = server_statistics(server.as_deref_mut())?;
    let fetched = match fetch_all(clients, &fetch).map_err(ProcessError::client)? {
        Ok(fetched) => fetched,
        Err(refusal) => return Ok(Err(CellError::client(&refusal))),
    };
    let after = server_statistics(server)?;
    if fetched.errors > 0 {
        let all = fetched.errors + fetched.requests;
        return Ok(Err(CellError::Requests { failed: fetched.errors, all, first: fetched.error }));
    }
    if fetched.requests == 0 {
        return Ok(Err(CellError::NoAnswer));
    }
    let server_cpu_ns = before.zip(after).and_then(|(before, after)| {
        let requests = after.requests.saturating_sub(before.requests);
        let spent = after.cpu_ns? - before.cpu_ns?;
        (requests > 0 && spent >= 0.0).then(|| spent / requests as f64)
    });
    Ok(Ok(SliceResult { fetched, server_cpu_ns }))
}

/// Sends the requests of every client at the same time, each from a thread, and adds up the results.
fn fetch_all(clients: &mut [&mut Session<'_>], fetch: &FetchRequest<'_>) -> Answer<FetchResult> {
    if let [client] = clients {
        return client.fetch(fetch);
    }
    let answers: Vec<Answer<FetchResult>> = thread::scope(|scope| {
        let start = |(number, client): (usize, &mut &mut Session<'_>)| {
            // Each client uses different nonces.
            let nonce = fetch.nonce.map(|nonce| nonce.wrapping_add(number as u32));
            let fetch = FetchRequest { nonce, ..fetch.clone() };
            client.fetch(&fetch)
        };
        let threads: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|client| scope.spawn(move || start(client)))
            .collect();
        let ended = || Err(LaunchError::Crashed("a thread of a client ended".to_owned()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| ended())).collect()
    });
    let mut sum: Option<FetchResult> = None;
    for answer in answers {
        let fetched = match answer? {
            Ok(fetched) => fetched,
            Err(refusal) => return Ok(Err(refusal)),
        };
        sum = Some(match sum {
            None => fetched,
            Some(sum) => add(sum, fetched),
        });
    }
    Ok(sum.ok_or_else(|| Refusal("no client".to_owned())))
}

/// Adds the result of a client to that of others at the same time.
fn add(mut sum: FetchResult, fetched: FetchResult) -> FetchResult {
    sum.requests += fetched.requests;
    sum.errors += fetched.errors;
    sum.error = sum.error.or(fetched.error);
    sum.body_bytes += fetched.body_bytes;
    sum.wall_ns = sum.wall_ns.max(fetched.wall_ns);
    sum.cpu_ns = sum.cpu_ns.zip(fetched.cpu_ns).map(|(sum, spent)| sum + spent);
    sum.latencies_ns.extend(fetched.latencies_ns);
    sum.lags_ns.extend(fetched.lags_ns);
    sum
}

fn server_statistics(
    server: Option<&mut Session<'_>>,
) -> Result<Option<ServerStatistics>, ProcessError> {
    match server {
        None => Ok(None),
        // A server without counters is measured only from outside.
        Some(server) => Ok(server.server_statistics().map_err(ProcessError::server)?.ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::request_headers;

    #[test]
    fn a_given_coding_is_the_only_one() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let accept = field("Accept", "application/cbor");
        let (key, gzip) = (field("x-key", "1"), field("accept-encoding", "gzip"));
        for (given, coding, last) in [
            (vec![key.clone()], None, vec![field("Accept-Encoding", "identity")]),
            (vec![key.clone()], Some("gzip"), vec![field("Accept-Encoding", "gzip")]),
            (vec![key, gzip], None, Vec::new()),
        ] {
            let expected = [given.clone(), vec![accept.clone()], last].concat();
            assert_eq!(request_headers(&given, "application/cbor", coding), expected);
        }
    }
}
