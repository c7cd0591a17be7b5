//! A client that calls a service in memory, and requests in the text form of HTTP/1.1.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::header::{self, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use http_body::{Body as _, Frame};
use manywire::{MediaType, Service};
use serde_json::Value as Json;
use tower_service::Service as _;

use crate::target::{CheckResult, Violation, ensure};

/// A request line, header fields, an empty line and a body.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) fields: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Returns a request with a body of this media type.
    pub(crate) fn with_body(
        method: Method,
        path: &'static str,
        kind: &str,
        body: &[u8],
    ) -> Request {
        let content_type = HeaderValue::try_from(kind).map(|kind| (CONTENT_TYPE, kind));
        let fields = content_type.into_iter().collect();
        Request { method, uri: Uri::from_static(path), fields, body: body.to_vec() }
    }

    /// Parses a request. Returns `None` if an HTTP server would not pass it on.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Request> {
        let mut rest = bytes;
        let line = next_line(&mut rest);
        let space = line.iter().position(|byte| *byte == b' ')?;
        let method = Method::from_bytes(&line[..space]).ok()?;
        let uri = Uri::try_from(&line[space + 1..]).ok()?;
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let line = next_line(&mut rest);
            if line.is_empty() {
                break;
            }
            let colon = line.iter().position(|byte| *byte == b':')?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            let value = line[colon + 1..].trim_ascii();
            fields.push((name, HeaderValue::from_bytes(value).ok()?));
        }
        Some(Request { method, uri, fields, body: rest.to_vec() })
    }

    /// Returns the text that `GET /text/…` must echo, or `None` for any other request. The inner
    /// `None` means invalid percent-encoding or invalid UTF-8.
    pub(crate) fn text(&self) -> Option<Option<String>> {
        let segment = self.uri.path().strip_prefix("/text/")?;
        let is_one = self.method == Method::GET && !segment.contains('/') && !segment.is_empty();
        is_one.then(|| String::from_utf8(percent_decoded(segment)?).ok())
    }
}

/// Decodes percent-encoding (RFC 3986, section 2.1), independently of the service. Returns `None` for
/// invalid percent-encoding.
pub(crate) fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    let mut pieces = text.split('%');
    decoded.extend(pieces.next()?.bytes());
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(is_digit))?;
        decoded.push(u8::from_str_radix(digits, 16).ok()?);
        decoded.extend(piece.get(2..)?.bytes());
    }
    Some(decoded)
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// Returns the next line without its line break.
fn next_line<'b>(rest: &mut &'b [u8]) -> &'b [u8] {
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let line = &rest[..end];
    *rest = rest.get(end + 1..).unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The response of the service.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The maximum number of polls of a response that waits for nothing.
const POLLS_MAX: usize = 64;

/// Calls the service. The body arrives whole, or in pieces of `piece_bytes` with a pause before
/// each.
pub(crate) fn call(
    service: &Service,
    request: &Request,
    piece_bytes: Option<usize>,
) -> Result<Answer, Violation> {
    // The service times the pauses, so it needs a runtime with a clock.
    CLOCK.with(|clock| {
        let _running = clock.enter();
        answered(service, request, piece_bytes)
    })
}

/// Waits for a call of a client.
pub(crate) fn wait<F: Future>(calling: F) -> F::Output {
    CLOCK.with(|clock| clock.block_on(calling))
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
) -> Result<Answer, Violation> {
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
    let pending = || Violation("the response is pending without anything to wait for".to_owned());
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
                return Err(Violation(format!("the response body ended with an error: {error}")));
            }
            Poll::Ready(None) => break,
            Poll::Pending => {
                polls.next().ok_or_else(pending)?;
            }
        }
    }
    Ok(Answer { status: parts.status, headers: parts.headers, body: bytes })
}

/// A body in pieces.
struct Pieces {
    pieces: VecDeque<Bytes>,
    /// True if each piece is preceded by a pause.
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
                // The caller polls again at once.
                return Poll::Pending;
            }
        }
        Poll::Ready(self.pieces.pop_front().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// Checks that a problem document repeats the status of its response.
pub(super) fn problem(answer: &Answer) -> CheckResult {
    let Answer { status, headers, body } = answer;
    if !status.is_client_error() || headers.contains_key(header::CONTENT_ENCODING) {
        return Ok(());
    }
    let Some(content_type) = headers.get(header::CONTENT_TYPE) else {
        return Err(Violation(format!("{status} without Content-Type")));
    };
    let text = String::from_utf8_lossy(content_type.as_bytes()).into_owned();
    let media_type = MediaType::parse(&text)
        .map_err(|error| Violation(format!("{status} with the Content-Type {text:?}: {error}")))?;
    if media_type.essence() != "application/problem+json" {
        return Ok(());
    }
    let problem: Json = serde_json::from_slice(body)
        .map_err(|error| Violation(format!("{status} with a body that is not JSON: {error}")))?;
    let reported = problem["status"].as_u64();
    ensure!(reported == Some(status.as_u16().into()), "{status} with a problem of {reported:?}");
    Ok(())
}
