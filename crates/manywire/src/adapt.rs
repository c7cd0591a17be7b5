//! Content negotiation for adapters to web frameworks that route the requests themselves.
//!
//! [`Negotiator`] holds the formats, codings and limits of a service. [`Preferences`] holds the
//! preferences that one request states. Bodies are read by their `Content-Type`, and values are
//! sent by `Accept`. A request that cannot be read or answered ends in a [`Rejection`].
//!
//! ```
//! use http::Request;
//! use http_body_util::Full;
//! use manywire::adapt::{Negotiator, Preferences};
//! use manywire::{Api, Format, Reply, Shaped, StatusCode};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Shaped)]
//! struct Hotel {
//!     id: u64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let negotiator = Negotiator::new(Api::new("Hotels").formats([Format::Json, Format::Cbor]))?;
//!
//! // For each request, before its handler runs:
//! let request = Request::post("/hotels")
//!     .header("content-type", "application/json")
//!     .header("accept", "application/cbor")
//!     .body(Full::new(&br#"{"id":7}"#[..]))?;
//! let (parts, body) = request.into_parts();
//! let preferences = Preferences::of(&parts);
//! let response = match negotiator.receive::<Hotel, _>(&parts, body).await {
//!     // For the value that the handler returns:
//!     Ok(hotel) => {
//!         let reply = Reply::new(hotel).with_status(StatusCode::CREATED);
//!         negotiator.answer::<Hotel>(&preferences, reply)
//!     }
//!     Err(rejection) => negotiator.refuse(&preferences, &rejection),
//! };
//! assert_eq!(response.status(), 201);
//! assert_eq!(response.headers()["content-type"], "application/cbor");
//! # Ok(())
//! # }
//! ```

pub use crate::server::{Negotiator, Preferences, Rejection};
