//! `manywire lanes check`: every library reads the bytes that every other library wrote.
//!
//! Digests are compared with those of our own codec, which also finds the data that a writer lost.
//! Values without a digest, such as extensions, are compared by the bytes that a reader writes of
//! them.

use std::fmt;
use std::sync::atomic::AtomicBool;

use manywire_format::Format;
use manywire_shape::fidelity::{self, Loss, Losses, Tolerance};
use manywire_shape::{Arena, Value};

use super::KnownFailure;
use super::digest::digest;
use super::lane_input::{LaneInput, ReadDigestError, read_digest};
use super::session::{Answer, Session};
use super::typed::{PreparedLane, TypesError};
use crate::payload::{LIMITS, Payload, Schema};
use crate::weigh::launch::{LaunchError, Refusal};
use crate::weigh::payload::Corpus;
use crate::weigh::progress::Progress;
use crate::weigh::subject::{Subject, ValueKind};

/// The result of checking every reader against every writer, across languages.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// The number of writers, readers and agreeing pairs for each format.
    pub formats: Vec<Agreement>,
    /// Formats that cannot hold the payloads, although lanes have libraries for them, each with the
    /// reason. Nothing was written or read in them.
    pub unsuitable: Vec<(Format, String)>,
    /// Pairs that did not agree, and subjects that could not be tried.
    pub failures: Vec<Disagreement>,
    /// Lines of a `failing.txt` whose subjects all pass now.
    pub stale: Vec<String>,
    /// Pairs of a reader and a writer listed in a `failing.txt` that agree on these payloads. They
    /// may disagree on others, so they are no failure.
    pub passing: Vec<String>,
}

/// The counts of one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The format.
    pub format: Format,
    /// Subjects that wrote the payloads, including our own codec.
    pub writers: usize,
    /// Subjects that read the written bytes.
    pub readers: usize,
    /// Pairs of a writer and a reader that agreed on every payload.
    pub agreed: usize,
}

/// Pairs that did not agree, or a subject that could not be tried. It is displayed in one line; the
/// alternate form (`{:#}`) adds the further lines of its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The subject that decoded the bytes.
    pub reader: String,
    /// The subjects that encoded the bytes; empty if the reader was not tried.
    pub writers: Vec<String>,
    /// A description of the failure. The output of a compiler or of a process that died may follow
    /// its first line.
    pub what: String,
    /// The reason in `failing.txt`, if the case is listed.
    pub known: Option<String>,
    /// True if the library, its language or the types cannot hold the payload, which is not a
    /// fault.
    pub refused: bool,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reader)?;
        if !self.writers.is_empty() {
            write!(f, " reading {}", self.writers.join(", "))?;
        }
        let mut lines = self.what.lines();
        write!(f, ": {}", lines.next().unwrap_or_default())?;
        if let Some(known) = &self.known {
            write!(f, " (known: {known})")?;
        }
        if f.alternate() {
            lines.try_for_each(|line| write!(f, "\n    {line}"))?;
        }
        Ok(())
    }
}

impl Check {
    /// Returns whether there are no stale entries and no unknown failures.
    pub fn passed(&self) -> bool {
        let bad = |failure: &Disagreement| failure.known.is_none() && !failure.refused;
        self.stale.is_empty() && !self.failures.iter().any(bad)
    }

    /// Adds a failure, or adds its writers to an equal failure.
    fn add(&mut self, failure: Disagreement) {
        let alike = self.failures.iter_mut().find(|known| {
            (&known.reader, &known.what, &known.known)
                == (&failure.reader, &failure.what, &failure.known)
                && !known.writers.is_empty()
        });
        match alike {
            Some(known) => known.writers.extend(failure.writers),
            None => self.failures.push(failure),
        }
    }
}

/// The error for a check that the user interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckInterrupted;

impl fmt::Display for CheckInterrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for CheckInterrupted {}

/// The bytes that a subject wrote, and the digests of the values that our own codec reads from
/// them; `None` if a value has no digest.
struct WriterOutput {
    /// The subject, with its lane.
    writer: String,
    library: String,
    format: Format,
    bytes: Vec<Vec<u8>>,
    digests: Option<Vec<String>>,
}

