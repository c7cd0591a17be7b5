//! The content of messages: typed values in the negotiated format, text, bytes, or nothing.
//!
//! A content type is a Rust type that implements [`Content`], which names its form on the wire, and
//! [`Encode`] or [`Decode`] or both. Every type that derives serde's traits and `Shaped` is a
//! content type.

mod codecs;
pub mod dynamic;
mod encoding;
mod form;
mod framing;
mod incoming;
mod items;
mod media;
mod media_types;
#[cfg(feature = "multipart")]
mod multipart;
pub mod own;
mod plain;
mod raw_stream;
mod splitter;
#[cfg(feature = "client")]
mod submit;
mod traits;
#[cfg(feature = "zero-copy")]
mod zero_copy;

pub(crate) use codecs::Codecs;
pub(crate) use codecs::multipart_formats;
pub use encoding::{Decoding, Encoding};
pub use form::Form;
pub(crate) use form::{FORM, MULTIPART, check as check_form, check_multipart};
pub use framing::Framing;
pub(crate) use framing::{AnyFraming, find_framing, names_with_streams};
pub use incoming::{IncomingContent, IncomingStream};
pub(crate) use incoming::{IncomingLimits, Sender};
pub use items::{Item, Items};
pub use media::{Media, Representation};
pub(crate) use media::{content_type, supported_formats};
pub(crate) use media_types::check_media_types;
#[cfg(all(feature = "multipart", feature = "client"))]
pub use multipart::FileStream;
#[cfg(feature = "multipart")]
pub use multipart::{File, Multipart, Part};
pub(crate) use own::find;
pub use plain::{NoContent, Raw, Text};
pub use raw_stream::RawStream;
#[cfg(feature = "client")]
pub(crate) use submit::Outgoing;
#[cfg(feature = "client")]
pub use submit::Submit;
pub use traits::{Answer, Content, Decode, Encode, Receive};
#[cfg(feature = "zero-copy")]
pub use zero_copy::ZeroCopy;

pub use crate::types::Type;
pub use manywire_codec::{Category, Error, Result};
