//! Requests that make a lane serve, or send requests to a server, over HTTP or another transport. `trial` uses
//! them.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::session::{Answer, Peers, Session};
use super::transport::Transport;
use crate::weigh::launch::LaunchError;
use crate::weigh::subject::Subject;

/// A subject that a server offers.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The subject, which has been loaded.
    pub subject: &'a Subject,
    /// The media type of the responses.
    pub media_type: &'a str,
}

/// The counters of a server since its process began.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct ServerStatistics {
    /// Requests answered without an error.
    pub requests: u64,
    /// CPU time of the process since it began, in nanoseconds.
    pub cpu_ns: Option<f64>,
    /// Garbage collections in the process.
    pub collections: Option<f64>,
}

/// A series of requests that a client sends.
#[derive(Clone, Debug)]
pub struct FetchRequest<'a> {
    /// The subject that decodes the responses.
    pub subject: &'a Subject,
    /// The URL, whose scheme names the transport: `tcp` for ZeroMQ. If there is a nonce, it is appended for
    /// each request.
    pub url: &'a str,
    /// The first half of every nonce; the second half counts requests. `None` for a service that
    /// does not support nonces.
    pub nonce: Option<u32>,
    /// Header fields of every request.
    pub headers: Vec<(String, String)>,
    /// Decodes responses if set, and otherwise drops them undecoded.
    pub decode: bool,
    /// Connections, each with one request under way at a time.
    pub connections: usize,
    /// Requests per second at planned instants; `None` for a closed loop.
    pub rate: Option<f64>,
    /// The maximum number of requests.
    pub requests: u64,
    /// The time after which no request is started.
    pub duration: Duration,
    /// The time limit of one response.
    pub timeout: Duration,
}

/// The result of a series of requests. Latencies and lags follow the answer in two frames.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FetchResult {
    /// Requests without error.
    pub requests: u64,
    /// The number of requests that failed.
    pub errors: u64,
    /// The first failure.
    pub error: Option<String>,
    /// Bytes of the bodies, with their envelopes.
    pub body_bytes: u64,
    /// The time from the first request to the last answer, in nanoseconds.
    pub wall_ns: f64,
    /// CPU time of the client in this time, in nanoseconds.
    pub cpu_ns: Option<f64>,
    /// Latencies in nanoseconds, in the order in which answers came.
    #[serde(skip)]
    pub latencies_ns: Vec<u64>,
    /// The delay of each request against its planned instant, in nanoseconds; empty for a closed
    /// loop.
    #[serde(skip)]
    pub lags_ns: Vec<u64>,
}

#[derive(Deserialize)]
struct ServeReply {
    port: u16,
}

impl Session<'_> {
    /// Returns the lane's server and client over a transport, if it has them.
    pub fn peers(&self, transport: Transport) -> Option<&Peers> {
        match transport {
            Transport::Http => self.description.http.as_ref(),
            Transport::Zeromq => self.description.zeromq.as_ref(),
        }
    }

    /// Starts the lane's server on the loopback interface and returns the port.
    ///
    /// # Errors
    ///
    /// Fails with the outer error if the process ended, and with the inner error if the lane
    /// refused.
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

    /// Returns the counters of the lane's server.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::serve`] does.
    pub fn server_statistics(&mut self) -> Answer<ServerStatistics> {
        self.ask(&json!({ "verb": "served" }), Vec::new())
    }

    /// Makes the lane send requests.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::serve`] does.
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
        // The answer comes after all requests, so their time is added to the limit.
        let patience = self.limit;
        self.limit = patience + fetch.duration + fetch.timeout;
        let fetched = self.fetched(&request, fetch);
        self.limit = patience;
        fetched
    }

    fn fetched(&mut self, request: &Value, fetch: &FetchRequest<'_>) -> Answer<FetchResult> {
        let mut result = match self.ask::<FetchResult>(request, Vec::new())? {
            Ok(result) => result,
            Err(refusal) => return Ok(Err(refusal)),
        };
        result.latencies_ns = times(&self.receive()?)?;
        result.lags_ns = times(&self.receive()?)?;
        let invalid = |what: String| {
            Err(LaunchError::InvalidAnswer(format!("the answer to \"fetch\": {what}")))
        };
        let FetchResult { requests, wall_ns, .. } = result;
        let (count, most) = (result.latencies_ns.len() as u64, fetch.requests);
        if count != requests || count > most {
            return invalid(format!("{count} latencies of {requests} requests, at most {most}"));
        }
        let lags = result.lags_ns.len() as u64;
        if lags != if fetch.rate.is_some() { count } else { 0 } {
            return invalid(format!("{lags} lags of {count} requests"));
        }
        if !(wall_ns.is_finite() && wall_ns > 0.0) {
            return invalid(format!("invalid duration of {wall_ns} ns"));
        }
        Ok(Ok(result))
    }
}

/// Reads the times of a frame: eight bytes each, big-endian.
fn times(frame: &[u8]) -> Result<Vec<u64>, LaunchError> {
    let (times, rest) = frame.as_chunks::<8>();
    if !rest.is_empty() {
        let what =
            format!("a frame of times has {} bytes, which is not a multiple of 8", frame.len());
        return Err(LaunchError::InvalidAnswer(what));
    }
    Ok(times.iter().map(|bytes| u64::from_be_bytes(*bytes)).collect())
}
