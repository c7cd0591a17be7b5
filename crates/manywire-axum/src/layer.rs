use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum_core::BoxError;
use axum_core::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use manywire::adapt::{Asked, Terms};
use manywire::content::Content;
use manywire::content::own::IntoFormats;
use manywire::{Api, InvalidApi};
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use crate::pending;

/// What the routes inside it speak, and what finishes their answers.
///
/// An extractor sees the request and a response does not: so [`Wire`](crate::Wire) leaves its value
/// with the response, and this layer writes it as the request asked. Add it before other layers, so
/// that they see answers as they are sent.
///
/// A route that it is missing from is told at its first request: extractors refuse with status 500
/// and a hint, and an answer breaks off instead of being sent in a format nobody asked for; the log
/// says what to add.
///
/// ```
/// use manywire::{Api, Format, Limits};
/// use manywire_axum::WireLayer;
///
/// // These formats, the first for clients that have no preference:
/// let layer = WireLayer::new([Format::Json, Format::MsgPack])?;
/// // The same with all that an API can say of codings, limits, entity tags, locked numbers:
/// let layer = WireLayer::from_api(
///     Api::new("Hotels")
///         .formats([Format::Json, Format::MsgPack])
///         .limits(Limits::DEFAULT.with_body_bytes(64 << 10))
///         .untyped_bodies_are(Format::Json),
/// )?;
/// # drop(layer);
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// The limits are those of the layer: axum's `DefaultBodyLimit` is for axum's own extractors.
#[derive(Clone, Debug)]
pub struct WireLayer {
    terms: Terms,
}

impl WireLayer {
    /// Speaks these formats, the preferred first, with [the defaults](Api::new) of everything else.
    ///
    /// # Errors
    /// A format that was not compiled in, or none at all.
    pub fn new<Kind>(formats: impl IntoFormats<Kind>) -> Result<Self, InvalidApi> {
        Self::from_api(Api::new("axum").formats(formats))
    }

    /// Speaks what an API says: formats, codings, limits, entity tags, bodies without type, the
    /// lock of its schema.
    ///
    /// # Errors
    /// A format or coding that was not compiled in; an API that has endpoints of its own, which is
    /// mounted by `nest_service`.
    pub fn from_api(api: Api) -> Result<Self, InvalidApi> {
        Ok(WireLayer { terms: Terms::new(api)? })
    }

    /// Looks at a type beforehand, so that what a format cannot hold, or a schema lock forbids, is
    /// an error at start and not status 500 at its first request.
    ///
    /// # Errors
    /// A format that cannot hold the type; a number or place that was promised to another field.
    pub fn carries<C: Content>(self) -> Result<Self, InvalidApi> {
        self.terms.check::<C>()?;
        Ok(self)
    }
}

impl<S> Layer<S> for WireLayer {
    type Service = WireService<S>;

    fn layer(&self, inner: S) -> WireService<S> {
        WireService { inner, terms: self.terms.clone() }
    }
}

/// A service within a [`WireLayer`].
#[derive(Clone, Debug)]
pub struct WireService<S> {
    inner: S,
    terms: Terms,
}

impl<S, B, C> Service<Request<B>> for WireService<S>
where
    S: Service<Request<B>, Response = Response<C>>,
    C: http_body::Body<Data = Bytes> + Send + 'static,
    C::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answering<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Answering<S::Future> {
        let (mut parts, body) = request.into_parts();
        let asked = Asked::of(&parts);
        // A layer further out has put its own there: the one nearest to the route counts.
        parts.extensions.insert(self.terms.clone());
        let inner = self.inner.call(Request::from_parts(parts, body));
        Answering { inner, terms: self.terms.clone(), asked }
    }
}

pin_project! {
    /// A request being answered within a [`WireLayer`].
    #[derive(Debug)]
    pub struct Answering<F> {
        #[pin]
        inner: F,
        terms: Terms,
        asked: Asked,
    }
}

impl<F, B, E> Future for Answering<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Output = Result<Response<Body>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let response = ready!(this.inner.poll(context))?;
        Poll::Ready(Ok(pending::finish(response.map(Body::new), this.terms, this.asked)))
    }
}
