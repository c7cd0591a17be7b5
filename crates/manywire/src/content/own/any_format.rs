//! [`AnyFormat`], a built-in or user-defined format, and lists of formats: how they are offered and
//! found by media type.

use std::fmt;
use std::hash::{Hash, Hasher};

use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::{Format, MediaType};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::ErasedFormat;
use crate::content::Type;
use crate::negotiate::Offer;

/// A format: a built-in one or, with the feature `own-format`, a user-defined one.
///
/// Both convert by `From`, so a list may mix them: `(Format::Json, &Yaml)`.
#[derive(Clone, Copy)]
pub struct AnyFormat(Inner);

#[derive(Clone, Copy)]
enum Inner {
    BuiltIn(Format),
    Own(ErasedFormat),
}

impl AnyFormat {
    /// Returns the name: `msgpack`, or the result of `OwnFormat::name`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Inner::BuiltIn(format) => format.name(),
            Inner::Own(own) => own.name(),
        }
    }

    /// Returns the built-in format, if it is one.
    pub fn built_in(self) -> Option<Format> {
        match self.0 {
            Inner::BuiltIn(format) => Some(format),
            Inner::Own(_) => None,
        }
    }

    /// Returns the media type that bodies are sent with.
    pub fn media_type(self) -> MediaType {
        match self.0 {
            Inner::BuiltIn(format) => MediaType::from(format),
            Inner::Own(own) => first(own).unwrap_or_else(unnamed),
        }
    }

    /// Returns the media types of the format, without the aliases of a built-in one.
    pub(in crate::content) fn media_types(self) -> Vec<&'static str> {
        match self.0 {
            Inner::BuiltIn(format) => vec![format.row().media_type],
            Inner::Own(own) => own.media_types().to_vec(),
        }
    }

    /// Returns whether the format is text.
    pub fn is_text(self) -> bool {
        match self.0 {
            Inner::BuiltIn(format) => format.row().text,
            Inner::Own(own) => own.is_text(),
        }
    }

    /// Returns the user-defined format, if it is one.
    pub(in crate::content) fn own(self) -> Option<ErasedFormat> {
        match self.0 {
            Inner::BuiltIn(_) => None,
            Inner::Own(own) => Some(own),
        }
    }

    /// Returns the offer for negotiation.
    pub(crate) fn offer(self) -> Offer {
        match self.0 {
            Inner::BuiltIn(format) => Offer::from(format),
            Inner::Own(own) => offer(own.media_types()),
        }
    }
}

/// Returns the offer for these media types, the first of which is sent.
pub(in crate::content) fn offer(names: &[&str]) -> Offer {
    let mut names = names.iter().filter_map(|name| MediaType::parse(name).ok());
    let first = names.next().unwrap_or_else(unnamed);
    names.fold(Offer::new(first), Offer::or)
}

/// Returns the format for a media type. A user-defined format with this exact name comes first (of
/// several, the one whose name has the most parameters), then a built-in format (both layouts of
/// MessagePack are decoded, whichever is encoded), then a user-defined format whose name is the
/// suffix.
pub(crate) fn find(formats: &[AnyFormat], media_type: &MediaType) -> Option<AnyFormat> {
    let own = || formats.iter().filter_map(|format| Some((*format, format.own()?)));
    let exact = own()
        .filter_map(|(format, own)| Some((format, parameters_of_name(own, media_type)?)))
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    let is_like = |(_, own): &(AnyFormat, ErasedFormat)| {
        first(*own).is_some_and(|name| media_type.suffix() == Some(name.subtype()))
    };
    let built_in = || {
        let known = media_type.format()?.row().media_type;
        let same = |format: &&AnyFormat| {
            format.built_in().is_some_and(|format| format.row().media_type == known)
        };
        formats.iter().find(same).copied()
    };
    exact
        .map(|(format, _)| format)
        .or_else(built_in)
        .or_else(|| own().find(is_like).map(|(format, _)| format))
}

/// Returns the valid media types of a format.
fn named(own: ErasedFormat) -> impl Iterator<Item = MediaType> {
    own.media_types().iter().filter_map(|name| MediaType::parse(name).ok())
}

/// Returns the number of parameters in the name that a media type has in a format, if the format has
/// such a name.
fn parameters_of_name(own: ErasedFormat, media_type: &MediaType) -> Option<usize> {
    let names = named(own).filter(|name| is(name, media_type));
    names.map(|name| name.parameters().len()).max()
}

fn first(own: ErasedFormat) -> Option<MediaType> {
    named(own).next()
}

/// Returns the media type of a format that names no valid one. An API with such a format cannot be
/// built; a client has no such check.
#[cold]
fn unnamed() -> MediaType {
    let octets = MediaType::parse("application/octet-stream");
    octets.unwrap_or_else(|_| MediaType::from(Format::Json))
}

/// Returns whether the media type `said` has the type, the subtype and all parameters of `name`.
pub(crate) fn is(name: &MediaType, said: &MediaType) -> bool {
    let mut parameters = name.parameters();
    name.essence() == said.essence()
        && parameters.all(|(name, value)| said.parameter(name) == Some(value))
}

impl From<ErasedFormat> for AnyFormat {
    fn from(own: ErasedFormat) -> Self {
        AnyFormat(Inner::Own(own))
    }
}

