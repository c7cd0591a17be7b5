//! A service that is called without a socket.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body::{Body as _, Frame};
use manywire::Service;
use tower_service::Service as _;

use super::Request;
use crate::target::Broken;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// How often an answer is asked for that waits for nothing.
const POLLS_MAX: usize = 64;

/// What the service answers, where the body comes in pieces of this size with a pause between
/// them, or whole.
pub(crate) fn call(
    service: &Service,
    request: &Request,
    piece_bytes: Option<usize>,
) -> Result<Answer, Broken> {
    // A pause is timed, and only what runs has a clock.
    CLOCK.with(|clock| {
        let _running = clock.enter();
        answered(service, request, piece_bytes)
    })
}

thread_local! {
    static CLOCK: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a clock takes no more than memory");
}

fn answered(
    service: &Service,
    request: &Request,
    piece_bytes: Option<usize>,
) -> Result<Answer, Broken> {
    let body = Bytes::from(request.body.clone());
    let size = piece_bytes.unwrap_or(body.len()).max(1);
    let pieces = body.chunks(size).map(|piece| body.slice_ref(piece)).collect::<VecDeque<_>>();
    let mut polls = 0..POLLS_MAX + 2 * pieces.len();
    let mut sent = http::Request::new(Pieces { pieces, pauses: piece_bytes.is_some(), next: true });
    *sent.method_mut() = request.method.clone();
    *sent.uri_mut() = request.uri.clone();
    for (name, value) in &request.fields {
        sent.headers_mut().append(name, value.clone());
    }
    let mut context = Context::from_waker(Waker::noop());
    let pending = || Broken("the answer waits, and there is nothing to wait for".to_owned());
    let mut answering = pin!(service.clone().call(sent));
    let response = loop {
        polls.next().ok_or_else(pending)?;
        if let Poll::Ready(Ok(response)) = answering.as_mut().poll(&mut context) {
            break response;
        }
    };
    let (parts, body) = response.into_parts();
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    loop {
        match body.as_mut().poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => bytes.extend(frame.into_data().unwrap_or_default()),
            Poll::Ready(Some(Err(error))) => {
                return Err(Broken(format!("the answer breaks off: {error}")));
            }
            Poll::Ready(None) => break,
            Poll::Pending => {
                polls.next().ok_or_else(pending)?;
            }
        }
    }
    Ok(Answer { status: parts.status, headers: parts.headers, body: bytes })
}

/// A body that is there, piece by piece.
struct Pieces {
    pieces: VecDeque<Bytes>,
    /// Whether each piece is waited for.
    pauses: bool,
    next: bool,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.pauses {
            self.next = !self.next;
            if !self.next {
                // Whoever asks asks again at once.
                return Poll::Pending;
            }
        }
        Poll::Ready(self.pieces.pop_front().map(|bytes| Ok(Frame::data(bytes))))
    }
}
