//! What a client wants, as pure functions of its header fields and of what the server has
//! (RFC 9110, section 12).
//!
//! Quality values are integers, `q=0` excludes, the most specific range decides, parameters must
//! agree, and ties go to the offer that the server lists first. A member that is malformed is
//! passed over; if that leaves nothing, the field is as good as absent. A field that is there and
//! empty accepts nothing.
//!
//! Two things go beyond the RFC, and only where it would find nothing acceptable: a media type
//! with a structured syntax suffix and the bare one stand for each other (`Accept:
//! application/vnd.example+json` is answered in `application/json`), and `application/*+json` is
//! any such. In parameters, `charset=utf-8` is allowed to be said of JSON.
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
#[cfg(feature = "multipart")]
pub(crate) use syntax::{after_space, parameter, token_length};
pub use tokens::{
    CodingChoice, TokenRange, TokenRanges, choose_charset, choose_coding, token_ranges,
};
