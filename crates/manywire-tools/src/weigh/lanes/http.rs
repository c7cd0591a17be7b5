//! A lane as a server, and as a client of one.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::manifest::Subject;
use super::session::{Answer, Session};
use crate::weigh::launch::LaunchError;

/// How a lane serves and asks over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Http {
    /// What answers, as the runtime's users call it.
    pub server: String,
    /// What asks.
    pub client: String,
    /// The content codings of both.
    pub codings: Vec<String>,
}

/// A subject that a server offers.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The subject, which has been loaded.
    pub subject: &'a Subject,
    /// The media type of its answers.
    pub media_type: &'a str,
}

/// What a server has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct ServerStatistics {
    /// Requests answered with 200.
    pub requests: u64,
    /// CPU time of its process since that began, in nanoseconds.
    pub cpu_ns: Option<f64>,
    /// Collections of garbage in it.
    pub collections: Option<f64>,
}

/// What a client is to ask for, and how often.
#[derive(Clone, Debug)]
pub struct FetchRequest<'a> {
    /// Whose coder reads the answers.
    pub subject: &'a Subject,
    /// What the nonce of each request is appended to; all of it, where there is no nonce.
    pub url: &'a str,
    /// The first half of every nonce; the other counts requests. `None` for a service that knows
    /// nothing of nonces.
    pub nonce: Option<u32>,
    /// Header fields of every request.
    pub headers: Vec<(String, String)>,
    /// Whether answers are decoded, or dropped as they came.
    pub decode: bool,
    /// Connections, each with one request under way at a time.
    pub connections: usize,
    /// Requests a second at planned instants; `None` for a closed loop.
    pub rate: Option<f64>,
    /// No more requests than this.
    pub requests: u64,
    /// None is begun later than this.
    pub duration: Duration,
    /// When an answer is given up.
    pub timeout: Duration,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchResult {
    /// Requests without error.
    pub requests: u64,
    /// Requests that failed, and the first failure in words.
    pub errors: u64,
    /// The first failure.
    pub error: Option<String>,
    /// Bytes of the bodies, with their envelopes.
    pub body_bytes: u64,
    /// From the first request to the last answer, in nanoseconds.
    pub wall_ns: f64,
    /// CPU time of the client meanwhile, in nanoseconds.
    pub cpu_ns: Option<f64>,
    /// Latencies in nanoseconds, in the order in which answers came.
    pub latencies_ns: Vec<u64>,
    /// How much later than planned each was sent, in nanoseconds; empty for a closed loop.
    pub lags_ns: Vec<u64>,
}

#[derive(Deserialize)]
struct ServeReply {
    port: u16,
}

#[derive(Deserialize)]
struct FetchReply {
    requests: u64,
    errors: u64,
    error: Option<String>,
    body_bytes: u64,
    wall_ns: f64,
    cpu_ns: Option<f64>,
}

impl Session<'_> {
    /// How it serves and asks, if it can.
    pub fn http(&self) -> Option<&Http> {
        self.description.http.as_ref()
    }

    /// Starts its server on the loopback interface; the port.
    ///
    /// # Errors
    ///
    /// The end of the process; within, why the lane refuses.
    pub fn serve(&mut self, offers: &[Offer<'_>]) -> Answer<u16> {
        let offers: Vec<Value> = offers
            .iter()
            .map(|offer| {
                json!({ "subject": self.index(offer.subject), "media_type": offer.media_type })
            })
            .collect();
        let answer =
            self.ask::<ServeReply>(&json!({ "verb": "serve", "offers": offers }), vec![])?;
        Ok(answer.map(|answer| answer.port))
    }

    /// What its server has done so far.
    ///
    /// # Errors
    ///
    /// As of [`Session::serve`].
    pub fn server_statistics(&mut self) -> Answer<ServerStatistics> {
        self.ask(&json!({ "verb": "served" }), Vec::new())
    }

    /// Lets it ask.
    ///
    /// # Errors
    ///
    /// As of [`Session::serve`].
    pub fn fetch(&mut self, fetch: &FetchRequest<'_>) -> Answer<FetchResult> {
        let rest = json!({
            "url": fetch.url,
            "nonce": fetch.nonce.map(|nonce| format!("{nonce:08x}")),
            "headers": fetch.headers,
            "decode": fetch.decode,
            "connections": fetch.connections,
            "rate": fetch.rate,
            "requests": fetch.requests,
            "duration_ms": fetch.duration.as_secs_f64() * 1e3,
            "timeout_ms": fetch.timeout.as_secs_f64() * 1e3,
        });
        let request = self.request("fetch", fetch.subject, rest);
        // What the client was told to take is not held against it.
        let patience = self.limit;
        self.limit = patience + fetch.duration + fetch.timeout;
        let fetched = self.fetched(&request, fetch);
        self.limit = patience;
        fetched
    }

    fn fetched(&mut self, request: &Value, fetch: &FetchRequest<'_>) -> Answer<FetchResult> {
        let head = match self.ask::<FetchReply>(request, Vec::new())? {
            Ok(head) => head,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let latencies_ns = times(&self.receive()?)?;
        let lags_ns = times(&self.receive()?)?;
        let garbage = |what: String| Err(LaunchError::Garbage(format!("of a fetch: {what}")));
        let count = latencies_ns.len() as u64;
        if count != head.requests || count > fetch.requests {
            let (said, most) = (head.requests, fetch.requests);
            return garbage(format!("{count} latencies of {said} requests, at most {most}"));
        }
        if lags_ns.len() != if fetch.rate.is_some() { latencies_ns.len() } else { 0 } {
            return garbage(format!("{} lags of {count} requests", lags_ns.len()));
        }
        if !(head.wall_ns.is_finite() && head.wall_ns > 0.0) {
            return garbage(format!("it took {} ns", head.wall_ns));
        }
        let FetchReply { requests, errors, error, body_bytes, wall_ns, cpu_ns } = head;
        Ok(Ok(FetchResult {
            requests,
            errors,
            error,
            body_bytes,
            wall_ns,
            cpu_ns,
            latencies_ns,
            lags_ns,
        }))
    }
}

/// Times of a frame: eight bytes each, most significant first.
fn times(frame: &[u8]) -> Result<Vec<u64>, LaunchError> {
    let (times, rest) = frame.as_chunks::<8>();
    if !rest.is_empty() {
        let what = format!("a frame of times that has {} bytes, no multiple of 8", frame.len());
        return Err(LaunchError::Garbage(what));
    }
    Ok(times.iter().map(|bytes| u64::from_be_bytes(*bytes)).collect())
}
