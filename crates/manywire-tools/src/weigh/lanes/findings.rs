//! Compares the bytes that a subject wrote with the payloads, and lists the reasons that a subject has no
//! figures.

use std::collections::BTreeMap;
use std::fmt;

use manywire_codec::coding::Encoder;
use manywire_codec::{Codec, Error};
use manywire_format::CodingLevel;
use manywire_shape::Arena;
use manywire_shape::fidelity::{self, Loss};

use super::manifest::KnownFailure;
use crate::payload::LIMITS;
use crate::weigh::launch::{LaunchError, Refusal};
use crate::weigh::payload::Sample;

/// The reason that a subject has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectError {
    /// The format, the library or the types cannot represent the payloads.
    Unsupported(String),
    /// The subject is at fault, for example because it wrote invalid bytes or lost data.
    Broken(String),
    /// The process ended, hung or sent an invalid answer, or the user interrupted.
    Launch(LaunchError),
    /// The case is listed in `failing.txt`.
    Known {
        /// The reason in the list.
        reason: String,
        /// The failure.
        error: Box<SubjectError>,
    },
}

impl SubjectError {
    /// Returns whether the subject is at fault, and `failing.txt` does not list the case.
    pub fn is_broken(&self) -> bool {
        match self {
            SubjectError::Broken(_) => true,
            SubjectError::Launch(error) => *error != LaunchError::Interrupted,
            SubjectError::Unsupported(_) | SubjectError::Known { .. } => false,
        }
    }

    /// Returns the error of a subject that `failing.txt` lists, if `known` is its line. An interrupt
    /// stays one: the subject was not tried, so nothing is known about the listed failure.
    pub(super) fn listed(self, known: Option<&KnownFailure>) -> Self {
        match (self, known) {
            (error @ SubjectError::Launch(LaunchError::Interrupted), _) => error,
            (error, None) => error,
            (error, Some(known)) => {
                SubjectError::Known { reason: known.reason.clone(), error: Box::new(error) }
            }
        }
    }

    /// Returns the error with its reason in one line, unless it comes from the process.
    pub(super) fn in_one_line(self) -> Self {
        match self {
            SubjectError::Unsupported(why) => SubjectError::Unsupported(one_line(&why)),
            SubjectError::Broken(why) => SubjectError::Broken(one_line(&why)),
            other => other,
        }
    }
}

impl fmt::Display for SubjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubjectError::Unsupported(why) | SubjectError::Broken(why) => f.write_str(why),
            SubjectError::Launch(error) => error.fmt(f),
            SubjectError::Known { reason, error } => write!(f, "{reason} ({error})"),
        }
    }
}

impl std::error::Error for SubjectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SubjectError::Launch(error) => Some(error),
            SubjectError::Known { error, .. } => Some(&**error),
            SubjectError::Unsupported(_) | SubjectError::Broken(_) => None,
        }
    }
}

impl From<LaunchError> for SubjectError {
    fn from(error: LaunchError) -> Self {
        SubjectError::Launch(error)
    }
}

/// A lane refuses payloads that the library or its types cannot hold.
impl From<Refusal> for SubjectError {
    fn from(Refusal(words): Refusal) -> Self {
        SubjectError::Unsupported(words)
    }
}

/// The maximum length of a reason, in characters. Some libraries describe a whole schema or
/// document in an error.
const REASON_MAX: usize = 240;

/// Returns a reason in one line, cut if it is too long.
fn one_line(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(REASON_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The findings about bytes that a subject wrote.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    /// The data that did not survive the round trip.
    pub(super) losses: Vec<Loss>,
    /// The bytes of each payload under each coding.
    pub(super) coded_sizes: BTreeMap<String, Vec<u64>>,
}

/// Compares bytes that a subject wrote with the payloads in `samples`, and compresses them.
pub(super) fn compare(
    codec: &Codec,
    written: &[Vec<u8>],
    samples: &[Sample<'_>],
    codings: &[CodingLevel],
) -> Result<Findings, SubjectError> {
    let losses = losses(codec, written, samples)?;
    let mut coded_sizes = BTreeMap::new();
    for &level in codings {
        let sizes = sizes_under(level, written);
        let sizes = sizes.map_err(|error| SubjectError::Unsupported(error.to_string()))?;
        coded_sizes.insert(level.to_string(), sizes);
    }
    Ok(Findings { losses, coded_sizes })
}

/// Returns the losses of reading the payloads, and those in the bytes that a subject wrote, as
/// our own codec reads them. A library that rounds a number on its way into its own tree shows
/// the loss in its bytes.
fn losses(
    codec: &Codec,
    written: &[Vec<u8>],
    samples: &[Sample<'_>],
) -> Result<Vec<Loss>, SubjectError> {
    let mut all = Vec::new();
    let format = codec.format();
    for (sample, bytes) in samples.iter().zip(written) {
        fidelity::merge(&mut all, sample.losses_in(format));
        let arena = Arena::new();
        let returned = codec.decode_with(bytes, &arena, LIMITS).map_err(|error| {
            let Sample { name, .. } = sample;
            SubjectError::Broken(format!("{name}: the library wrote invalid {format}: {error}"))
        })?;
        fidelity::merge(&mut all, fidelity::losses(&sample.value_in(format), &returned));
    }
    Ok(all)
}

/// Returns the compressed sizes of some bytes.
fn sizes_under(level: CodingLevel, encoded: &[Vec<u8>]) -> Result<Vec<u64>, Error> {
    let mut encoder = Encoder::new(level)?;
    let mut out = Vec::new();
    let size = |bytes: &Vec<u8>| {
        out.clear();
        encoder.encode(bytes, &mut out).map(|()| out.len() as u64)
    };
    encoded.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::{KnownFailure, LaunchError, REASON_MAX, SubjectError, one_line};

    #[test]
    fn an_interrupt_is_no_known_failure() {
        let known = KnownFailure {
            library: None,
            format: None,
            target: None,
            missing: false,
            writer: None,
            reason: "reads no maps".to_owned(),
        };
        let broken = || SubjectError::Broken("crashed: signal 9".to_owned());
        let interrupted = SubjectError::Launch(LaunchError::Interrupted).listed(Some(&known));
        assert_eq!(interrupted.to_string(), "interrupted");
        assert_eq!(broken().listed(Some(&known)).to_string(), "reads no maps (crashed: signal 9)");
        assert_eq!(broken().listed(None), broken());
    }

    #[test]
    fn reasons_are_one_line() {
        assert_eq!(one_line("no place:\n  at $.a\r\n"), "no place: at $.a");
        let long = one_line(&"é".repeat(REASON_MAX + 1));
        assert_eq!(long, format!("{}…", "é".repeat(REASON_MAX)));
    }
}
