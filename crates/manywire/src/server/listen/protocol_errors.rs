//! Problems for requests that hyper refuses itself, because it cannot parse them.
//!
//! hyper answers a malformed or oversized head of HTTP/1 with a status alone, and has no hook for
//! content. So the response of hyper is recognised when it is written, and replaced by one with a
//! problem. No error response of an API looks like it, because each of them has `Vary`. If a layer
//! or another service sends a response that looks like it, or content begins like it, no further
//! response on that connection is replaced.

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderValue, StatusCode};

use crate::limits::Limits;
use crate::problem::Problem;
use crate::server::service::Service;

/// The problems of requests that hyper refuses.
pub(super) struct ProtocolProblems {
    pub(super) api: Service,
    pub(super) limits: Limits,
}

impl ProtocolProblems {
    /// Returns the content and media type of the problem for a request that could not be parsed, in
    /// the format of clients without a preference.
    fn problem(&self, status: StatusCode) -> (Bytes, HeaderValue) {
        let ProtocolProblems { api, limits } = self;
        let problem = Problem::new(status);
        let problem = match status {
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => problem.with_detail(format!(
                "expected at most {} header fields in at most {} bytes",
                limits.header_fields, limits.header_bytes
            )),
            StatusCode::BAD_REQUEST => problem.with_detail("the request is not valid HTTP"),
            _ => problem,
        };
        api.core.problems.write(&problem, api.core.problems.choose(None))
    }
}

/// Returns a response with a problem that replaces `response`, if `response` looks like hyper's
/// own.
#[cold]
pub(super) fn with_problem(response: &[u8], problems: &ProtocolProblems) -> Option<Bytes> {
    let head = std::str::from_utf8(response).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status_line = lines.next()?;
    let code = status_line.split(' ').nth(1)?;
    let (mut is_closing, mut is_empty, mut date) = (false, false, None);
    for line in lines {
        match line.split_once(": ")? {
            ("connection", "close") => is_closing = true,
            ("content-length", "0") => is_empty = true,
            ("date", _) => date = Some(line),
            _ => return None,
        }
    }
    if !is_closing || !is_empty {
        return None;
    }
    let status = StatusCode::from_bytes(code.as_bytes()).ok()?;
    let (content, content_type) = problems.problem(status);
    let mut replaced = BytesMut::with_capacity(response.len() + content.len() + 100);
    replaced.put_slice(status_line.as_bytes());
    replaced.put_slice(b"\r\ncontent-type: ");
    replaced.put_slice(content_type.as_bytes());
    replaced.put_slice(b"\r\nconnection: close\r\ncontent-length: ");
    replaced.put_slice(content.len().to_string().as_bytes());
    if let Some(date) = date {
        replaced.put_slice(b"\r\n");
        replaced.put_slice(date.as_bytes());
    }
    replaced.put_slice(b"\r\n\r\n");
    replaced.put_slice(&content);
    Some(replaced.freeze())
}
