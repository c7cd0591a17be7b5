//! The servers: the `manywire` library, and as further servers hyper alone, axum over hyper, and ZeroMQ.

mod axum;
mod hyper;
mod manywire;
mod zeromq;

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ::hyper::header::HeaderValue;
use bytes::Bytes;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::{NONCE_DIGITS, deflate};
use crate::coder::Stock;
use crate::error::Result;

/// An offered subject.
#[derive(Deserialize)]
pub(crate) struct Offer {
    pub(crate) subject: usize,
    pub(crate) media_type: String,
}

/// A running server. It ends with the process.
pub(crate) struct Service {
    pub(crate) port: u16,
    answered: Arc<AtomicU64>,
    _runtime: Runtime,
}

impl Service {
    /// Returns the number of requests answered without an error.
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Relaxed)
    }
}

/// An offer with its prepared bodies.
struct Offered {
    media_type: HeaderValue,
    stock: Box<dyn Stock>,
    /// The bodies of the transport meter, uncompressed and compressed, by payload.
    made: [Vec<Vec<u8>>; 2],
}

/// The state that all requests share.
struct ServerState {
    offers: Vec<Offered>,
    answered: Arc<AtomicU64>,
}

/// The servers of the lane. All servers send the same bodies, and differ in the code between a
/// request and its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// The `manywire` library with its defaults.
    Manywire,
    /// hyper alone: the path is split by hand.
    Hyper,
    /// axum over hyper: a router and extractors.
    Axum,
    /// ZeroMQ instead of HTTP.
    Zeromq,
}

impl Server {
    const ALL: [Server; 4] = [Server::Manywire, Server::Hyper, Server::Axum, Server::Zeromq];

    /// Returns the server's name in the program's argument and in the description of the lane.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Server::Manywire => "manywire",
            Server::Hyper => "hyper",
            Server::Axum => "axum",
            Server::Zeromq => "zeromq",
        }
    }

    /// Returns the server that an argument of the program names.
    pub(crate) fn named(name: &str) -> Option<Server> {
        Server::ALL.into_iter().find(|server| server.name() == name)
    }
}

/// Starts a server of values on the loopback interface.
pub(crate) fn serve(server: Server, offers: Vec<(Offer, Box<dyn Stock>)>) -> Result<Service> {
    let answered = Arc::new(AtomicU64::new(0));
    let offers = offers.into_iter().map(|(offer, stock)| {
        let made = |gzip| -> Result<Vec<Vec<u8>>> {
            (0..stock.len()).map(|at| represent(&*stock, at, gzip)).collect()
        };
        let made = [made(false)?, made(true)?];
        Ok(Offered { media_type: HeaderValue::try_from(offer.media_type)?, stock, made })
    });
    let offers = offers.collect::<Result<_>>()?;
    let state = Arc::new(ServerState { offers, answered: Arc::clone(&answered) });
    let runtime = Runtime::new()?;
    let port = match server {
        Server::Manywire => manywire::start(&runtime, state)?,
        Server::Hyper => hyper::start(&runtime, state)?,
        Server::Axum => axum::start(&runtime, state)?,
        Server::Zeromq => zeromq::start(&runtime, state)?,
    };
    Ok(Service { port, answered, _runtime: runtime })
}

