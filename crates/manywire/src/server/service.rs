use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};

use super::answering::Answering;
use super::body::Body;
use super::core::Core;

/// An API ready to serve, built by [`Api::build`](crate::Api::build).
///
/// A [`tower_service::Service`] over any body, so it takes tower's layers, mounts inside axum by
/// `nest_service` or `fallback_service`, and is tested without a socket by calling it. Cloning it
/// costs a counter.
#[derive(Clone)]
pub struct Service {
    pub(super) core: Arc<Core>,
}

impl Service {
    /// The limits that it keeps to.
    pub fn limits(&self) -> super::Limits {
        self.core.limits
    }
}

impl<B: http_body::Body + Send + 'static> tower_service::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    #[inline]
    fn call(&mut self, request: Request<B>) -> Answering<B> {
        Answering::new(Arc::clone(&self.core), request, false)
    }
}

#[cfg(feature = "server")]
impl<B: http_body::Body + Send + 'static> hyper::service::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    #[inline]
    fn call(&self, request: Request<B>) -> Answering<B> {
        Answering::new(Arc::clone(&self.core), request, false)
    }
}

/// The service behind a socket of its own: a request of HTTP/1.1 names one host, or is refused (RFC
/// 9112, section 3.2). Where it is mounted, that is for whoever serves it to see to.
#[cfg(feature = "server")]
#[derive(Clone, Debug)]
pub(super) struct FromHost(pub(super) Service);

#[cfg(feature = "server")]
impl<B: http_body::Body + Send + 'static> hyper::service::Service<Request<B>> for FromHost {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    #[inline]
    fn call(&self, request: Request<B>) -> Answering<B> {
        let needs_host = request.version() == http::Version::HTTP_11;
        Answering::new(Arc::clone(&self.0.core), request, needs_host)
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns = self.core.served.iter().map(|served| &*served.operation);
        f.debug_list()
            .entries(
                patterns.map(|operation| format!("{} {}", operation.method, operation.pattern)),
            )
            .finish()
    }
}
