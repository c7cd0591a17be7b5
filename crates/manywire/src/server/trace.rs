use std::time::Instant;

use http::request::Parts;
use http::{HeaderMap, Method, Response, header};
use http_body::Body as _;
use tracing::Level;

use super::body::Body;

/// What is told of a request when it is answered. Made only where somebody listens.
pub(super) struct Trace {
    method: Method,
    path: String,
    begun: Instant,
}

impl Trace {
    #[inline]
    pub(super) fn begin(parts: &Parts) -> Option<Box<Trace>> {
        tracing::enabled!(target: "manywire", Level::INFO).then(|| Self::of(parts))
    }

    #[cold]
    fn of(parts: &Parts) -> Box<Trace> {
        let path = parts.uri.path().to_owned();
        Box::new(Trace { method: parts.method.clone(), path, begun: Instant::now() })
    }

    #[cold]
    pub(super) fn end(&self, response: &Response<Body>) {
        let field = |headers: &HeaderMap, name| {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or("-").to_owned()
        };
        tracing::info!(
            target: "manywire",
            method = %self.method,
            path = self.path,
            status = response.status().as_u16(),
            content_type = field(response.headers(), header::CONTENT_TYPE),
            coding = field(response.headers(), header::CONTENT_ENCODING),
            bytes = response.body().size_hint().exact().unwrap_or_default(),
            elapsed_us = self.begun.elapsed().as_micros() as u64,
            "answered"
        );
    }
}
