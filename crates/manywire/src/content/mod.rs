//! What a message carries: typed values in whatever format was agreed on, text, bytes, nothing.
//!
//! A content type is a Rust type that says what it is on the wire ([`Content`]), and how it gets
//! there ([`Encode`]) and back ([`Decode`]). Whatever derives serde's traits and `Shaped` is one.

mod agreed;
mod answer;
mod any_framing;
mod arriving;
mod codecs;
pub mod dynamic;
mod form;
mod framing;
mod items;
#[cfg(feature = "lent")]
mod lent;
#[cfg(feature = "multipart")]
mod multipart;
mod none;
mod offered;
#[cfg(feature = "client")]
mod outgoing;
pub mod own;
mod raw_stream;
mod reader;
mod receive;
#[cfg(feature = "avro")]
mod single_object;
mod split;
#[cfg(feature = "client")]
mod submit;
mod text;
mod ty;
mod typed;

use bytes::Bytes;
use manywire_format::Format;

pub use agreed::{Decoding, Encoding};
pub use answer::Answer;
pub(crate) use any_framing::{AnyFraming, find_framing};
pub use arriving::{Arriving, Received};
pub(crate) use arriving::{Bounds, Sender};
pub(crate) use codecs::Codecs;
pub use form::Form;
pub(crate) use form::{FORM, MULTIPART, check as check_form};
pub use framing::Framing;
pub use items::{Item, Items};
#[cfg(feature = "lent")]
pub use lent::Lent;
#[cfg(all(feature = "multipart", feature = "client"))]
pub use multipart::FileStream;
#[cfg(feature = "multipart")]
pub(crate) use multipart::check as check_multipart;
#[cfg(feature = "multipart")]
pub use multipart::{File, Multipart, Part};
pub use none::NoContent;
pub(crate) use offered::content_type;
#[cfg(feature = "client")]
pub(crate) use outgoing::Outgoing;
pub(crate) use own::{find, misnamed};
pub use raw_stream::RawStream;
pub use receive::Receive;
#[cfg(feature = "client")]
pub use submit::Submit;
pub use text::{Raw, Text};
pub use ty::Type;
pub(crate) use ty::TypeKey;

pub use manywire_codec::{Category, Error, Result};

use crate::problem::Fault;

/// Something that a request or a response can carry.
///
/// Types that derive `Shaped` are content in every format; [`Form`], [`Text`], [`Raw`] and
/// [`NoContent`] are the rest.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried by a request or a response",
    label = "not content",
    note = "derive it: #[derive(Serialize, Deserialize, Shaped)]",
    note = "for text use `Text`, for bytes `Raw`"
)]
pub trait Content: 'static {
    /// What a handler is given or gives back.
    type Value: Send + 'static;

    /// What it is on the wire.
    fn media() -> Media;
}

/// Content that can be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written into a message",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Encode: Content {
    /// Writes a value as was agreed on.
    ///
    /// # Errors
    /// When the format has no place for the value.
    fn encode_ref(value: &Self::Value, to: &mut Encoding<'_>) -> Result<Bytes>;

    /// The same, of a value that is not needed any more.
    ///
    /// # Errors
    /// As [`Encode::encode_ref`].
    #[inline]
    fn encode(value: Self::Value, to: &mut Encoding<'_>) -> Result<Bytes> {
        Self::encode_ref(&value, to)
    }

    /// The same, appended to what is there: one value of a stream.
    ///
    /// # Errors
    /// As [`Encode::encode_ref`].
    fn append(value: &Self::Value, mut to: Encoding<'_>, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&Self::encode_ref(value, &mut to)?);
        Ok(())
    }
}

/// Content that can be read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a message",
    label = "not content that can be read",
    note = "derive it: #[derive(Deserialize, Shaped)]",
    note = "a type that borrows from the body (`&str`, `&[u8]`) is taken as `Lent<…>`, which owns it"
)]
pub trait Decode: Content {
    /// Reads a value that came as `from` says.
    ///
    /// # Errors
    /// When the bytes are not of the format, or their value not of the type.
    fn decode(bytes: Bytes, from: Decoding<'_>) -> Result<Self::Value>;

    /// The same of bytes that others stand around: one value of a stream.
    ///
    /// # Errors
    /// As [`Decode::decode`].
    fn decode_slice(bytes: &[u8], from: Decoding<'_>) -> Result<Self::Value> {
        Self::decode(Bytes::copy_from_slice(bytes), from)
    }

    /// All that is wrong with a body that could not be decoded: the error, unless more is known.
    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        vec![Fault::of_body(error, bytes)]
    }
}

/// What content is on the wire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Media {
    /// A value of this type, in one of the formats that an API lists.
    Formats(Type),
    /// Values of this type one after the other, in the framings of those formats.
    Items(Type),
    /// The fields of a record, `application/x-www-form-urlencoded`.
    Form(Type),
    /// The fields of a record, each a part of its own type, `multipart/form-data`.
    Multipart(Type),
    /// Text, `text/plain`.
    Text,
    /// Bytes, `application/octet-stream` unless the message says what they are.
    Raw,
    /// Bytes as they come, of any number; otherwise as [`Media::Raw`].
    RawStream,
    /// Bytes that are always of one media type, and smaller when coded.
    Named(&'static str),
    /// Bytes that are of one of these media types, the preferred first, as the client asks.
    OneOf(&'static [&'static str]),
    /// Nothing.
    Nothing,
}

/// Which representation of some content a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Representation {
    /// A value in a format.
    Format(Format),
    /// A value in a format of one's own.
    Own(own::At),
    /// Values one after the other.
    Items(Framing),
    /// Values one after the other in a format of one's own.
    OwnItems(own::At),
    /// The fields of a form.
    Form,
    /// The parts of a form.
    Multipart,
    /// Text in a charset.
    Text(crate::Charset),
    /// Bytes of one of several media types, by its place among them.
    Named(u8),
    /// Bytes as they are.
    Raw,
    /// Bytes as they come.
    RawStream,
}

impl Representation {
    /// The built-in format that it is in, where it is in one.
    #[inline]
    pub fn format(self) -> Option<Format> {
        match self {
            Representation::Format(format) => Some(format),
            Representation::Items(framing) => Some(framing.format()),
            Representation::Own(_)
            | Representation::OwnItems(_)
            | Representation::Form
            | Representation::Multipart
            | Representation::Text(_)
            | Representation::Named(_)
            | Representation::Raw
            | Representation::RawStream => None,
        }
    }
    /// Whether it is a stream of values.
    pub(crate) fn is_items(self) -> bool {
        matches!(self, Representation::Items(_) | Representation::OwnItems(_))
    }

    /// What each value of a stream is in; anything else is what it is.
    fn of_one(self) -> Representation {
        match self {
            Representation::Items(framing) => Representation::Format(framing.format()),
            Representation::OwnItems(at) => Representation::Own(at),
            other => other,
        }
    }
}
