use std::fmt;
use std::sync::atomic::AtomicBool;

use manywire_format::{FORMATS, Format};
use manywire_shape::Arena;

use super::given::{Given, read_digest};
use super::lane::Built;
use super::manifest::Subject;
use super::session::Session;
use crate::launch::{LaunchError, SchemaText};
use crate::measure::Progress;
use crate::payload::{Corpus, Payload};
use crate::schema::Schema;

/// Whether every library reads what every other library wrote, in whatever language.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// For each format how many wrote, how many read, and the pairs that agreed.
    pub formats: Vec<Agreement>,
    /// What did not agree, or could not be tried.
    pub failures: Vec<Disagreement>,
    /// Cases of a `failing.txt` that pass: the list says what is no longer so.
    pub stale: Vec<String>,
}

/// How many of a format agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The format.
    pub format: Format,
    /// Subjects that wrote the payloads, our own codec among them.
    pub writers: usize,
    /// Subjects that read what was written.
    pub readers: usize,
    /// Pairs of them that agreed on every payload.
    pub agreed: usize,
}

/// A pair that did not agree, or a subject that could not be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Who read.
    pub reader: String,
    /// Who wrote, if it came to that.
    pub writer: Option<String>,
    /// What happened.
    pub what: String,
    /// The reason that `failing.txt` gives, if it is listed there.
    pub known: Option<String>,
    /// Whether it is no more than a thing that the format or the types cannot hold.
    pub refused: bool,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reader)?;
        if let Some(writer) = &self.writer {
            write!(f, " reading {writer}")?;
        }
        write!(f, ": {}", self.what)?;
        match &self.known {
            Some(known) => write!(f, " (known: {known})"),
            None => Ok(()),
        }
    }
}

impl Check {
    /// Whether nothing is wrong that nobody knew of.
    pub fn passed(&self) -> bool {
        let bad = |failure: &&Disagreement| failure.known.is_none() && !failure.refused;
        self.stale.is_empty() && !self.failures.iter().any(|failure| bad(&failure))
    }
}

/// What somebody wrote, and the digests of what our own codec reads in it.
struct Written {
    writer: String,
    format: Format,
    bytes: Vec<Vec<u8>>,
    digests: Vec<String>,
}

/// Lets every subject of every lane write the payloads, and every one read what the others wrote.
///
/// # Errors
///
/// A schema that cannot be read, or an interrupt.
pub fn check(
    lanes: &[Built],
    payloads: &[Payload],
    schema: Option<&SchemaText>,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<Check, String> {
    let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).collect();
    let given = Given::new(payloads, schema, &formats)?;
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(payloads, &arena);
    let schema = Schema::of(schema, &corpus)?;
    let mut check = Check::default();
    let mut typed = Vec::new();
    for built in lanes {
        progress.say(&format!("{}: types of these payloads", built.lane.name()));
        let (with_types, no_types) = match built.with_types(&given, interrupted) {
            Ok(with_types) => (with_types.unwrap_or_else(|| built.clone()), None),
            Err(why) => (built.clone(), Some(why)),
        };
        typed.push(Table { built: with_types, no_types, given: &given, interrupted });
    }
    let ours = formats.iter().filter_map(|&format| {
        let encoded = given.format(format).ok()?;
        let (bytes, digests) = (encoded.bytes.clone(), encoded.digests.clone());
        Some(Written { writer: "manywire".to_owned(), format, bytes, digests })
    });
    let mut written: Vec<Written> = ours.collect();
    for table in &typed {
        progress.say(&format!("{}: writing", table.built.lane.name()));
        written.extend(table.write(&schema, &mut check)?);
    }
    let mut readers = Vec::new();
    for table in &typed {
        progress.say(&format!("{}: reading", table.built.lane.name()));
        readers.extend(table.read(&written, &mut check)?);
    }
    check.formats = formats
        .into_iter()
        .map(|format| Agreement {
            format,
            writers: written.iter().filter(|written| written.format == format).count(),
            readers: readers.iter().filter(|reader| reader.0 == format).count(),
            agreed: readers.iter().filter(|reader| reader.0 == format).map(|reader| reader.1).sum(),
        })
        .collect();
    Ok(check)
}

/// A lane with the payloads before it.
struct Table<'a> {
    built: Built,
    no_types: Option<String>,
    given: &'a Given,
    interrupted: &'a AtomicBool,
}

