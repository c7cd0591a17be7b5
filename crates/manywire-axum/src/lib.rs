//! axum handlers that answer each client in the format it asks for.
//!
//! [`Wire<T>`] replaces `Json<T>`, as an extractor and as a response. Bodies are decoded by
//! `Content-Type` and `Content-Encoding`, responses are encoded by `Accept` and `Accept-Encoding`,
//! and failures are problems (RFC 9457) in the client's format. The [`WireLayer`] around the routes
//! lists the formats.
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
//! - [`Wire`] carries every kind of [`content`](manywire::content), including streams and zero-copy
//!   values. [`WireAs`] carries content whose type differs from that of its values.
//! - [`Acceptable`] rejects a client that does not accept the response, before the handler runs.
//! - Errors without content, including axum's own 404 and 405, become problems in the client's
//!   format. Errors with content are unchanged.
//! - A route without the layer fails visibly: see [`WireLayer`].

mod layer;
mod wire;

pub use layer::{Answering, WireLayer, WireService};
pub use wire::{Acceptable, Wire, WireAs, WireRejection};
