//! Payloads from where they are served: one GET, negotiated, decoded and bounded.
//!
//! [`fetch`] asks for the [`Form`](manywire_format::Form)s that its caller reads and gives back the
//! content with the form that its media type says. Everything comes from outside and has a bound:
//! redirects, time, header fields, bytes before and after content codings are taken off.

mod answer;
mod error;
mod exchange;
mod header;
mod limits;
mod target;

pub use answer::Content;
pub use error::FetchError;
pub use exchange::{Request, fetch};
pub use header::{Header, InvalidHeader};
pub use limits::Limits;
pub use target::{is_url, name};
