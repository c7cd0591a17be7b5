//! The extractors and responses of handlers: [`Wire`], [`WireAs`], [`Acceptable`], and their rejection.

use std::any::{Any, TypeId};
use std::fmt;

use axum_core::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request};
use axum_core::response::{IntoResponse, Response};
use http::request::Parts;
use http::{StatusCode, header};
use http_body::Body as _;
use manywire::adapt::{Negotiator, Rejection};
use manywire::content::{Answer, Content, Receive};
use manywire::{Failure, Problem};

use crate::layer;

/// A value in the format that the client sends or accepts.
///
/// As an extractor it decodes the body by `Content-Type`, in any format of the
/// [`WireLayer`](crate::WireLayer), any charset of JSON and any content coding, within the layer's
/// limits. It rejects a request with 415, 413, 408, 400 or 422, and with 406 if the client does not
/// accept a response of the layer. `Option<Wire<T>>` is `None` if there is neither `Content-Type`
/// nor content.
///
/// As a response it is encoded by `Accept` and `Accept-Encoding`, with `Vary`. Status and other
/// header fields are set as in any axum response:
///
/// ```
/// use axum::http::{StatusCode, header};
/// use axum::response::IntoResponse;
/// use manywire::Shaped;
/// use manywire_axum::Wire;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Shaped)]
/// struct Hotel {
///     id: u64,
/// }
///
/// async fn create(Wire(hotel): Wire<Hotel>) -> impl IntoResponse {
///     let location = format!("/hotels/{}", hotel.id);
///     (StatusCode::CREATED, [(header::LOCATION, location)], Wire(hotel))
/// }
/// # drop(create);
/// ```
///
/// Besides types that derive `Shaped`, `T` may be a stream ([`Items`](manywire::content::Items)) or
/// a zero-copy value (`ZeroCopy`).
///
/// `Wire<Problem>` is a failure with the status of the problem. Any [`Failure`] converts by `?`: a
/// handler returns `Result<Wire<T>, Wire<Problem>>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire<T>(pub T);

/// Content whose values have another type: `WireAs<Form<Booking>>` carries a `Booking`, and
/// `WireAs<Text>` a `String`. In all other respects, `WireAs` works like [`Wire`].
///
/// ```
/// # use manywire::Shaped;
/// use manywire::content::Form;
/// use manywire_axum::{Wire, WireAs};
///
/// # #[derive(serde::Serialize, serde::Deserialize, Shaped)]
/// # struct Booking { name: String, nights: u8 }
/// async fn book(WireAs(booking): WireAs<Form<Booking>>) -> Wire<Booking> {
///     Wire(booking)
/// }
/// # drop(book);
/// ```
pub struct WireAs<C: Content>(pub C::Value);

impl<S, T> FromRequest<S> for Wire<T>
where
    S: Send + Sync,
    T: Receive + Content<Value = T> + Send,
{
    type Rejection = WireRejection;

    async fn from_request(request: Request, _: &S) -> Result<Self, WireRejection> {
        receive::<T>(request).await.map(Wire)
    }
}

impl<S, T> OptionalFromRequest<S> for Wire<T>
where
    S: Send + Sync,
    T: Receive + Content<Value = T> + Send,
{
    type Rejection = WireRejection;

    async fn from_request(request: Request, _: &S) -> Result<Option<Self>, WireRejection> {
        Ok(receive_optional::<T>(request).await?.map(Wire))
    }
}

impl<S, C> FromRequest<S> for WireAs<C>
where
    S: Send + Sync,
    C: Receive,
{
    type Rejection = WireRejection;

    async fn from_request(request: Request, _: &S) -> Result<Self, WireRejection> {
        receive::<C>(request).await.map(WireAs)
    }
}

impl<S, C> OptionalFromRequest<S> for WireAs<C>
where
    S: Send + Sync,
    C: Receive,
{
    type Rejection = WireRejection;

    async fn from_request(request: Request, _: &S) -> Result<Option<Self>, WireRejection> {
        Ok(receive_optional::<C>(request).await?.map(WireAs))
    }
}

