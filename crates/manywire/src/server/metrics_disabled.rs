//! What stands for measuring without the feature: nothing, which costs nothing.

use http::Response;
use http::request::Parts;

use super::body::Body;
use super::core::Core;

pub(super) struct Measuring;

impl Measuring {
    #[inline]
    pub(super) fn begin(_: &Core, _: &Parts) -> Self {
        Measuring
    }

    #[inline]
    pub(super) fn found(&mut self, _: &Core, _: &Parts, _: Option<usize>) {}

    #[inline]
    pub(super) fn received(&self, _: usize) {}

    #[inline]
    pub(super) fn receiving<B>(&self, body: B) -> B {
        body
    }

    #[inline]
    pub(super) fn end(&mut self, _: &mut Response<Body>) {}
}

#[cfg(feature = "server")]
#[derive(Debug)]
pub(super) struct Connected;

#[cfg(feature = "server")]
impl Connected {
    pub(super) fn to(_: &Core) -> Self {
        Connected
    }
}
