//! The way in which a client sends requests: over connections, or to a service in the same process.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};
use http::header::{HOST, HeaderValue};
use http::{Request, Response};
use http_body::Body as HttpBody;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Either};
use hyper::body::Incoming;

use super::connect::{Pool, TransportConfig};
use crate::body::{Body, BoxError};

/// The way in which a client sends requests.
#[derive(Clone)]
pub(super) enum Transport {
    /// Over a pool of connections.
    Network(Box<Network>),
    /// To a service in the same process.
    InProcess(InProcess),
}

/// A pool of connections, with their configuration.
#[derive(Clone)]
pub(super) struct Network {
    config: TransportConfig,
    pool: Pool,
}

/// The error for a request without a response.
pub(super) struct SendError {
    pub(super) source: BoxError,
    /// Indicates whether no connection was established, so that nothing was sent.
    pub(super) is_connect: bool,
}

impl Transport {
    /// Creates a transport over connections.
    pub(super) fn new(config: TransportConfig) -> Self {
        Transport::Network(Box::new(Network { pool: config.pool(), config }))
    }

    /// Changes the configuration of connections and replaces the pool. Does nothing for a service
    /// in the same process.
    pub(super) fn configure(&mut self, change: impl FnOnce(&mut TransportConfig)) {
        if let Transport::Network(network) = self {
            change(&mut network.config);
            network.pool = network.config.pool();
        }
    }

    /// Sends a request.
    pub(super) async fn send(
        &self,
        request: Request<Body>,
    ) -> Result<Response<ResponseBody>, SendError> {
        match self {
            Transport::Network(network) => match network.pool.request(request).await {
                Ok(response) => Ok(response.map(ResponseBody::Left)),
                Err(error) => {
                    let is_connect = error.is_connect();
                    Err(SendError { source: error.into(), is_connect })
                }
            },
            Transport::InProcess(InProcess(service)) => {
                service(request).await.map_err(|source| SendError { source, is_connect: false })
            }
        }
    }
}

/// A service in the same process.
#[derive(Clone)]
pub(super) struct InProcess(Arc<dyn Fn(Request<Body>) -> ResponseFuture + Send + Sync>);

type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, BoxError>> + Send>>;

impl InProcess {
    pub(super) fn new<S, B>(service: S) -> Self
    where
        S: tower_service::Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: HttpBody + Send + 'static,
        B::Error: Into<BoxError>,
    {
        // A service of tower need not be `Sync`, so a mutex guards it and each call uses a clone.
        let service = Mutex::new(service);
        InProcess(Arc::new(move |mut request: Request<Body>| {
            as_received(&mut request);
            let mut service = service.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Box::pin(async move {
                poll_fn(|context| service.poll_ready(context)).await.map_err(Into::into)?;
                let response = service.call(request).await.map_err(Into::into)?;
                let boxed = |body: B| {
                    let all = |mut data: B::Data| data.copy_to_bytes(data.remaining());
                    body.map_frame(move |frame| frame.map_data(all)).map_err(Into::into)
                };
                Ok(response.map(|body| ResponseBody::Right(boxed(body).boxed_unsync())))
            })
        }))
    }
}

/// The body of a response: one that comes over a connection, or that of a service in the same
/// process.
pub(super) type ResponseBody = Either<Incoming, UnsyncBoxBody<Bytes, BoxError>>;

/// Gives a request the form in which a server of HTTP/1.1 receives it: only the path and query as
/// its target, and a `Host` field.
fn as_received(request: &mut Request<Body>) {
    let host = request.uri().authority().map(|authority| authority.as_str().to_owned());
    if let Some(host) = host.and_then(|host| HeaderValue::try_from(host).ok()) {
        request.headers_mut().entry(HOST).or_insert(host);
    }
    if let Some(target) = request.uri().path_and_query() {
        *request.uri_mut() = target.clone().into();
    }
}
