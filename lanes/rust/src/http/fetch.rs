//! The clients: that of hyper, with its connection pool, and that of ZeroMQ.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::header::CONTENT_ENCODING;
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use manywire_meter::cpu_ns;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

use super::{Answer, NONCE_DIGITS, inflate, zeromq};
use crate::coder::Payloads;
use crate::error::Result;

/// The number of errors after which no new requests are started.
const ERRORS_MAX: u64 = 100;

/// The maximum delay of a tokio timer. The client sleeps until this long before an instant, and
/// then yields in a loop.
const TIMER: Duration = Duration::from_micros(1_500);

/// The arguments of `fetch`.
#[derive(Deserialize)]
pub(crate) struct Fetch {
    url: String,
    nonce: Option<String>,
    headers: Vec<(String, String)>,
    decode: bool,
    connections: usize,
    rate: Option<f64>,
    requests: u64,
    duration_ms: f64,
    timeout_ms: f64,
}

impl Fetch {
    /// Returns whether the requests accept a content coding.
    fn accepts(&self, coding: &[u8]) -> bool {
        let accepted =
            self.headers.iter().rfind(|(name, _)| name.eq_ignore_ascii_case("accept-encoding"));
        coding == b"identity" || accepted.is_some_and(|(_, accepted)| accepted.as_bytes() == coding)
    }
}

/// The state of one fetch.
struct Fetcher {
    arguments: Fetch,
    duration: Duration,
    timeout: Duration,
    coder: Arc<dyn Payloads>,
    client: FetchClient,
    state: Mutex<State>,
}

/// A connection pool, or the connections of ZeroMQ.
enum FetchClient {
    Plain(Client<HttpConnector, Empty<Bytes>>),
    Secure(Client<HttpsConnector<HttpConnector>, Empty<Bytes>>),
    Zeromq(zeromq::Connections),
}

impl FetchClient {
    /// Returns the client for the URL of `arguments`, whose scheme names the transport. TLS is set up
    /// only for `https`.
    fn new(arguments: &Fetch) -> Result<FetchClient> {
        if arguments.url.starts_with(zeromq::SCHEME) {
            let Fetch { url, headers, connections, .. } = arguments;
            return Ok(FetchClient::Zeromq(zeromq::Connections::new(url, headers, *connections)?));
        }
        let mut pool = Client::builder(TokioExecutor::new());
        pool.pool_timer(TokioTimer::new()).pool_max_idle_per_host(arguments.connections);
        if !arguments.url.starts_with("https:") {
            return Ok(FetchClient::Plain(pool.build_http()));
        }
        let connector = HttpsConnectorBuilder::new().with_native_roots()?;
        Ok(FetchClient::Secure(pool.build(connector.https_only().enable_http1().build())))
    }

    /// Sends a request: over ZeroMQ on `connection`, over HTTP on one that the pool chooses.
    async fn get(
        &self,
        arguments: &Fetch,
        connection: usize,
        nonce: &str,
    ) -> Result<Answer, String> {
        match self {
            FetchClient::Plain(client) => {
                get(|request| client.request(request), arguments, nonce).await
            }
            FetchClient::Secure(client) => {
                get(|request| client.request(request), arguments, nonce).await
            }
            FetchClient::Zeromq(connections) => connections.get(connection, nonce).await,
        }
    }
}

/// Sends one request over HTTP.
async fn get(
    send: impl Fn(Request<Empty<Bytes>>) -> ResponseFuture,
    arguments: &Fetch,
    nonce: &str,
) -> Result<Answer, String> {
    let mut request =
        Request::builder().method(Method::GET).uri(format!("{}{nonce}", arguments.url));
    for (name, value) in &arguments.headers {
        request = request.header(name, value);
    }
    let request = request.body(Empty::new()).map_err(|error| words(&error))?;
    let (head, body) = send(request).await.map_err(|error| words(&error))?.into_parts();
    let body = body.collect().await.map_err(|error| words(&error))?.to_bytes();
    if head.status != StatusCode::OK {
        let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        return Err(format!("status {}: {shown:?}", head.status));
    }
    let coding = head.headers.get(CONTENT_ENCODING);
    let coding = coding.map(|coding| Bytes::copy_from_slice(coding.as_bytes()));
    if let Some(coding) = coding.as_deref().filter(|coding| !arguments.accepts(coding)) {
        let coding = String::from_utf8_lossy(coding);
        return Err(format!("unexpected content coding {coding:?}"));
    }
    Ok(Answer { body, coding })
}

#[derive(Default)]
struct State {
    next: u64,
    planned: u64,
    errors: u64,
    first: Option<String>,
    body_bytes: u64,
    latencies: Vec<u64>,
    lags: Vec<u64>,
}

/// The next request.
struct Turn {
    number: u64,
    planned: Option<Instant>,
}

