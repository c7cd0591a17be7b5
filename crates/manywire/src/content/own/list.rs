use std::fmt;

use manywire_codec::{Category, Error, Limits, Result};
use manywire_format::Format;
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::{AnyFormat, Own, Sequenced};
use crate::content::{Representation, Type};

/// A list of formats: an array, a vector or any iterator of one kind, or a tuple where built-in
/// formats and those of one's own stand beside each other: `(Format::Json, &Yaml)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of formats",
    label = "not formats",
    note = "list them in an array, `[Format::Json, Format::Cbor]`",
    note = "formats of one's own stand beside them in a tuple, `(Format::Json, &Yaml)`"
)]
pub trait IntoFormats<Kind> {
    /// The formats in their order.
    fn into_formats(self) -> Vec<AnyFormat>;
}

/// What tells the lists apart that are of one kind of format.
#[derive(Debug)]
pub struct Each(());

impl<I: IntoIterator<Item: Into<AnyFormat>>> IntoFormats<Each> for I {
    fn into_formats(self) -> Vec<AnyFormat> {
        self.into_iter().map(Into::into).collect()
    }
}

/// What tells the lists apart that may be of several.
#[derive(Debug)]
pub struct Mixed(());

macro_rules! mixed {
    ($($format:ident),+) => {
        impl<$($format: Into<AnyFormat>),+> IntoFormats<Mixed> for ($($format,)+) {
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

/// Which format of one's own a message is in: its place among those of its endpoint. One byte, as
/// a built-in format is one, so that what is agreed on stays as small as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At(u8);

/// In the byte of [`At`], what says that the format is text.
const TEXT: u8 = 0x80;

impl At {
    /// Whether it is text.
    pub(crate) fn is_text(self) -> bool {
        self.0 & TEXT != 0
    }
}

/// The formats of one's own that an endpoint has.
#[derive(Clone, Default)]
pub(crate) struct Owned(Vec<Own>);

impl Owned {
    /// Those of a list, all of which hold values of a type.
    ///
    /// # Errors
    /// What one cannot hold; more of them than anybody has.
    pub(crate) fn of(formats: &[AnyFormat], ty: &Type) -> Result<Owned> {
        let own: Vec<Own> = formats.iter().filter_map(|format| format.own()).collect();
        if own.len() > usize::from(TEXT) {
            let message = format_args!("expected at most {TEXT} formats of one's own");
            return Err(Error::new(Category::Unsupported, message));
        }
        for format in &own {
            format.holds(ty)?;
        }
        Ok(Owned(own))
    }

    /// What a message is that is in a format, which is built in or one of these.
    pub(crate) fn representation(&self, format: AnyFormat) -> Representation {
        let named = |own: &Own| own.name() == format.name();
        match format.built_in() {
            Some(format) => Representation::Format(format),
            None => {
                let place = self.0.iter().position(named).unwrap_or_default() as u8;
                Representation::Own(At(if format.is_text() { place | TEXT } else { place }))
            }
        }
    }

    /// Its values one after the other.
    pub(crate) fn sequenced(&self, at: At) -> Option<Sequenced> {
        self.get(at).ok()?.sequenced()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn encode<T: Serialize>(&self, at: At, value: &T, out: &mut Vec<u8>) -> Result<()> {
        self.get(at)?.encode(value, out)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn decode<'de, T: Deserialize<'de>>(
        &self,
        at: At,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.get(at)?.decode(bytes, limits)
    }

    pub(crate) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &self,
        at: At,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.get(at)?.decode_seed(seed, bytes, limits)
    }

    /// [`Owned::decode_seed`] with the path to what is wrong.
    #[cfg(feature = "multipart")]
    pub(crate) fn decode_seed_watched<'de, S: DeserializeSeed<'de>>(
        &self,
        at: At,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.get(at)?.decode_seed_watched(seed, bytes, limits)
    }

    fn get(&self, at: At) -> Result<Own> {
        let place = usize::from(at.0 & !TEXT);
        let own = self.0.get(place).copied();
        own.ok_or_else(|| Error::new(Category::Unsupported, "no such format was agreed on"))
    }
}

impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|own| own.name())).finish()
    }
}

/// The built-in formats of a list.
pub(crate) fn built_in(formats: &[AnyFormat]) -> Vec<Format> {
    formats.iter().filter_map(|format| format.built_in()).collect()
}
