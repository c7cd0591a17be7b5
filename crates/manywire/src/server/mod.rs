//! The server side: the [`Api`] builder, the built [`Service`], the path of one request through it,
//! and listening on sockets.

mod api;
mod conditions;
mod core;
mod etags;
mod headers;
#[cfg(feature = "server")]
mod listen;
#[cfg_attr(not(feature = "metrics"), path = "metrics_disabled.rs")]
mod metrics;
mod negotiator;
mod operation;
mod refusal;
mod request_body;
mod response;
mod router;
mod service;
mod tower;

pub use self::core::TrailingSlash;
pub use api::{Api, InvalidApi};
pub use etags::EntityTags;
#[cfg(feature = "tls")]
pub use listen::Tls;
#[cfg(all(feature = "server", unix))]
pub use listen::UnixServer;
#[cfg(feature = "server")]
pub use listen::{RequestBody, Serve, Server};
pub use negotiator::{Negotiator, Preferences, Rejection};
pub use service::{Answering, Service};
pub use tower::TowerService;