/// Makes every subject of every lane write the payloads and read the bytes of all others.
/// `lane_input` holds the payloads in every format.
///
/// # Errors
///
/// Fails if the user interrupts.
pub fn check<'a>(
    lanes: impl IntoIterator<Item = &'a PreparedLane>,
    payloads: &[Payload],
    lane_input: &LaneInput,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Check, CheckInterrupted> {
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(payloads, Some(lane_input.schema()), &arena);
    let originals = Originals { corpus: &corpus, schema: lane_input.schema() };
    let mut check = Check::default();
    let lane_check =
        |lane: &'a PreparedLane| LaneCheck { lane, lane_input, interrupted, excluded: Vec::new() };
    let mut lane_checks: Vec<LaneCheck<'_>> = lanes.into_iter().map(lane_check).collect();
    let subjects = || lane_checks.iter().flat_map(|lane| lane.lane.built.lane.subjects());
    for format in Format::ALL {
        if let Err(error) = lane_input.format(format)
            && subjects().any(|subject| subject.format == format)
        {
            check.unsuitable.push((format, error.to_string()));
        }
    }
    let ours = Format::ALL.into_iter().filter_map(|format| {
        let encoded = lane_input.format(format).ok()?;
        let (bytes, digests) = (encoded.bytes.clone(), encoded.digests().map(<[_]>::to_vec));
        let writer = "manywire".to_owned();
        Some(WriterOutput { library: writer.clone(), writer, format, bytes, digests })
    });
    let mut outputs: Vec<WriterOutput> = ours.collect();
    for lane_check in &mut lane_checks {
        progress.say(&format!("{}: writing", lane_check.lane.built.lane.name()));
        outputs.extend(lane_check.write(&originals, &mut check)?);
    }
    let mut readers = Vec::new();
    for lane_check in &lane_checks {
        progress.say(&format!("{}: reading", lane_check.lane.built.lane.name()));
        readers.extend(lane_check.read(&outputs, &originals, &mut check)?);
    }
    check.formats = Format::ALL
        .into_iter()
        .map(|format| Agreement {
            format,
            writers: outputs.iter().filter(|outputs| outputs.format == format).count(),
            readers: readers.iter().filter(|reader| reader.0 == format).count(),
            agreed: readers.iter().filter(|reader| reader.0 == format).map(|reader| reader.1).sum(),
        })
        .collect();
    Ok(check)
}

/// The readings of one subject: the library of each writer, and whether the two agreed.
struct Readings<'o>(Vec<(&'o str, bool)>);

impl Readings<'_> {
    /// Returns the number of writers that the subject agreed with.
    fn agreed(&self) -> usize {
        self.0.iter().filter(|(_, agreed)| *agreed).count()
    }

    /// Returns whether the subject agreed with all writers of the `wanted` libraries, and there is
    /// one.
    fn all_agree(&self, wanted: impl Fn(&str) -> bool) -> bool {
        let mut read = self.0.iter().filter(|(library, _)| wanted(library)).peekable();
        read.peek().is_some() && read.all(|(_, agreed)| *agreed)
    }
}

/// The check of one lane.
struct LaneCheck<'a> {
    lane: &'a PreparedLane,
    lane_input: &'a LaneInput,
    interrupted: &'a AtomicBool,
    /// Subjects that are excluded from reading.
    excluded: Vec<Subject>,
}

/// The original payloads, which written bytes are compared with.
struct Originals<'a> {
    corpus: &'a Corpus<'a>,
    schema: &'a Schema,
}

