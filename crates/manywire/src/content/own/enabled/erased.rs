//! User-defined formats behind a table of functions: type erasure of values, seeds and errors.

use std::marker::PhantomData;

use manywire_codec::{Category, Error, Limits, Result};
use serde::de::value::Error as MessageError;
use serde::de::{DeserializeSeed, Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_path_to_error::{Segment, Track};

use super::format::{FormatError, OwnFormat, Sequence};
use super::guard::{Guarded, ReadGuard, SavedError};
use crate::content::Type;

/// A user-defined format behind a table of functions.
#[derive(Clone, Copy)]
pub(in crate::content) struct ErasedFormat(&'static dyn DynFormat);

/// Decodes the value out of a deserializer.
type Take<'t, 'de> = dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> ErasedResult + 't;
type ErasedResult = std::result::Result<(), erased_serde::Error>;

/// The object-safe form of [`OwnFormat`], without its type parameters.
trait DynFormat: Send + Sync {
    fn name(&self) -> &'static str;
    fn media_types(&self) -> &'static [&'static str];
    fn is_text(&self) -> bool;
    fn holds(&self, ty: &Type) -> std::result::Result<(), FormatError>;
    fn sequence(&self) -> Option<Sequence>;

    fn encode(
        &self,
        value: &dyn erased_serde::Serialize,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), FormatError>;

    fn decode<'de>(
        &self,
        bytes: &'de [u8],
        limits: Limits,
        seed: ErasedSeed<'_, '_, 'de>,
    ) -> std::result::Result<(), FormatError>;
}

impl<F: OwnFormat> DynFormat for F {
    fn name(&self) -> &'static str {
        OwnFormat::name(self)
    }

    fn media_types(&self) -> &'static [&'static str] {
        OwnFormat::media_types(self)
    }

    fn is_text(&self) -> bool {
        OwnFormat::is_text(self)
    }

    fn holds(&self, ty: &Type) -> std::result::Result<(), FormatError> {
        OwnFormat::holds(self, ty)
    }

    fn sequence(&self) -> Option<Sequence> {
        OwnFormat::sequence(self)
    }

    fn encode(
        &self,
        value: &dyn erased_serde::Serialize,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), FormatError> {
        OwnFormat::encode(self, value, out)
    }

    fn decode<'de>(
        &self,
        bytes: &'de [u8],
        limits: Limits,
        seed: ErasedSeed<'_, '_, 'de>,
    ) -> std::result::Result<(), FormatError> {
        OwnFormat::decode(self, seed, bytes, limits)
    }
}

impl ErasedFormat {
    pub(in crate::content::own) fn new<F: OwnFormat>(format: &'static F) -> ErasedFormat {
        ErasedFormat(format)
    }

    pub(in crate::content::own) fn name(self) -> &'static str {
        self.0.name()
    }

    pub(in crate::content) fn media_types(self) -> &'static [&'static str] {
        self.0.media_types()
    }

    pub(in crate::content) fn is_text(self) -> bool {
        self.0.is_text()
    }

    pub(in crate::content::own) fn holds(self, ty: &Type) -> Result<()> {
        self.0.holds(ty).map_err(FormatError::unsupported)
    }

    /// Returns the delimiters of streams, if the format has streams.
    pub(in crate::content) fn sequence(self) -> Option<Sequence> {
        self.0.sequence()
    }

    /// Returns whether the delimiter of the format's streams is empty.
    pub(in crate::content) fn has_empty_delimiter(self) -> bool {
        self.0.sequence().is_some_and(|sequence| sequence.has_empty_delimiter())
    }

    /// Appends a value. On an error `out` is unchanged.
    pub(in crate::content::own) fn encode<T: Serialize>(
        self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let start = out.len();
        self.0.encode(value, out).map_err(|error| {
            out.truncate(start);
            error.unsupported()
        })
    }

    /// Decodes a value. A wrong value is decoded a second time with its path tracked: tracking the
    /// path of every value costs more than decoding most values.
    pub(in crate::content::own) fn decode<'de, T: Deserialize<'de>>(
        self,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.read(PhantomData::<T>, bytes, limits, None).or_else(|first| {
            let mut track = Track::new();
            match self.read(PhantomData::<T>, bytes, limits, Some(&mut track)) {
                Ok(value) => Ok(value),
                Err(_) => Err(with_path(first, track)),
            }
        })
    }

    /// Decodes a value with a seed. A seed decodes only once, so an error has its path only if
    /// `tracks_path` is set, which tracks it from the beginning.
    pub(in crate::content::own) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
        tracks_path: bool,
    ) -> Result<S::Value> {
        if !tracks_path {
            return self.read(seed, bytes, limits, None);
        }
        let mut track = Track::new();
        let read = self.read(seed, bytes, limits, Some(&mut track));
        read.map_err(|error| with_path(error, track))
    }

    fn read<'de, S: DeserializeSeed<'de>>(
        self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
        track: Option<&mut Track>,
    ) -> Result<S::Value> {
        let guard = ReadGuard::new(limits.depth);
        let (mut seed, mut value) = (Some(seed), None);
        let mut take = |deserializer: &mut dyn erased_serde::Deserializer<'de>| {
            let again = || erased_serde::Error::custom("the format read more than one value");
            value = Some(seed.take().ok_or_else(again)?.deserialize(deserializer)?);
            Ok(())
        };
        let seed = ErasedSeed { take: &mut take, guard: &guard, track };
        match (self.0.decode(bytes, limits, seed), value) {
            (Ok(()), Some(value)) => Ok(value),
            (Ok(()), None) => Err(Error::new(Category::Syntax, "the format read no value")),
            (Err(error), _) => Err(error.into_error(guard.first_error(), bytes, self.is_text())),
        }
    }
}

/// Adds the tracked path to an error.
#[cold]
fn with_path(error: Error, track: Track) -> Error {
    let path = track.path();
    path.iter().collect::<Vec<_>>().into_iter().rev().fold(error, |error, step| match step {
        Segment::Seq { index } => error.under_index(*index),
        Segment::Map { key } => error.under_key(key),
        Segment::Enum { variant } => error.under_key(variant),
        Segment::Unknown => error,
    })
}

/// The type-erased seed that [`OwnFormat::decode`] receives.
struct ErasedSeed<'s, 't, 'de> {
    take: &'s mut Take<'t, 'de>,
    guard: &'s ReadGuard,
    track: Option<&'s mut Track>,
}

impl<'de> ErasedSeed<'_, '_, 'de> {
    fn read<D: Deserializer<'de>>(
        take: &mut Take<'_, 'de>,
        guard: &ReadGuard,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        let saved = SavedError::new();
        let guarded = Guarded::new(deserializer, guard, &saved);
        let mut erased = <dyn erased_serde::Deserializer<'de>>::erase(guarded);
        take(&mut erased).map_err(|error| saved.take_or(guard, MessageError::custom(error)))
    }
}

impl<'de> DeserializeSeed<'de> for ErasedSeed<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        match self.track {
            None => ErasedSeed::read(self.take, self.guard, deserializer),
            Some(track) => {
                let tracked = serde_path_to_error::Deserializer::new(deserializer, track);
                ErasedSeed::read(self.take, self.guard, tracked)
            }
        }
    }
}
