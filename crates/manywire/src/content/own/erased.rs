use std::marker::PhantomData;

use manywire_codec::{Category, Error, Limits, Result};
use serde::de::value::Error as Words;
use serde::de::{DeserializeSeed, Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_path_to_error::{Segment, Track};

use super::format::{FormatError, OwnFormat, Sequence, Sequenced};
use super::guard::{Kept, Watch, Watched};
use crate::content::Type;

/// A format of one's own, whatever its type.
#[derive(Clone, Copy)]
pub(super) struct Own(&'static dyn Erased);

/// Takes the one value out of a deserializer.
type Take<'t, 'de> = dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> Erroneous + 't;
type Erroneous = std::result::Result<(), erased_serde::Error>;

/// [`OwnFormat`] without its type parameters, so that a table of functions can have it.
trait Erased: Send + Sync {
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
        seed: Seed<'_, '_, 'de>,
    ) -> std::result::Result<(), FormatError>;
}

impl<F: OwnFormat> Erased for F {
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
        seed: Seed<'_, '_, 'de>,
    ) -> std::result::Result<(), FormatError> {
        OwnFormat::decode(self, seed, bytes, limits)
    }
}

impl Own {
    pub(super) fn new<F: OwnFormat>(format: &'static F) -> Own {
        Own(format)
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name()
    }

    pub(super) fn media_types(self) -> &'static [&'static str] {
        self.0.media_types()
    }

    pub(super) fn is_text(self) -> bool {
        self.0.is_text()
    }

    pub(super) fn holds(self, ty: &Type) -> Result<()> {
        self.0.holds(ty).map_err(FormatError::unsupported)
    }

    /// Its values one after the other, if it has streams.
    pub(super) fn sequenced(self) -> Option<Sequenced> {
        self.0.sequence().map(|sequence| Sequenced::new(self, sequence))
    }

    /// Whether its streams would have nothing that tells values apart.
    pub(super) fn sequence_is_of_nothing(self) -> bool {
        self.0.sequence().is_some_and(|sequence| sequence.is_of_nothing())
    }

    /// Appends a value; on an error `out` is as it was.
    pub(super) fn encode<T: Serialize>(self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        self.0.encode(value, out).map_err(|error| {
            out.truncate(start);
            error.unsupported()
        })
    }

    /// Reads a value. Where it is wrong it is read a second time, watching where: the steps to
    /// every value cost more than most values do.
    pub(super) fn decode<'de, T: Deserialize<'de>>(
        self,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.read(PhantomData::<T>, bytes, limits, None).or_else(|first| {
            let mut track = Track::new();
            match self.read(PhantomData::<T>, bytes, limits, Some(&mut track)) {
                Ok(value) => Ok(value),
                Err(_) => Err(under(first, track)),
            }
        })
    }

    /// The same by a seed, which can be read by only once: the path is left out.
    pub(super) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.read(seed, bytes, limits, None)
    }

    /// The same with the path, which is watched from the beginning.
    #[cfg(feature = "multipart")]
    pub(super) fn decode_seed_watched<'de, S: DeserializeSeed<'de>>(
        self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        let mut track = Track::new();
        let read = self.read(seed, bytes, limits, Some(&mut track));
        read.map_err(|error| under(error, track))
    }

    fn read<'de, S: DeserializeSeed<'de>>(
        self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
        track: Option<&mut Track>,
    ) -> Result<S::Value> {
        let watch = Watch::new(limits.depth);
        let (mut seed, mut value) = (Some(seed), None);
        let mut take = |deserializer: &mut dyn erased_serde::Deserializer<'de>| {
            let again = || erased_serde::Error::custom("the format read more than one value");
            value = Some(seed.take().ok_or_else(again)?.deserialize(deserializer)?);
            Ok(())
        };
        let seed = Seed { take: &mut take, watch: &watch, track };
        match (self.0.decode(bytes, limits, seed), value) {
            (Ok(()), Some(value)) => Ok(value),
            (Ok(()), None) => Err(Error::new(Category::Syntax, "the format read no value")),
            (Err(error), _) => Err(error.into_error(watch.noted(), bytes, self.is_text())),
        }
    }
}

/// The error with the steps to where it came from.
#[cold]
fn under(error: Error, track: Track) -> Error {
    let path = track.path();
    path.iter().collect::<Vec<_>>().into_iter().rev().fold(error, |error, step| match step {
        Segment::Seq { index } => error.under_index(*index),
        Segment::Map { key } => error.under_key(key),
        Segment::Enum { variant } => error.under_key(variant),
        Segment::Unknown => error,
    })
}

/// What [`OwnFormat::decode`] is given: the type to be read, forgotten.
struct Seed<'s, 't, 'de> {
    take: &'s mut Take<'t, 'de>,
    watch: &'s Watch,
    track: Option<&'s mut Track>,
}

impl<'de> Seed<'_, '_, 'de> {
    fn read<D: Deserializer<'de>>(
        take: &mut Take<'_, 'de>,
        watch: &Watch,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        let kept = Kept::new();
        let watched = Watched::new(deserializer, watch, &kept);
        let mut erased = <dyn erased_serde::Deserializer<'de>>::erase(watched);
        take(&mut erased).map_err(|error| kept.or(watch, Words::custom(error)))
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        match self.track {
            None => Seed::read(self.take, self.watch, deserializer),
            Some(track) => {
                let tracked = serde_path_to_error::Deserializer::new(deserializer, track);
                Seed::read(self.take, self.watch, tracked)
            }
        }
    }
}
