//! Empty stand-ins for the types of `metrics` without the feature. They cost nothing.

use http::Response;
use http::request::Parts;

use super::core::Core;
use crate::body::Body;

pub(super) struct RequestMetrics;

impl RequestMetrics {
    #[inline]
    pub(super) fn start(_: &Core, _: &Parts) -> Self {
        RequestMetrics
    }

    #[inline]
    pub(super) fn set_endpoint(&mut self, _: &Core, _: &Parts, _: Option<usize>) {}

    #[inline]
    pub(super) fn add_received(&self, _: usize) {}

    #[inline]
    pub(super) fn count_body<B>(&self, body: B) -> B {
        body
    }

    #[inline]
    pub(super) fn finish(&mut self, _: &mut Response<Body>) {}
}

#[cfg(feature = "server")]
#[derive(Debug)]
pub(super) struct ConnectionGauge;

#[cfg(feature = "server")]
impl ConnectionGauge {
    pub(super) fn open(_: &Core) -> Self {
        ConnectionGauge
    }
}