/// Listens on a free port of the loopback interface.
fn listen(runtime: &Runtime) -> Result<(TcpListener, u16)> {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// The errors of a server in a row: connections that it cannot accept, or messages that it cannot
/// receive.
#[derive(Default)]
struct ErrorsInRow {
    count: u32,
}

impl ErrorsInRow {
    /// The pause between two errors: open connections need time to end.
    const PAUSE: Duration = Duration::from_millis(10);

    /// The number of errors in a row that end the server. Each of many peers that end at the same
    /// time may cause one.
    const MAX: u32 = 500;

    /// Counts an error, and returns the pause before the next attempt. Returns `None` after
    /// [`ErrorsInRow::MAX`] errors. The first error causes no pause, which would delay other peers.
    fn count(&mut self) -> Option<Duration> {
        self.count += 1;
        match self.count {
            1 => Some(Duration::ZERO),
            ErrorsInRow::MAX.. => None,
            _ => Some(ErrorsInRow::PAUSE),
        }
    }

    /// Counts an error and waits, or returns the error if it ends the server.
    async fn pause<E>(&mut self, error: E) -> Result<(), E> {
        let pause = self.count().ok_or(error)?;
        // A timer without a duration still waits for up to a millisecond.
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }
}

/// Ends the process of a server that cannot continue.
fn end(error: &dyn Display) {
    eprintln!("the server cannot continue: {error}");
    std::process::exit(1)
}

/// The body of a response with its media type.
struct Body {
    bytes: Bytes,
    media_type: HeaderValue,
}

/// The reason that a response has no body.
enum NoBody {
    /// The offer does not exist, or the nonce is invalid.
    NotFound,
    /// The library cannot encode the value.
    Encoding(String),
}

impl ServerState {
    /// Returns the offer with this number.
    fn offer(&self, number: &str) -> Option<&Offered> {
        self.offers.get(number.parse::<usize>().ok()?)
    }

    /// Returns the body of a response: encoded anew for the endpoint meter if `encodes`, otherwise
    /// the prepared body of the transport meter.
    fn body(&self, encodes: bool, offer: &str, nonce: &str, gzip: bool) -> Result<Body, NoBody> {
        let offer = self.offer(offer).ok_or(NoBody::NotFound)?;
        let index = number(nonce).ok_or(NoBody::NotFound)? % offer.stock.len().max(1);
        let mut body = Vec::new();
        let mut put = |bytes: &[u8]| {
            body.reserve_exact(NONCE_DIGITS + bytes.len());
            body.extend_from_slice(nonce.as_bytes());
            body.extend_from_slice(bytes);
        };
        if encodes {
            let made = represent(&*offer.stock, index, gzip);
            put(&made.map_err(|error| NoBody::Encoding(error.to_string()))?);
        } else {
            put(offer.made[usize::from(gzip)].get(index).ok_or(NoBody::NotFound)?);
        }
        self.answered.fetch_add(1, Relaxed);
        Ok(Body { bytes: Bytes::from(body), media_type: offer.media_type.clone() })
    }
}

/// Returns the representation of a payload in a response.
fn represent(stock: &dyn Stock, index: usize, gzip: bool) -> Result<Vec<u8>> {
    let bytes = stock.encode(index)?;
    if gzip { deflate(&bytes) } else { Ok(bytes) }
}

/// Returns the request number at the end of a nonce, or `None` if the nonce is invalid.
fn number(nonce: &str) -> Option<usize> {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if nonce.len() != NONCE_DIGITS || !nonce.bytes().all(digit) {
        return None;
    }
    usize::from_str_radix(&nonce[NONCE_DIGITS / 2..], 16).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ErrorsInRow, Server, number};

    #[test]
    fn a_nonce_ends_in_the_number_of_its_request() {
        assert_eq!(number("5f3a9c010000001f"), Some(31));
        assert_eq!(number("ffffffffffffffff"), Some(0xffff_ffff));
        for wrong in ["", "5f3a9c01", "5F3A9C010000001f", "5f3a9c010000001g", "é3a9c010000001f"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn errors_in_a_row_cause_pauses_and_end_the_server() {
        let mut errors = ErrorsInRow::default();
        let pauses: Vec<Duration> = std::iter::from_fn(|| errors.count()).collect();
        assert_eq!(pauses.len(), 499);
        assert_eq!(pauses[0], Duration::ZERO);
        assert!(pauses[1..].iter().all(|pause| *pause == Duration::from_millis(10)), "{pauses:?}");
    }

    #[test]
    fn servers_are_found_by_their_names() {
        for server in Server::ALL {
            assert_eq!(Server::named(server.name()), Some(server));
        }
        assert_eq!(Server::named("actix"), None);
    }
}
