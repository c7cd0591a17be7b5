//! The measurements of one request.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http::request::Parts;
use http::{Response, header};
use http_body::{Frame, SizeHint};
use pin_project_lite::pin_project;

use super::{EndpointMetrics, Metrics, SeriesKey, SharedMetrics, coding, method};
use crate::body::{Body, BodyError, ChunkStream};
use crate::server::router::Router;

/// The measurement of one request, or nothing if the API serves no metrics.
pub(in crate::server) struct RequestMetrics(Option<Box<RequestRecord>>);

struct RequestRecord {
    metrics: Arc<Metrics>,
    endpoint_index: Option<usize>,
    method: u8,
    started: Instant,
    is_answered: bool,
}

impl RequestMetrics {
    /// Starts the measurement of a request.
    #[inline]
    pub(in crate::server) fn start(metrics: &SharedMetrics, parts: &Parts) -> Self {
        RequestMetrics(metrics.as_ref().map(|metrics| {
            metrics.active.fetch_add(1, Ordering::Relaxed);
            Box::new(RequestRecord {
                metrics: Arc::clone(metrics),
                endpoint_index: None,
                method: method(&parts.method),
                started: Instant::now(),
                is_answered: false,
            })
        }))
    }

    /// Sets the endpoint: the one that responds, or, for a refused request, the one at its path and
    /// method, if any.
    #[inline]
    pub(in crate::server) fn set_endpoint(
        &mut self,
        router: &Router,
        parts: &Parts,
        endpoint_index: Option<usize>,
    ) {
        if let Some(record) = &mut self.0 {
            record.endpoint_index = endpoint_index.or_else(|| router.endpoint_index(parts));
        }
    }

    /// Counts the bytes of a body that was read.
    #[inline]
    pub(in crate::server) fn add_received(&self, bytes: usize) {
        if let Some(endpoint) =
            self.0.as_ref().and_then(|it| it.metrics.endpoint(it.endpoint_index))
        {
            endpoint.received_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Returns a request body whose bytes are counted as they are read.
    pub(in crate::server) fn count_body<B>(&self, inner: B) -> CountedBody<B> {
        CountedBody { inner, counter: self.counter() }
    }

    /// Records the response.
    #[inline]
    pub(in crate::server) fn finish(&mut self, response: &mut Response<Body>) {
        if self.0.is_some() {
            self.answered(response);
        }
    }

    #[inline(never)]
    fn answered(&mut self, response: &mut Response<Body>) {
        let Some(counter) = self.counter() else { return };
        let Some(record) = &mut self.0 else { return };
        record.is_answered = true;
        let fields = response.headers();
        let key = SeriesKey {
            method: record.method,
            status: Some(response.status().as_u16()),
            format: record.metrics.format(fields.get(header::CONTENT_TYPE)),
            coding: coding(fields.get(header::CONTENT_ENCODING)),
        };
        let Some(endpoint) = counter.endpoint() else { return };
        endpoint.requests.count(key);
        endpoint.durations.observe(record.started.elapsed());
        let body = response.body_mut();
        match body.content() {
            Some(content) => {
                endpoint.sent_bytes.fetch_add(content.len() as u64, Ordering::Relaxed);
            }
            None => body.map_chunks(|chunks| Box::pin(CountedChunks { chunks, counter })),
        }
    }

    fn counter(&self) -> Option<EndpointCounter> {
        let record = self.0.as_ref()?;
        Some(EndpointCounter(Arc::clone(&record.metrics), record.endpoint_index))
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        self.metrics.active.fetch_sub(1, Ordering::Relaxed);
        // The client disconnected, or the handler panicked.
        if let (false, Some(endpoint)) =
            (self.is_answered, self.metrics.endpoint(self.endpoint_index))
        {
            endpoint.requests.count(SeriesKey {
                method: self.method,
                status: None,
                format: 0,
                coding: 0,
            });
        }
    }
}

/// A counter of bytes for an endpoint.
struct EndpointCounter(Arc<Metrics>, Option<usize>);

impl EndpointCounter {
    fn endpoint(&self) -> Option<&EndpointMetrics> {
        self.0.endpoint(self.1)
    }
}

pin_project! {
    /// A body whose bytes are counted as they are read.
    pub(in crate::server) struct CountedBody<B> {
        #[pin]
        inner: B,
        counter: Option<EndpointCounter>,
    }
}

impl<B: http_body::Body> http_body::Body for CountedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.project();
        let frame = this.inner.poll_frame(context);
        if let (Poll::Ready(Some(Ok(frame))), Some(counter)) = (&frame, this.counter)
            && let (Some(data), Some(endpoint)) = (frame.data_ref(), counter.endpoint())
        {
            endpoint.received_bytes.fetch_add(data.remaining() as u64, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A stream of chunks whose bytes are counted as they are sent.
struct CountedChunks {
    chunks: ChunkStream,
    counter: EndpointCounter,
}

impl Stream for CountedChunks {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = self.chunks.as_mut().poll_next(context);
        if let (Poll::Ready(Some(Ok(chunk))), Some(endpoint)) = (&chunk, self.counter.endpoint()) {
            endpoint.sent_bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        }
        chunk
    }
}