#[cfg(feature = "own-format")]
impl<F: super::OwnFormat> From<&'static F> for AnyFormat {
    fn from(format: &'static F) -> Self {
        AnyFormat::from(ErasedFormat::new(format))
    }
}

impl From<Format> for AnyFormat {
    fn from(format: Format) -> Self {
        AnyFormat(Inner::BuiltIn(format))
    }
}

impl PartialEq for AnyFormat {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Inner::BuiltIn(one), Inner::BuiltIn(other)) => one == other,
            (Inner::Own(one), Inner::Own(other)) => one.name() == other.name(),
            _ => false,
        }
    }
}

impl Eq for AnyFormat {}

impl PartialEq<Format> for AnyFormat {
    fn eq(&self, other: &Format) -> bool {
        self.built_in() == Some(*other)
    }
}

impl Hash for AnyFormat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for AnyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for AnyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A list of formats: an array, a vector or any iterator of one type, or a tuple that mixes
/// built-in and user-defined formats: `(Format::Json, &Yaml)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of formats",
    label = "not formats",
    note = "list them in an array, `[Format::Json, Format::Cbor]`",
    note = "add user-defined formats in a tuple, `(Format::Json, &Yaml)`"
)]
pub trait IntoFormats<Kind> {
    /// Returns the formats in their order.
    fn into_formats(self) -> Vec<AnyFormat>;
}

/// The marker of lists with formats of one type.
#[derive(Debug)]
pub struct UniformList(());

impl<I: IntoIterator<Item: Into<AnyFormat>>> IntoFormats<UniformList> for I {
    fn into_formats(self) -> Vec<AnyFormat> {
        self.into_iter().map(Into::into).collect()
    }
}

/// The marker of tuples, whose formats may have several types.
#[derive(Debug)]
pub struct MixedTuple(());

macro_rules! mixed {
    ($($format:ident),+) => {
        impl<$($format: Into<AnyFormat>),+> IntoFormats<MixedTuple> for ($($format,)+) {
            #[allow(non_snake_case, reason = "values are named as their types")]
            fn into_formats(self) -> Vec<AnyFormat> {
                let ($($format,)+) = self;
                vec![$($format.into()),+]
            }
        }
    };
}

mixed!(A);
mixed!(A, B);
mixed!(A, B, C);
mixed!(A, B, C, D);
mixed!(A, B, C, D, E);
mixed!(A, B, C, D, E, F);
mixed!(A, B, C, D, E, F, G);
mixed!(A, B, C, D, E, F, G, H);

/// The index of a user-defined format among those of its endpoint. The index takes one byte, like a
/// built-in format, so that the negotiated representation stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatIndex(u8);

/// The bit of a [`FormatIndex`] that marks a text format.
const TEXT: u8 = 0x80;

impl FormatIndex {
    /// Returns whether the format is text.
    pub(crate) fn is_text(self) -> bool {
        self.0 & TEXT != 0
    }
}

/// The user-defined formats of an endpoint.
#[derive(Clone, Default)]
pub(crate) struct OwnFormats(Vec<ErasedFormat>);

impl OwnFormats {
    /// Returns the user-defined formats of a list, after checking that each can represent the type.
    ///
    /// # Errors
    /// Fails if a format cannot represent the type, and for more than 128 formats.
    pub(crate) fn new(formats: &[AnyFormat], ty: &Type) -> Result<OwnFormats> {
        let own: Vec<ErasedFormat> = formats.iter().filter_map(|format| format.own()).collect();
        if own.len() > usize::from(TEXT) {
            let message = format_args!("expected at most {TEXT} formats of one's own");
            return Err(Error::new(Category::Unsupported, message));
        }
        for format in &own {
            format.holds(ty)?;
        }
        Ok(OwnFormats(own))
    }

    /// Returns the index of a user-defined format.
    pub(crate) fn index(&self, format: AnyFormat) -> FormatIndex {
        let named = |own: &ErasedFormat| own.name() == format.name();
        let place = self.0.iter().position(named).unwrap_or_default() as u8;
        FormatIndex(if format.is_text() { place | TEXT } else { place })
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn encode<T: Serialize>(
        &self,
        at: FormatIndex,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.get(at)?.encode(value, out)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn decode<'de, T: Deserialize<'de>>(
        &self,
        at: FormatIndex,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.get(at)?.decode(bytes, limits)
    }

    /// Decodes a value with a seed. An error has its path if `tracks_path` is set.
    pub(crate) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &self,
        at: FormatIndex,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
        tracks_path: bool,
    ) -> Result<S::Value> {
        self.get(at)?.decode_seed(seed, bytes, limits, tracks_path)
    }

    /// Returns the format at an index.
    pub(in crate::content) fn get(&self, at: FormatIndex) -> Result<ErasedFormat> {
        let place = usize::from(at.0 & !TEXT);
        let own = self.0.get(place).copied();
        own.ok_or_else(|| Error::new(Category::Unsupported, "the format was not negotiated"))
    }
}

impl fmt::Debug for OwnFormats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|own| own.name())).finish()
    }
}

/// Returns the built-in formats of a list.
pub(crate) fn built_in(formats: &[AnyFormat]) -> Vec<Format> {
    formats.iter().filter_map(|format| format.built_in()).collect()
}
