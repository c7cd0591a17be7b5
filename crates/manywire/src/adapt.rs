//! Negotiation and content for services whose requests are routed by others: what adapters to web
//! frameworks are made of.
//!
//! [`Negotiator`] are what a service speaks: formats, codings, limits. [`Preferences`] is what one client said
//! it wants. Between the two, a body is read as its `Content-Type` says, and a value is answered
//! with as `Accept` says; what cannot be is [`Rejection`].
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
//! let terms = Negotiator::new(Api::new("Hotels").formats([Format::Json, Format::Cbor]))?;
//!
//! // Of each request, before it goes to its handler:
//! let request = Request::post("/hotels")
//!     .header("content-type", "application/json")
//!     .header("accept", "application/cbor")
//!     .body(Full::new(&br#"{"id":7}"#[..]))?;
//! let (parts, body) = request.into_parts();
//! let asked = Preferences::of(&parts);
//! let response = match terms.receive::<Hotel, _>(&parts, body).await {
//!     // Of what the handler returns:
//!     Ok(hotel) => terms.answer::<Hotel>(&asked, Reply::new(hotel).with_status(StatusCode::CREATED)),
//!     Err(refused) => terms.refuse(&asked, &refused),
//! };
//! assert_eq!(response.status(), 201);
//! assert_eq!(response.headers()["content-type"], "application/cbor");
//! # Ok(())
//! # }
//! ```

pub use crate::server::{Negotiator, Preferences, Rejection};