impl Originals<'_> {
    /// Returns the first loss in some bytes, and the digests of their values; `None` in place of the
    /// digests if a value has none.
    fn of(
        &self,
        format: Format,
        bytes: &[Vec<u8>],
    ) -> Result<(Option<Loss>, Option<Vec<String>>), UnreadableOutput> {
        let codec = self.schema.codec(format).map_err(UnreadableOutput::Codec)?;
        let mut first = None;
        let mut digests = Vec::new();
        for (sample, bytes) in self.corpus.samples.iter().zip(bytes) {
            let unreadable = |error| UnreadableOutput::Payload(sample.name.to_owned(), error);
            let arena = Arena::new();
            let returned = codec.decode_with(bytes, &arena, LIMITS).map_err(unreadable)?;
            first = first.or_else(|| first_loss(&sample.value_in(format), &returned));
            digests.push(match read_digest(&codec, bytes) {
                Ok(digest) => Some(digest),
                Err(ReadDigestError::Digest(_)) => None,
                Err(ReadDigestError::Codec(error)) => return Err(unreadable(error)),
            });
        }
        Ok((first, digests.into_iter().collect()))
    }

    /// Describes the first difference between the payloads and the bytes that a subject wrote of
    /// them; `None` if there is none.
    fn difference(&self, format: Format, written: &[Vec<u8>]) -> Option<String> {
        let payloads = self.corpus.samples.len();
        if written.len() != payloads {
            return Some(format!("wrote {} payloads of {payloads}", written.len()));
        }
        match self.of(format, written) {
            Ok((None, _)) => None,
            Ok((Some(Loss { path, lost, .. }), _)) => {
                Some(format!("the decoded value differs: {path}: {lost}"))
            }
            Err(why) => Some(why.to_string()),
        }
    }
}

/// Returns the first loss of a value that came back. Values with equal digests are the same data:
/// they differ only in the kind of number. Values without a digest are compared whole.
fn first_loss(before: &Value<'_>, after: &Value<'_>) -> Option<Loss> {
    let first_beyond = |tolerance| {
        let mut losses = Losses::default();
        fidelity::losses_beyond(tolerance, before, after, &mut losses);
        losses.into_vec().into_iter().next()
    };
    let kinds_of_numbers = Tolerance { numbers: true, ..Tolerance::default() };
    match (digest(before), digest(after)) {
        (Ok(before), Ok(after)) if before == after => None,
        (Err(_), Err(_)) => first_beyond(kinds_of_numbers),
        // The kind of a number does not change a digest, so another difference is the loss.
        _ => first_beyond(kinds_of_numbers).or_else(|| first_beyond(Tolerance::default())),
    }
}

/// The reason that our own codec cannot read what a subject wrote.
enum UnreadableOutput {
    /// There is no codec for the shape.
    Codec(manywire_codec::Error),
    /// The bytes of the payload of this name are invalid.
    Payload(String, manywire_codec::Error),
}

impl fmt::Display for UnreadableOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("our codec cannot read the bytes that the library wrote: ")?;
        match self {
            UnreadableOutput::Codec(error) => error.fmt(f),
            UnreadableOutput::Payload(name, error) => write!(f, "{name}: {error}"),
        }
    }
}

impl<'a> LaneCheck<'a> {
    /// Makes each subject rewrite the bytes of our own codecs. A subject that cannot hold the
    /// payloads, or loses part of them as its language does, is excluded: it would lose the same
    /// from other writers, and its own bytes are different data.
    fn write(
        &mut self,
        originals: &Originals<'_>,
        check: &mut Check,
    ) -> Result<Vec<WriterOutput>, CheckInterrupted> {
        let mut all = Vec::new();
        let mut session = None;
        for subject in self.lane.built.lane.subjects() {
            let Ok(encoded) = self.lane_input.format(subject.format) else { continue };
            if let Some(why) =
                self.lane.types_error.clone().filter(|_| subject.target == ValueKind::Typed)
            {
                let refused = matches!(why, TypesError::Unsupported(_));
                self.exclude(&subject, why.reason().to_owned(), refused, check);
                continue;
            }
            let answer = self.session(&mut session).and_then(|session| {
                if let Err(why) = session.load(&subject, &encoded.bytes)? {
                    return Ok(Err(why));
                }
                session.encode(&subject)
            });
            let bytes = match answer {
                Ok(Ok(bytes)) => bytes,
                Ok(Err(Refusal(words))) => {
                    self.exclude(&subject, words, true, check);
                    continue;
                }
                Err(LaunchError::Interrupted) => return Err(CheckInterrupted),
                Err(error) => {
                    session = None;
                    self.exclude(&subject, error.to_string(), false, check);
                    continue;
                }
            };
            if bytes.len() != encoded.bytes.len() {
                let what = format!("wrote {} payloads of {}", bytes.len(), encoded.bytes.len());
                self.exclude(&subject, what, false, check);
                continue;
            }
            match originals.of(subject.format, &bytes) {
                Ok((None, digests)) => {
                    let writer = self.name(&subject);
                    let Subject { library, format, .. } = subject;
                    all.push(WriterOutput { writer, library, format, bytes, digests });
                }
                Ok((Some(loss), _)) => {
                    let what = format!("loses data: {}: {}", loss.path, loss.lost);
                    self.exclude(&subject, what, true, check);
                }
                Err(why) => self.exclude(&subject, why.to_string(), false, check),
            }
        }
        Ok(all)
    }

