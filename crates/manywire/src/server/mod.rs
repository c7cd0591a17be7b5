//! An API at work: the index of its endpoints, and what is done with a request.

mod answering;
mod api;
mod asked;
mod body;
mod collect;
mod core;
mod fields;
#[cfg(feature = "server")]
mod graceful;
#[cfg(feature = "server")]
mod head_timer;
mod index;
mod intake;
mod limits;
#[cfg(feature = "server")]
mod listen;
#[cfg(feature = "server")]
mod listener;
#[cfg(feature = "metrics")]
mod metrics;
mod operation;
mod pace;
#[cfg(feature = "server")]
mod patient;
mod problems;
mod refusal;
mod representations;
mod request;
mod respond;
mod service;
mod streaming;
mod terms;
#[cfg(feature = "tls")]
mod tls;
mod trace;
#[cfg(all(feature = "server", unix))]
mod unix;
#[cfg(not(feature = "metrics"))]
mod unmeasured;
mod validators;
#[cfg(feature = "server")]
mod watched;

#[cfg(feature = "metrics")]
use metrics as measured;
#[cfg(not(feature = "metrics"))]
use unmeasured as measured;

pub use answering::Answering;
pub use api::{Api, InvalidApi, TrailingSlash};
pub use asked::{Asked, Refused};
pub use body::{Body, BodyError};
pub use limits::Limits;
#[cfg(feature = "server")]
pub use listen::Server;
pub(crate) use operation::Operation;
pub use service::Service;
pub use terms::Terms;
#[cfg(feature = "tls")]
pub use tls::Tls;
#[cfg(all(feature = "server", unix))]
pub use unix::UnixServer;
pub use validators::EntityTags;
