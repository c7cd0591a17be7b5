//! Typed HTTP endpoints that answer each client in the format it asks for.
//!
//! Derive once, describe an endpoint once; it then answers JSON to one client and MessagePack,
//! CBOR, Protocol Buffers, Avro or BSON to the next, by `Accept`, and reads each body in the format
//! that its `Content-Type` says.
//!
//! ```
//! use manywire::{get, post, Api, Format, Problem, Shaped, StatusCode};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Shaped)]
//! struct Hotel {
//!     id: u64,
//!     name: String,
//! }
//!
//! let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
//! let create = post("/hotels").body::<Hotel>().status(201).returns::<Hotel>();
//!
//! let service = Api::new("Hotels")
//!     .formats([Format::Json, Format::MsgPack, Format::Protobuf])
//!     .serve(find.to(|id| async move {
//!         if id == 0 {
//!             return Err(Problem::new(StatusCode::NOT_FOUND));
//!         }
//!         Ok(Hotel { id, name: "Ritz".to_owned() })
//!     }))
//!     .serve(create.to(|hotel| async move { hotel }))
//!     .build()?;
//! # drop(service);
//! # Ok::<(), manywire::InvalidApi>(())
//! ```
//!
//! - `guide`: how to serve, call, stream, lock a schema, come from axum, move to MessagePack.
//! - [`Endpoint`]: what is taken and what is given back, as a value.
//! - [`Api`] and [`Service`]: endpoints with their handlers, compiled into one index.
//! - `Client`: calling endpoints, from the same values.
//! - [`content`]: what a message carries. [`input`]: where in a request inputs stand.
//! - [`Documents`]: what is told of an API: OpenAPI, `.proto`, `.avsc`.
//! - [`Problem`]: every failure, in the client's format (RFC 9457).
//! - [`negotiate`]: what a client wants, as pure functions.
//! - [`adapt`]: negotiation and content for services that other frameworks route.

pub mod adapt;
mod body;
mod charset;
#[cfg(feature = "client")]
mod client;
mod codings;
pub mod content;
mod endpoint;
mod field_numbers;
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod input;
mod limits;
pub mod negotiate;
mod openapi;
#[cfg(any(feature = "tls", feature = "client-tls"))]
mod pem;
mod problem;
mod server;
#[cfg(any(feature = "server", feature = "client"))]
mod socket;

pub use body::{Body, BodyError};
pub use charset::Charset;
#[cfg(feature = "client-tls")]
pub use client::ClientTls;
#[cfg(feature = "client")]
pub use client::{CallError, Client, Fetched, InvalidBase};
pub use content::own::{AnyFormat, IntoFormats};
#[cfg(feature = "own-format")]
pub use content::own::{FormatError, OwnFormat, Sequence};
pub use endpoint::{
    Endpoint, IntoReply, InvalidCookie, Reply, Route, SameSite, Scope, SetCookie, delete, get,
    patch, post, put, scope,
};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use limits::Limits;
pub use manywire_derive::{Failure, ManywireShaped as Shaped};
pub use manywire_format::{Coding, Format, MediaType};
/// What [`derive@Shaped`] is written with.
#[doc(hidden)]
pub use manywire_shape as __shape;
pub use manywire_shape::derived::Shaped;
pub use openapi::{AvroSchema, Documents};
#[cfg(any(feature = "tls", feature = "client-tls"))]
pub use pem::InvalidTls;
pub use problem::{Failure, Fault, InputLocation, Problem, ProblemKind};
#[cfg(feature = "server")]
pub use server::Server;
#[cfg(feature = "tls")]
pub use server::Tls;
#[cfg(all(feature = "server", unix))]
pub use server::UnixServer;
pub use server::{Answering, Api, EntityTags, InvalidApi, Service, TrailingSlash};
