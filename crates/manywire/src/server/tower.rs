//! [`TowerService`]: a service of tower with the problems, metrics and limits that a server uses
//! for it.

use std::fmt;
use std::task::{Context, Poll};

use http::Request;
use tower_layer::Layer;

use super::service::Service;
use crate::limits::Limits;

/// A service of tower that can be bound to a socket: an API under layers, or any other.
///
/// [`Service::layer`] creates it for an API:
///
/// ```
/// use manywire::content::Text;
/// use manywire::{Api, get};
/// use tower_http::cors::CorsLayer;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let hello = get("/hello").returns::<Text>().to(|| async { "hello".to_owned() });
/// let service = Api::new("Greetings").serve(hello).build()?.layer(CorsLayer::permissive());
/// service.bind("127.0.0.1:8080").await?.run().await?;
/// # Ok(())
/// # }
/// ```
///
/// `Server::serve` creates it for any service of tower, such as a router of axum.
///
/// The limits of the server apply to all requests: to their heads, connections, HTTP/2 streams, the
/// pace of their bodies, and shutdown. The size of a body is limited by the service that reads it:
/// the endpoints of an API do so. If the service or a layer returns an error, the error is logged and
/// the client receives 500, in a format of the API that it accepts. Requests that a layer answers are
/// not counted by the metrics of an API.
#[derive(Clone)]
pub struct TowerService<S> {
    pub(super) service: S,
    /// The API, for its problems and its metrics. Another service has an API without endpoints here.
    pub(super) api: Service,
    /// The limits of the server.
    pub(super) limits: Limits,
}

impl Service {
    /// Puts a layer of tower around the service: CORS, tracing, rate limits, compression. A layer
    /// that is added later is further outside.
    pub fn layer<L: Layer<Service>>(self, layer: L) -> TowerService<L::Service> {
        let limits = self.limits();
        TowerService { service: layer.layer(self.clone()), api: self, limits }
    }
}

impl<S> TowerService<S> {
    /// Puts a layer of tower around the service. A layer that is added later is further outside.
    pub fn layer<L: Layer<S>>(self, layer: L) -> TowerService<L::Service> {
        let TowerService { service, api, limits } = self;
        TowerService { service: layer.layer(service), api, limits }
    }

    /// Sets the limits of the server. The default is those of the API, or [`Limits::DEFAULT`]. The
    /// endpoints of an API read bodies within the limits of their API in any case.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits.with_finite_times();
        self
    }
}

impl<S, B> tower_service::Service<Request<B>> for TowerService<S>
where
    S: tower_service::Service<Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> S::Future {
        self.service.call(request)
    }
}

impl<S> fmt::Debug for TowerService<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TowerService")
    }
}
