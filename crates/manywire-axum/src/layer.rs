//! [`WireLayer`] and the responses that it completes. A handler's response carries its value in an
//! extension until the layer encodes the value in a format and coding that the request accepts.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum_core::BoxError;
use axum_core::body::Body;
use axum_core::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body::{Body as _, Frame, SizeHint};
use manywire::adapt::{Negotiator, Preferences, Rejection};
use manywire::content::own::IntoFormats;
use manywire::content::{Answer, Content};
use manywire::{Api, InvalidApi, Problem, Reply};
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

/// The layer that declares the formats of its routes and encodes their responses.
///
/// A response does not see the request. Therefore [`Wire`](crate::Wire) stores its value in the
/// response, and this layer encodes the value in a format and coding that the request accepts. Add
/// this layer before other layers, so that they see the encoded responses.
///
/// A route without the layer fails at its first request: extractors reject it with status 500 and a
/// hint, and a response is aborted instead of being sent in an unrequested format. The log says
/// what to add.
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
/// The limits of the layer apply. axum's `DefaultBodyLimit` applies to axum's own extractors only.
#[derive(Clone, Debug)]
pub struct WireLayer {
    negotiator: Negotiator,
}

impl WireLayer {
    /// Creates a layer with these formats, the preferred first, and [the defaults](Api::new) of
    /// everything else.
    ///
    /// # Errors
    /// Fails if a format is not compiled in, or if there are no formats.
    pub fn new<Kind>(formats: impl IntoFormats<Kind>) -> Result<Self, InvalidApi> {
        Self::from_api(Api::new("axum").formats(formats))
    }

    /// Creates a layer with the settings of an API: formats, codings, limits, entity tags, the
    /// format of untyped bodies, and the schema lock.
    ///
    /// # Errors
    /// Fails if a format or coding is not compiled in, or if the API has endpoints. Mount such an
    /// API with `nest_service`.
    pub fn from_api(api: Api) -> Result<Self, InvalidApi> {
        Ok(WireLayer { negotiator: Negotiator::new(api)? })
    }

    /// Checks a type, so that a format that cannot represent it, or a schema lock that forbids it,
    /// is an error at start and not status 500 at the first request.
    ///
    /// # Errors
    /// Fails if a format cannot represent the type, or if the type breaks the schema lock.
    pub fn carries<C: Content>(self) -> Result<Self, InvalidApi> {
        self.negotiator.check::<C>()?;
        Ok(self)
    }
}

impl<S> Layer<S> for WireLayer {
    type Service = WireService<S>;

    fn layer(&self, inner: S) -> WireService<S> {
        WireService { inner, negotiator: self.negotiator.clone() }
    }
}

/// A service within a [`WireLayer`].
#[derive(Clone, Debug)]
pub struct WireService<S> {
    inner: S,
    negotiator: Negotiator,
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
        let preferences = Preferences::of(&parts);
        // An outer layer may have inserted its settings. The layer nearest to the route takes
        // precedence.
        parts.extensions.insert(self.negotiator.clone());
        let inner = self.inner.call(Request::from_parts(parts, body));
        Answering { inner, negotiator: self.negotiator.clone(), preferences }
    }
}

pin_project! {
    /// The future of a request within a [`WireLayer`].
    #[derive(Debug)]
    pub struct Answering<F> {
        #[pin]
        inner: F,
        negotiator: Negotiator,
        preferences: Preferences,
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
        Poll::Ready(Ok(finish(response.map(Body::new), this.negotiator, this.preferences)))
    }
}

/// The function that encodes a response, once the request's preferences and the status and header
/// fields of the handler are known.
type Write = Box<dyn FnOnce(&Negotiator, &Preferences, StatusCode, HeaderMap) -> Written + Send>;

type Written = http::Response<manywire::Body>;

/// The extension that holds the [`Write`] function. Extensions must be `Clone` and `Sync`, but the
/// function can be called only once.
#[derive(Clone)]
struct PendingResponse(Arc<Mutex<Option<Write>>>);

/// Returns a response that carries this value.
pub(crate) fn answer<C: Answer>(value: C::Value) -> Response {
    pending(Box::new(move |negotiator, preferences, status, headers| {
        let reply = Reply::new(value).with_status(status).with_headers(headers);
        negotiator.answer::<C>(preferences, reply)
    }))
}