impl<'a> Table<'a> {
    /// What each subject writes of what our own codecs wrote.
    fn write(&self, schema: &Schema, check: &mut Check) -> Result<Vec<Written>, String> {
        let mut all = Vec::new();
        let mut session = None;
        for subject in self.built.lane.subjects() {
            let format = subject.format;
            let result = self.session(&mut session).and_then(|session| {
                let Ok(given) = self.given.format(format) else { return Ok(Err(None)) };
                Ok(self.write_one(session, &subject, &given.bytes)?.map_err(Some))
            });
            let written = match result {
                Ok(Ok(bytes)) => bytes,
                Ok(Err(None)) => continue,
                Ok(Err(Some(why))) => {
                    let refused = self.lacks_types(&subject);
                    check.failures.push(self.failure(&subject, None, why, refused));
                    continue;
                }
                Err(LaunchError::Interrupted) => return Err("interrupted".to_owned()),
                Err(error) => {
                    session = None;
                    check.failures.push(self.failure(&subject, None, error.to_string(), false));
                    continue;
                }
            };
            let digests: Result<Vec<String>, String> =
                written.iter().map(|bytes| read_digest(format, schema, bytes)).collect();
            match digests {
                Ok(digests) => all.push(Written {
                    writer: self.name(&subject),
                    format,
                    bytes: written,
                    digests,
                }),
                Err(why) => {
                    let what = format!("what it wrote cannot be read by our codec: {why}");
                    check.failures.push(self.failure(&subject, None, what, false));
                }
            }
        }
        Ok(all)
    }

    /// How many writers each subject agrees with.
    fn read(&self, written: &[Written], check: &mut Check) -> Result<Vec<(Format, usize)>, String> {
        let mut all = Vec::new();
        let mut session = None;
        for subject in self.built.lane.subjects() {
            let of_format = written.iter().filter(|written| written.format == subject.format);
            let (mut tried, mut agreed) = (0, 0);
            for written in of_format.filter(|_| !self.lacks_types(&subject)) {
                let result = self.session(&mut session).and_then(|session| {
                    let loaded = session.load(&subject, &written.bytes)?;
                    let Err(why) = loaded else { return session.digests(&subject) };
                    Ok(Err(why))
                });
                tried += 1;
                let what = match result {
                    Ok(Ok(digests)) if digests == written.digests => {
                        agreed += 1;
                        continue;
                    }
                    Ok(Ok(_)) => "it read something else (digests differ)".to_owned(),
                    Ok(Err(why)) => why,
                    Err(LaunchError::Interrupted) => return Err("interrupted".to_owned()),
                    Err(error) => {
                        session = None;
                        error.to_string()
                    }
                };
                let writer = Some(written.writer.clone());
                check.failures.push(self.failure(&subject, writer, what, false));
            }
            if tried > 0 {
                all.push((subject.format, agreed));
            }
            if let Some(known) = self.known(&subject).filter(|_| tried > 0 && agreed == tried) {
                check.stale.push(format!("{}: listed as {known:?}", self.name(&subject)));
            }
        }
        Ok(all)
    }

    fn session<'s>(
        &self,
        session: &'s mut Option<Session<'a>>,
    ) -> Result<&'s mut Session<'a>, LaunchError> {
        if session.is_none() {
            let mut started = Session::start(&self.built, 0, self.interrupted)?;
            started.schema(self.given)?.map_err(LaunchError::Garbage)?;
            *session = Some(started);
        }
        Ok(session.as_mut().expect("it was just started"))
    }

    fn write_one(
        &self,
        session: &mut Session<'_>,
        subject: &Subject,
        bytes: &[Vec<u8>],
    ) -> Result<Result<Vec<Vec<u8>>, String>, LaunchError> {
        if let Err(why) = session.load(subject, bytes)? {
            return Ok(Err(why));
        }
        session.encode(subject)
    }

    /// Whether a subject has to do without types for these payloads.
    fn lacks_types(&self, subject: &Subject) -> bool {
        self.no_types.is_some() && subject.target == crate::subject::Target::Typed
    }

    fn known(&self, subject: &Subject) -> Option<String> {
        let known = self.built.lane.known_failures().iter().find(|known| known.covers(subject));
        known.map(|known| known.reason.clone())
    }

    fn failure(
        &self,
        subject: &Subject,
        writer: Option<String>,
        what: String,
        refused: bool,
    ) -> Disagreement {
        let what = self.no_types.clone().filter(|_| refused).unwrap_or(what);
        let (reader, known) = (self.name(subject), self.known(subject));
        Disagreement { reader, writer, what, known, refused }
    }

    fn name(&self, subject: &Subject) -> String {
        format!("{} {subject}", self.built.lane.name())
    }
}