    /// Returns the number of writers that each subject agrees with.
    fn read(
        &self,
        outputs: &[WriterOutput],
        originals: &Originals<'_>,
        check: &mut Check,
    ) -> Result<Vec<(Format, usize)>, CheckInterrupted> {
        let mut all = Vec::new();
        let mut passed: Vec<Subject> = Vec::new();
        let mut session = None;
        for subject in self.lane.built.lane.subjects() {
            if self.excluded.iter().any(|out| out.is_same(&subject)) {
                continue;
            }
            let mut readings = Readings(Vec::new());
            for outputs in outputs.iter().filter(|outputs| outputs.format == subject.format) {
                let answer = self
                    .session(&mut session)
                    .and_then(|session| difference(session, &subject, outputs, originals));
                let what = match answer {
                    Ok(Ok(None)) => {
                        readings.0.push((outputs.library.as_str(), true));
                        continue;
                    }
                    Ok(Ok(Some(what))) => what,
                    Ok(Err(Refusal(words))) => words,
                    Err(LaunchError::Interrupted) => return Err(CheckInterrupted),
                    Err(error) => {
                        session = None;
                        error.to_string()
                    }
                };
                readings.0.push((outputs.library.as_str(), false));
                check.add(Disagreement {
                    reader: self.name(&subject),
                    writers: vec![outputs.writer.clone()],
                    what,
                    known: self.known_reading(&subject, &outputs.library),
                    refused: false,
                });
            }
            if !readings.0.is_empty() {
                all.push((subject.format, readings.agreed()));
            }
            for KnownFailure { writer, reason, .. } in self.known_pairs(&subject) {
                let Some(writer) = writer else { continue };
                if readings.all_agree(|library| library == writer) {
                    let reader = self.name(&subject);
                    check.passing.push(format!("{reader} reading {writer}: listed as {reason:?}"));
                }
            }
            if readings.all_agree(|_| true) {
                passed.push(subject);
            }
        }
        check.stale.extend(self.stale_lines(&passed));
        Ok(all)
    }

    /// Returns the lines whose subjects have all passed. A line stands for several subjects by `*`, and
    /// is needed as long as one of them fails or was not tried.
    fn stale_lines(&self, passed: &[Subject]) -> Vec<String> {
        let subjects = self.lane.built.lane.subjects();
        let mut lines = Vec::new();
        for known in self.lane.built.lane.known_failures() {
            let covered: Vec<&Subject> =
                subjects.iter().filter(|subject| known.covers(subject)).collect();
            let has_passed = |subject: &&Subject| passed.iter().any(|other| other.is_same(subject));
            if !covered.is_empty() && covered.iter().all(has_passed) {
                let names: Vec<String> =
                    covered.into_iter().map(|subject| self.name(subject)).collect();
                lines.push(format!("{}: listed as {:?}", names.join(", "), known.reason));
            }
        }
        lines
    }

    /// Excludes a subject and records the reason.
    fn exclude(&mut self, subject: &Subject, what: String, refused: bool, check: &mut Check) {
        check.add(Disagreement {
            reader: self.name(subject),
            writers: Vec::new(),
            what,
            known: self.known(subject),
            refused,
        });
        self.excluded.push(subject.clone());
    }

