//! Stand-ins for the types of `metrics` without the feature, so that callers need no `cfg`. They are
//! empty, or cannot exist, and cost nothing per request.

use std::convert::Infallible;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response};

use super::operation::ServedOperation;
use super::refusal::Refusal;
use super::router::Router;
use crate::body::Body;
use crate::endpoint::Route;

pub(super) struct RequestMetrics;

impl RequestMetrics {
    #[inline]
    pub(super) fn start(_: &SharedMetrics, _: &Parts) -> Self {
        RequestMetrics
    }

    #[inline]
    pub(super) fn set_endpoint(&mut self, _: &Router, _: &Parts, _: Option<usize>) {}

    #[inline]
    pub(super) fn add_received(&self, _: usize) {}

    #[inline]
    pub(super) fn count_body<B>(&self, body: B) -> B {
        body
    }

    #[inline]
    pub(super) fn finish(&mut self, _: &mut Response<Body>) {}
}

/// The metrics of a service, which cannot exist.
#[derive(Debug)]
pub(super) struct Metrics(Infallible);

/// The metrics of an API: always `None`.
pub(super) type SharedMetrics = Option<Arc<Metrics>>;

impl Metrics {
    pub(super) fn refused(&self, _: &Refusal<'_>, _: Option<usize>) {
        match self.0 {}
    }
}

/// The content of the metrics endpoint, which cannot exist.
#[derive(Debug)]
pub(super) struct MetricsEndpoint(Infallible);

impl MetricsEndpoint {
    pub(super) fn route(&self, _: &str) -> Route {
        match self.0 {}
    }

    pub(super) fn start(
        self,
        _: &[ServedOperation],
        _: impl Iterator<Item = (HeaderValue, &'static str)>,
    ) -> Arc<Metrics> {
        match self.0 {}
    }
}

#[cfg(feature = "server")]
pub(super) use connection::ConnectionGauge;

#[cfg(feature = "server")]
mod connection {
    use super::SharedMetrics;

    #[derive(Debug)]
    pub(in crate::server) struct ConnectionGauge;

    impl ConnectionGauge {
        pub(in crate::server) fn open(_: &SharedMetrics) -> Self {
            ConnectionGauge
        }
    }
}
