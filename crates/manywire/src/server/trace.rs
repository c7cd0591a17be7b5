use std::time::Instant;

use http::request::Parts;
use http::{Response, header};
use http_body::Body as _;
use tracing::field::Empty;
use tracing::span::Entered;
use tracing::{Level, Span};

use super::body::Body;

/// The span of a request, which whatever its handler logs is within. Made only where somebody
/// listens.
pub(super) struct Trace {
    span: Span,
    begun: Instant,
}

impl Trace {
    #[inline]
    pub(super) fn begin(parts: &Parts) -> Option<Box<Trace>> {
        tracing::enabled!(target: "manywire", Level::INFO).then(|| Self::of(parts))
    }

    #[cold]
    fn of(parts: &Parts) -> Box<Trace> {
        let span = tracing::info_span!(
            target: "manywire",
            "request",
            method = %parts.method,
            path = parts.uri.path(),
            status = Empty,
            format = Empty,
            coding = Empty,
            bytes = Empty,
            elapsed_us = Empty,
        );
        Box::new(Trace { span, begun: Instant::now() })
    }

    /// Goes on with the request, until what is returned is dropped.
    #[cold]
    pub(super) fn enter(&self) -> Entered<'_> {
        self.span.enter()
    }

    /// Says how it was answered: what is not known, such as the bytes of a stream, is left out.
    #[cold]
    pub(super) fn end(&self, response: &Response<Body>) {
        let field = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        self.span.record("status", response.status().as_u16());
        if let Some(format) = field(header::CONTENT_TYPE) {
            self.span.record("format", format);
        }
        if let Some(coding) = field(header::CONTENT_ENCODING) {
            self.span.record("coding", coding);
        }
        if let Some(bytes) = response.body().size_hint().exact() {
            self.span.record("bytes", bytes);
        }
        self.span.record("elapsed_us", self.begun.elapsed().as_micros() as u64);
        tracing::info!(target: "manywire", parent: &self.span, "answered");
    }
}