/// Returns a response that carries a problem.
pub(crate) fn refusal(refused: Rejection) -> Response {
    let status = refused.status();
    let mut response = pending(Box::new(move |negotiator, preferences, status, headers| {
        let refused = refused.with_status(status);
        let mut response = negotiator.refuse(preferences, &refused);
        add(response.headers_mut(), headers);
        response
    }));
    *response.status_mut() = status;
    response
}

fn pending(write: Write) -> Response {
    let mut response = Response::new(Body::new(UnwrittenBody));
    response.extensions_mut().insert(PendingResponse(Arc::new(Mutex::new(Some(write)))));
    response
}

/// Encodes a response that carries a value, turns an error without content into a problem, and
/// leaves every other response unchanged.
pub(crate) fn finish(
    mut response: Response,
    negotiator: &Negotiator,
    preferences: &Preferences,
) -> Response {
    if let Some(PendingResponse(write)) = response.extensions_mut().remove() {
        let write = write.lock().unwrap_or_else(PoisonError::into_inner).take();
        return match write {
            Some(write) => {
                written(response, |status, headers| write(negotiator, preferences, status, headers))
            }
            // The extensions were cloned, and the other copy was already encoded.
            None => response,
        };
    }
    if is_bare_error(&response) {
        return written(response, |status, headers| {
            let mut problem = Problem::new(status);
            if let Some(allow) = headers.get(header::ALLOW).and_then(|allow| allow.to_str().ok()) {
                problem = problem.with_available(allow.split(',').map(|method| method.trim()));
            }
            let mut response = negotiator.refuse(preferences, &problem.into());
            add(response.headers_mut(), headers);
            response
        });
    }
    response
}

/// Returns whether a response is an error with a status only.
fn is_bare_error(response: &Response) -> bool {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    is_error
        && !response.headers().contains_key(header::CONTENT_TYPE)
        && response.body().size_hint().exact() == Some(0)
}

/// Replaces the content of a response.
fn written(response: Response, write: impl FnOnce(StatusCode, HeaderMap) -> Written) -> Response {
    let (mut parts, body) = response.into_parts();
    let mut headers = std::mem::take(&mut parts.headers);
    // With these fields, inner layers described the content that is replaced.
    for name in [header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
        headers.remove(name);
    }
    // A layer that compresses content does not know its size, so the field is the layer's. Otherwise
    // the handler has set it, because the bytes of its `Raw` are compressed already.
    if body.size_hint().upper().is_none() {
        headers.remove(header::CONTENT_ENCODING);
    }
    let mut response = write(parts.status, headers).map(Body::new);
    *response.extensions_mut() = parts.extensions;
    response
}

/// Adds the header fields of the handler to those of a problem, which is not in the coding that the
/// handler may have named. A field in `fields` replaces a field of the handler with the same name,
/// except that the values of `Vary` are combined.
fn add(fields: &mut HeaderMap, mut handler_fields: HeaderMap) {
    handler_fields.remove(header::CONTENT_ENCODING);
    let mut own = std::mem::replace(fields, handler_fields);
    let vary: Vec<HeaderValue> = own.get_all(header::VARY).iter().cloned().collect();
    own.remove(header::VARY);
    fields.extend(own);
    for value in vary {
        fields.append(header::VARY, value);
    }
}

/// The body of a response that no layer has encoded. Reading this body fails, so that the client
/// does not take the response for complete, and logs the reason.
struct UnwrittenBody;

/// The message for a route without the layer.
pub(crate) const MISSING: &str =
    "this route has no WireLayer: add .layer(WireLayer::new([Format::Json])?) to the router";

#[derive(Debug)]
struct MissingLayer;

impl fmt::Display for MissingLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MISSING)
    }
}

impl std::error::Error for MissingLayer {}

impl http_body::Body for UnwrittenBody {
    type Data = Bytes;
    type Error = MissingLayer;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, MissingLayer>>> {
        tracing::error!("{MISSING}");
        Poll::Ready(Some(Err(MissingLayer)))
    }

    /// Returns a size with an upper bound, so that [`written`] can tell this body from the content
    /// of a layer that compresses. The size is not exact, because axum would send it as the length.
    fn size_hint(&self) -> SizeHint {
        let mut size = SizeHint::new();
        size.set_upper(u64::MAX);
        size
    }
}
