//! Payloads from where they are served: one GET, negotiated, decoded and bounded.
//!
//! [`fetch`] asks for the [`Form`](manywire_format::Form)s that its caller reads and gives back the
//! content with the form that its media type says. Everything comes from outside and has a bound:
//! redirects, time, header fields, bytes before and after content codings are taken off.

mod client;
mod request;
mod response;
mod urls;

pub use client::{Request, fetch};
pub use request::{FetchError, Header, InvalidHeader, Limits};
pub use response::Content;
pub use urls::{is_url, name};
