//! axum handlers that answer each client in the format it asks for.
//!
//! [`Wire<T>`] stands where `Json<T>` stood, as an extractor and as a response: bodies are read by
//! `Content-Type` and `Content-Encoding`, answers are written by `Accept` and `Accept-Encoding`,
//! and what cannot be is a problem (RFC 9457) in the client's format. Which formats there are, the
//! [`WireLayer`] around the routes says.
//!
//! ```
//! use axum::Router;
//! use axum::extract::Path;
//! use axum::http::StatusCode;
//! use axum::routing::{get, post};
//! use manywire::{Failure, Format, Problem, Shaped};
//! use manywire_axum::{Wire, WireLayer};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Shaped)]
//! struct Hotel {
//!     id: u64,
//!     name: String,
//! }
//!
//! #[derive(Failure)]
//! enum HotelError {
//!     /// No such hotel
//!     #[failure(status = 404)]
//!     NotFound,
//! }
//!
//! async fn create(Wire(hotel): Wire<Hotel>) -> (StatusCode, Wire<Hotel>) {
//!     (StatusCode::CREATED, Wire(hotel))
//! }
//!
//! async fn find(Path(id): Path<u64>) -> Result<Wire<Hotel>, Wire<Problem>> {
//!     if id > 50 {
//!         Err(HotelError::NotFound)?;
//!     }
//!     Ok(Wire(Hotel { id, name: format!("Hotel {id}") }))
//! }
//!
//! # fn main() -> Result<(), manywire::InvalidApi> {
//! let app: Router = Router::new()
//!     .route("/hotels", post(create))
//!     .route("/hotels/{id}", get(find))
//!     .layer(WireLayer::new([Format::Json, Format::MsgPack, Format::Cbor])?);
//! # drop(app);
//! # Ok(())
//! # }
//! ```
//!
//! - Whatever [`content`](manywire::content) there is, streams and borrowed values included, is
//!   carried by [`Wire`], or by [`WireAs`] where its type is not that of its values.
//! - [`Acceptable`] refuses, before a handler does anything, clients that would not read the answer.
//! - Errors without content, axum's own 404 and 405 among them, become problems in the client's
//!   format; errors with content are left as they are.
//! - A route without the layer cannot pass for one that works: see [`WireLayer`].

mod layer;
mod wire;

pub use layer::{Answering, WireLayer, WireService};
pub use wire::{Acceptable, Wire, WireAs, WireRejection};
