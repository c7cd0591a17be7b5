//! Proactive negotiation (RFC 9110, section 12): pure functions of a client's header fields and a
//! server's offers.
//!
//! Quality values are integers, `q=0` excludes, the most specific range decides, parameters must
//! match, and ties go to the offer that the server lists first. A malformed member is ignored; if
//! only malformed members are left, the field is treated as absent. An empty field accepts nothing;
//! a service ignores an empty `Accept`, because clients that send one have no preference.
//!
//! Two extensions apply only if the RFC finds nothing acceptable. A media type with a structured
//! syntax suffix matches the one without (`Accept: application/vnd.example+json` is answered with
//! `application/json`), and `application/*+json` matches every such type. The parameter
//! `charset=utf-8` matches JSON.
//!
//! ```
//! use manywire::negotiate::{choose_coding, Offers};
//!
//! let offers = Offers::new(["application/json", "application/cbor"].map(|offer| {
//!     offer.parse::<manywire::MediaType>().expect("a media type").into()
//! }));
//! assert_eq!(offers.choose(Some(b"application/json;q=0.5, application/cbor")), Some(1));
//! assert_eq!(offers.choose(Some(b"*/*")), Some(0));
//! assert_eq!(offers.choose(Some(b"text/html")), None);
//!
//! assert_eq!(choose_coding(Some(b"gzip;q=0.5, br"), &["gzip", "br"]).coding, Some(1));
//! ```

mod accept;
mod cache;
mod offer;
mod offers;
mod syntax;
mod tokens;

pub use accept::{Malformed, MediaRange, MediaRanges, media_ranges};
pub use offer::Offer;
pub use offers::{CodingOffers, Offers, Weight};
pub use syntax::Quality;
pub(crate) use syntax::token_length;
#[cfg(feature = "multipart")]
pub(crate) use syntax::{after_space, parameter};
pub use tokens::{
    CodingChoice, TokenRange, TokenRanges, choose_charset, choose_coding, token_ranges,
};