/// Runs a fetch in a closed or open loop.
pub(crate) fn fetch(coder: Arc<dyn Payloads>, arguments: Fetch) -> Result<(Json, Vec<Vec<u8>>)> {
    if arguments.connections == 0 || arguments.rate.is_some_and(|rate| rate.is_nan() || rate <= 0.0)
    {
        let (connections, rate) = (arguments.connections, arguments.rate);
        return Err(format!("{connections} connections at a rate of {rate:?}").into());
    }
    let duration = Duration::try_from_secs_f64(arguments.duration_ms / 1e3)?;
    let timeout = Duration::try_from_secs_f64(arguments.timeout_ms / 1e3)?;
    let runtime = Runtime::new()?;
    let client = FetchClient::new(&arguments)?;
    let state = Mutex::default();
    let fetcher = Arc::new(Fetcher { arguments, duration, timeout, coder, client, state });
    runtime.block_on(fetcher.each(|fetcher, connection| async move {
        let number = fetcher.number();
        fetcher.count(connection, number, Instant::now(), None).await;
    }));
    let opened = std::mem::take(&mut *fetcher.state());
    if let Some(first) = opened.first {
        // The clock does not start: the figures would be meaningless.
        return Err(format!("the first request failed: {first}").into());
    }
    fetcher.state().next = opened.next;
    let (cpu, start) = (cpu_ns(), Instant::now());
    runtime.block_on(fetcher.each(move |fetcher, connection| async move {
        while let Some(turn) = fetcher.turn(start) {
            if let Some(planned) = turn.planned {
                until(planned).await;
            }
            fetcher.count(connection, turn.number, Instant::now(), turn.planned).await;
        }
    }));
    let wall_ns = nanoseconds(start.elapsed());
    let cpu = cpu.zip(cpu_ns()).map(|(before, after)| after.saturating_sub(before));
    let state = std::mem::take(&mut *fetcher.state());
    let head = json!({
        "requests": state.latencies.len(), "errors": state.errors, "error": state.first,
        "body_bytes": state.body_bytes, "wall_ns": wall_ns, "cpu_ns": cpu, "collections": null,
    });
    Ok((head, vec![frame(&state.latencies), frame(&state.lags)]))
}

impl Fetcher {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a task on every connection, and waits for all of them.
    async fn each<F: Future<Output = ()> + Send + 'static>(
        self: &Arc<Self>,
        work: impl Fn(Arc<Fetcher>, usize) -> F,
    ) {
        let connections = 0..self.arguments.connections;
        let tasks: Vec<_> =
            connections.map(|at| tokio::spawn(work(Arc::clone(self), at))).collect();
        for task in tasks {
            if let Err(error) = task.await {
                self.failed(format!("panic: {error}"));
            }
        }
    }

    fn number(&self) -> u64 {
        let mut state = self.state();
        state.next += 1;
        state.next - 1
    }

    /// Returns the next request, or `None` after the duration, the last request or
    /// [`ERRORS_MAX`] errors.
    fn turn(&self, start: Instant) -> Option<Turn> {
        let mut state = self.state();
        let after = match self.arguments.rate {
            Some(rate) => Duration::try_from_secs_f64(state.planned as f64 / rate).ok()?,
            None => start.elapsed(),
        };
        let done = after > self.duration
            || state.planned >= self.arguments.requests
            || state.errors >= ERRORS_MAX;
        if done {
            return None;
        }
        state.planned += 1;
        state.next += 1;
        let planned = self.arguments.rate.map(|_| start + after);
        Some(Turn { number: state.next - 1, planned })
    }

    fn failed(&self, why: String) {
        let mut state = self.state();
        state.errors += 1;
        state.first.get_or_insert(why);
    }

    /// Sends a request and records its result.
    async fn count(&self, connection: usize, number: u64, sent: Instant, planned: Option<Instant>) {
        let request = tokio::time::timeout(self.timeout, self.request(connection, number)).await;
        let answer =
            request.unwrap_or_else(|_| Err(format!("no response within {:?}", self.timeout)));
        let latency = planned.unwrap_or(sent).elapsed();
        let bytes = match answer {
            Ok(bytes) => bytes,
            Err(why) => return self.failed(why),
        };
        let mut state = self.state();
        state.body_bytes += bytes;
        state.latencies.push(nanoseconds(latency));
        if let Some(planned) = planned {
            state.lags.push(nanoseconds(sent.saturating_duration_since(planned)));
        }
    }

    /// Sends one request, and returns the size of the response body.
    async fn request(&self, connection: usize, number: u64) -> Result<u64, String> {
        let nonce = self.arguments.nonce.as_ref();
        let nonce = nonce.map(|nonce| format!("{nonce}{number:08x}")).unwrap_or_default();
        let Answer { body, coding } = self.client.get(&self.arguments, connection, &nonce).await?;
        if !body.starts_with(nonce.as_bytes()) {
            let found = String::from_utf8_lossy(&body[..body.len().min(NONCE_DIGITS)]).into_owned();
            return Err(format!("expected a body that begins with {nonce}, found {found:?}"));
        }
        if self.arguments.decode {
            self.decode(&body[nonce.len()..], coding.as_deref())?;
        }
        Ok(body.len() as u64)
    }

    fn decode(&self, bytes: &[u8], coding: Option<&[u8]>) -> Result<(), String> {
        let decoded = match coding {
            None | Some(b"identity") => self.coder.decode(bytes),
            Some(b"gzip") => inflate(bytes).and_then(|bytes| self.coder.decode(&bytes)),
            Some(other) => {
                let other = String::from_utf8_lossy(other);
                return Err(format!("unexpected content coding {other:?}"));
            }
        };
        decoded.map_err(|error| error.to_string())
    }
}

/// Waits until an instant, with a yielding loop at the end.
async fn until(instant: Instant) {
    if let Some(early) = instant.checked_sub(TIMER)
        && early > Instant::now()
    {
        tokio::time::sleep_until(early.into()).await;
    }
    while Instant::now() < instant {
        tokio::task::yield_now().await;
    }
}

/// Formats an error with its causes.
fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn frame(times: &[u64]) -> Vec<u8> {
    times.iter().flat_map(|time| time.to_be_bytes()).collect()
}