async fn receive<C: Receive>(request: Request) -> Result<C::Value, WireRejection> {
    let (parts, body) = request.into_parts();
    let terms = parts.extensions.get::<Negotiator>().ok_or_else(WireRejection::no_layer)?;
    terms.acceptable(&parts)?;
    Ok(terms.receive::<C, _>(&parts, body).await?)
}

/// Reads the body of a request. Returns `None` if it has neither a `Content-Type` nor a body.
async fn receive_optional<C: Receive>(request: Request) -> Result<Option<C::Value>, WireRejection> {
    if !request.headers().contains_key(header::CONTENT_TYPE) && request.body().is_end_stream() {
        return Ok(None);
    }
    receive::<C>(request).await.map(Some)
}

impl<T> IntoResponse for Wire<T>
where
    T: Answer + Content<Value = T>,
{
    fn into_response(self) -> Response {
        // A problem is content like any other, and would otherwise be sent with status 200.
        if TypeId::of::<T>() == TypeId::of::<Problem>()
            && let Some(problem) = (&self.0 as &dyn Any).downcast_ref::<Problem>()
        {
            return layer::refusal(problem.clone().into());
        }
        layer::answer::<T>(self.0)
    }
}

impl<C: Answer> IntoResponse for WireAs<C> {
    fn into_response(self) -> Response {
        layer::answer::<C>(self.0)
    }
}

impl<F: Failure> From<F> for Wire<Problem> {
    #[cold]
    fn from(failure: F) -> Self {
        Wire(failure.problem())
    }
}

impl<C: Content> Clone for WireAs<C>
where
    C::Value: Clone,
{
    fn clone(&self) -> Self {
        WireAs(self.0.clone())
    }
}

impl<C: Content> fmt::Debug for WireAs<C>
where
    C::Value: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WireAs").field(&self.0).finish()
    }
}

/// An extractor that rejects a request with 406 if the client accepts no format and coding of the
/// layer.
///
/// The format of a response is chosen when it is encoded, which is too late to undo the work of the
/// handler. [`Wire`] as an argument checks beforehand. A handler without a body whose work cannot
/// be undone takes this extractor:
///
/// ```
/// # use axum::extract::Path;
/// # use manywire::Shaped;
/// use manywire_axum::{Acceptable, Wire};
///
/// # #[derive(serde::Serialize, Shaped)]
/// # struct Cancelled { id: u64 }
/// async fn cancel(_: Acceptable, Path(id): Path<u64>) -> Wire<Cancelled> {
///     // …
///     Wire(Cancelled { id })
/// }
/// # drop(cancel);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Acceptable(());

impl<S: Send + Sync> FromRequestParts<S> for Acceptable {
    type Rejection = WireRejection;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, WireRejection> {
        let terms = parts.extensions.get::<Negotiator>().ok_or_else(WireRejection::no_layer)?;
        terms.acceptable(parts)?;
        Ok(Acceptable(()))
    }
}

/// The reason why a request did not reach its handler.
///
/// As a response it is a problem in the client's format. A handler that takes `Result<Wire<T>,
/// WireRejection>` may respond differently.
#[derive(Debug)]
pub struct WireRejection(Reason);

#[derive(Debug)]
enum Reason {
    Refused(Rejection),
    /// The route has no layer.
    NoLayer,
}

impl WireRejection {
    #[cold]
    pub(crate) fn no_layer() -> Self {
        tracing::error!("{}", layer::MISSING);
        WireRejection(Reason::NoLayer)
    }

    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        match &self.0 {
            Reason::Refused(refused) => refused.status(),
            Reason::NoLayer => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the problem for the client.
    pub fn problem(&self) -> Problem {
        match &self.0 {
            Reason::Refused(refused) => refused.problem().clone(),
            Reason::NoLayer => Problem::new(self.status()).with_detail(layer::MISSING),
        }
    }
}

impl From<Rejection> for WireRejection {
    fn from(refused: Rejection) -> Self {
        WireRejection(Reason::Refused(refused))
    }
}

impl fmt::Display for WireRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(f)
    }
}

impl std::error::Error for WireRejection {}

impl IntoResponse for WireRejection {
    fn into_response(self) -> Response {
        match self.0 {
            Reason::Refused(refused) => layer::refusal(refused),
            Reason::NoLayer => (StatusCode::INTERNAL_SERVER_ERROR, layer::MISSING).into_response(),
        }
    }
}