    fn session<'s>(
        &self,
        session: &'s mut Option<Session<'a>>,
    ) -> Result<&'s mut Session<'a>, LaunchError> {
        if session.is_none() {
            let mut started = Session::start(&self.lane.built, 0, self.interrupted)?;
            let answer = started.schema(self.lane_input)?;
            answer.map_err(|Refusal(words)| LaunchError::InvalidAnswer(words))?;
            *session = Some(started);
        }
        Ok(session.as_mut().expect("it was just started"))
    }

    /// Returns the listed reason that a subject fails by itself.
    fn known(&self, subject: &Subject) -> Option<String> {
        self.reason(|known| known.covers(subject))
    }

    /// Returns the listed reason that a subject fails by itself, or on the bytes of a library.
    fn known_reading(&self, subject: &Subject, writer: &str) -> Option<String> {
        self.reason(|known| known.covers(subject) || known.covers_reading(subject, writer))
    }

    /// Returns the lines that list pairs of this subject and a library whose bytes it does not read.
    fn known_pairs(&self, subject: &Subject) -> impl Iterator<Item = &KnownFailure> {
        let known = self.lane.built.lane.known_failures().iter();
        known.filter(move |known| {
            known.writer.as_deref().is_some_and(|writer| known.covers_reading(subject, writer))
        })
    }

    fn reason(&self, covers: impl Fn(&KnownFailure) -> bool) -> Option<String> {
        let known = self.lane.built.lane.known_failures();
        known.iter().find(|known| covers(known)).map(|known| known.reason.clone())
    }

    fn name(&self, subject: &Subject) -> String {
        format!("{} {subject}", self.lane.built.lane.name())
    }
}

/// Makes a subject read what another wrote. Returns the difference between the values; `None` if
/// there is none.
fn difference(
    session: &mut Session<'_>,
    subject: &Subject,
    output: &WriterOutput,
    originals: &Originals<'_>,
) -> Answer<Option<String>> {
    if let Err(why) = session.load(subject, &output.bytes)? {
        return Ok(Err(why));
    }
    if let Some(expected) = &output.digests {
        let differs = || "the decoded value differs (digests differ)".to_owned();
        let read = session.digests(subject)?;
        return Ok(read.map(|read| (read != *expected).then(differs)));
    }
    let written = session.encode(subject)?;
    Ok(written.map(|written| originals.difference(subject.format, &written)))
}

#[cfg(test)]
mod tests {
    use super::{Arena, Corpus, Format, LaneInput, Originals, Payload, Value, first_loss};

    /// Returns a BSON document of one ObjectId, which has no digest.
    fn document(last: u8) -> Vec<u8> {
        let mut bytes = vec![21, 0, 0, 0, 7];
        bytes.extend(b"id\0");
        bytes.extend([1; 11]);
        bytes.extend([last, 0]);
        bytes
    }

    #[test]
    fn values_without_a_digest_are_compared_whole() {
        let payloads = [Payload::new("id.bson", Format::Bson, document(1))];
        let arena = Arena::new();
        let (corpus, errors) = Corpus::load(&payloads, None, &arena);
        assert!(errors.is_empty(), "{errors:?}");
        let lane_input = LaneInput::every(&payloads, None).expect("a valid payload");
        let originals = Originals { corpus: &corpus, schema: lane_input.schema() };
        let same = originals.of(Format::Bson, &[document(1)]);
        assert!(matches!(same, Ok((None, None))));
        let difference = |written: &[Vec<u8>]| originals.difference(Format::Bson, written);
        assert_eq!(difference(&[document(1)]), None);
        assert_eq!(difference(&[]).as_deref(), Some("wrote 0 payloads of 1"));
        let other = difference(&[document(2)]).expect("another ObjectId");
        assert!(other.starts_with("the decoded value differs: $.id: "), "{other}");
        let cut = difference(&[vec![5, 0]]).expect("invalid bytes");
        assert!(cut.starts_with("our codec cannot read the bytes that"), "{cut}");
    }

    #[test]
    fn the_first_loss_is_one_that_changes_the_digest() {
        let entry = |key, value| (Value::Str(key), value);
        let [before, other_kind, lost] = [
            [entry("ratio", Value::F64(2.0)), entry("stars", Value::U64(5))],
            [entry("ratio", Value::U64(2)), entry("stars", Value::U64(5))],
            [entry("ratio", Value::U64(2)), entry("stars", Value::U64(4))],
        ];
        let before = Value::Map(&before);
        assert!(first_loss(&before, &Value::Map(&other_kind)).is_none());
        let loss = first_loss(&before, &Value::Map(&lost)).expect("a loss");
        assert_eq!(loss.path, "$.stars");
    }
}
