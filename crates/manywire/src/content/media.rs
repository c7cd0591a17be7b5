//! The form of content on the wire: the declared [`Media`] and the negotiated [`Representation`].

use http::HeaderValue;
use manywire_codec::{Category, Error, Result};
use manywire_format::{Format, MediaType};

use super::own::AnyFormat;
use super::{Framing, own};
use crate::charset::Charset;
use crate::types::Type;

/// The form of content on the wire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Media {
    /// A value of this type, in one of the formats that an API lists.
    Formats(Type),
    /// A stream of values of this type, in the framings of those formats.
    Items(Type),
    /// The fields of a record, `application/x-www-form-urlencoded`.
    Form(Type),
    /// The fields of a record, each a part with its own type, `multipart/form-data`.
    Multipart(Type),
    /// Text, `text/plain`.
    Text,
    /// Bytes, `application/octet-stream` unless the message names a type.
    Raw,
    /// A stream of bytes of any length; otherwise as [`Media::Raw`].
    RawStream,
    /// Bytes that always have one media type and are worth compressing.
    Named(&'static str),
    /// Bytes in one of these media types, the preferred first. The client chooses.
    OneOf(&'static [&'static str]),
    /// No content.
    Nothing,
}

/// The representation of the content in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Representation {
    /// A value in a built-in format.
    Format(Format),
    /// A value in a user-defined format.
    Own(own::FormatIndex),
    /// A stream of values in a built-in framing.
    Items(Framing),
    /// A stream of values in a user-defined format.
    OwnItems(own::FormatIndex),
    /// The fields of a form.
    Form,
    /// The parts of a form.
    Multipart,
    /// Text in a charset.
    Text(Charset),
    /// Bytes in one of several media types, by index.
    Named(u8),
    /// Bytes, unchanged.
    Raw,
    /// A stream of bytes.
    RawStream,
}

impl Representation {
    /// Returns the built-in format, if the representation has one.
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

    /// Returns whether this is a stream of values.
    pub(crate) fn is_items(self) -> bool {
        matches!(self, Representation::Items(_) | Representation::OwnItems(_))
    }

    /// Returns the representation of one value of a stream. Other representations are returned
    /// unchanged.
    pub(super) fn item(self) -> Representation {
        match self {
            Representation::Items(framing) => Representation::Format(framing.format()),
            Representation::OwnItems(at) => Representation::Own(at),
            other => other,
        }
    }
}

/// Returns the listed formats that a type supports.
///
/// # Errors
/// Fails if the type supports none of them.
pub(crate) fn supported_formats(ty: &Type, listed: &[AnyFormat]) -> Result<Vec<AnyFormat>> {
    let Some((name, formats)) = ty.shapeless_formats() else { return Ok(listed.to_vec()) };
    let is_one = |format: &AnyFormat| format.built_in().is_some_and(|it| formats.contains(&it));
    let among: Vec<AnyFormat> = listed.iter().copied().filter(is_one).collect();
    if among.is_empty() {
        return Err(no_common_format(name, formats, listed));
    }
    Ok(among)
}

#[cold]
fn no_common_format(name: &str, formats: &[Format], listed: &[AnyFormat]) -> Error {
    let needed: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let found: Vec<&str> = listed.iter().map(|format| format.name()).collect();
    let (needed, found) = (needed.join(", "), found.join(", "));
    let message = format_args!("{name} needs one of {needed} among the formats, found {found}");
    Error::new(Category::Unsupported, message)
}

/// Returns a media type as the value of a header field.
pub(crate) fn content_type(media_type: &MediaType) -> HeaderValue {
    let text = media_type.to_string().replace(';', "; ");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
