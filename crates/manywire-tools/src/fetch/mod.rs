//! Fetches payloads by HTTP: one GET with content negotiation, decoding and limits.
//!
//! [`fetch`] requests the [`Form`](manywire_format::Form)s that its caller can read, and returns the
//! content with the form that its media type gives. Redirects, time, header fields, and the bytes
//! before and after decoding all have limits.

mod client;
mod request;
mod response;
mod urls;

pub use client::fetch;
pub use request::{FetchError, Header, InvalidHeader, Limits, Request};
pub use response::Content;
pub use urls::{is_url, name};
