//! The HTTP server: the `manywire` library with its defaults.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;
use manywire::content::Raw;
use manywire::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use manywire::{Api, HeaderValue, Problem, Reply, StatusCode, get};
use serde::Deserialize;
use tokio::runtime::Runtime;

use super::{NONCE_DIGITS, deflate};
use crate::coder::{Outcome, Stock};

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
    /// Returns the number of requests answered with 200.
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

/// Starts a server of values on the loopback interface.
pub(crate) fn serve(offers: Vec<(Offer, Box<dyn Stock>)>) -> Outcome<Service> {
    let answered = Arc::new(AtomicU64::new(0));
    let offers = offers.into_iter().map(|(offer, stock)| {
        let made = |gzip| -> Outcome<Vec<Vec<u8>>> {
            (0..stock.len()).map(|at| represent(&*stock, at, gzip)).collect()
        };
        let made = [made(false)?, made(true)?];
        Ok(Offered { media_type: HeaderValue::try_from(offer.media_type)?, stock, made })
    });
    let offers = offers.collect::<Outcome<_>>()?;
    let state = Arc::new(ServerState { offers, answered: Arc::clone(&answered) });
    let mut api = Api::new("lane");
    for (pattern, encodes) in
        [("/transport/{offer}/{nonce}", false), ("/endpoint/{offer}/{nonce}", true)]
    {
        let endpoint = get(pattern)
            .path::<String>()
            .path::<String>()
            .header::<Option<String>>(ACCEPT_ENCODING.as_str())
            .returns::<Raw>();
        let state = Arc::clone(&state);
        api =
            api.serve(endpoint.to(move |offer: String, nonce: String, coding: Option<String>| {
                let answer =
                    state.answer(encodes, &offer, &nonce, coding.as_deref() == Some("gzip"));
                std::future::ready(answer)
            }));
    }
    let service = api.build()?;
    let runtime = Runtime::new()?;
    let server = runtime.block_on(service.bind("127.0.0.1:0"))?;
    let port = server.local_address().port();
    runtime.spawn(server.run());
    Ok(Service { port, answered, _runtime: runtime })
}

impl ServerState {
    fn answer(
        &self,
        encodes: bool,
        offer: &str,
        nonce: &str,
        gzip: bool,
    ) -> Result<Reply<Bytes>, Problem> {
        let nowhere = || Problem::new(StatusCode::NOT_FOUND);
        let offer = offer.parse().ok().and_then(|at: usize| self.offers.get(at));
        let offer = offer.ok_or_else(nowhere)?;
        let index = number(nonce).ok_or_else(nowhere)? % offer.stock.len().max(1);
        let mut body = Vec::new();
        let mut put = |bytes: &[u8]| {
            body.reserve_exact(NONCE_DIGITS + bytes.len());
            body.extend_from_slice(nonce.as_bytes());
            body.extend_from_slice(bytes);
        };
        if encodes {
            let made = represent(&*offer.stock, index, gzip);
            put(&made.map_err(|error| {
                Problem::internal(error.to_string()).with_detail(error.to_string())
            })?);
        } else {
            put(offer.made[usize::from(gzip)].get(index).ok_or_else(nowhere)?);
        }
        self.answered.fetch_add(1, Relaxed);
        let reply =
            Reply::new(Bytes::from(body)).with_header(CONTENT_TYPE, offer.media_type.clone());
        Ok(if gzip {
            reply.with_header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
        } else {
            reply
        })
    }
}

/// Returns the representation of a payload in a response.
fn represent(stock: &dyn Stock, index: usize, gzip: bool) -> Outcome<Vec<u8>> {
    let bytes = stock.encode(index)?;
    if gzip { deflate(&bytes) } else { Ok(bytes) }
}

/// Returns the request number at the end of a nonce.
fn number(nonce: &str) -> Option<usize> {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if nonce.len() != NONCE_DIGITS || !nonce.bytes().all(digit) {
        return None;
    }
    usize::from_str_radix(&nonce[NONCE_DIGITS / 2..], 16).ok()
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_nonce_ends_in_the_number_of_its_request() {
        assert_eq!(number("5f3a9c010000001f"), Some(31));
        assert_eq!(number("ffffffffffffffff"), Some(0xffff_ffff));
        for wrong in ["", "5f3a9c01", "5F3A9C010000001f", "5f3a9c010000001g", "é3a9c010000001f"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }
}
