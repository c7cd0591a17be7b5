use std::sync::atomic::{AtomicBool, Ordering};

use manywire_format::{CodingLevel, Format};
use manywire_shape::Arena;
use manywire_shape::fidelity::{self, Loss};

use super::given::{Given, read_digest};
use super::lane::Built;
use super::manifest::Subject;
use super::session::{Answer, Session};
use super::typed::NoTypes;
use crate::weigh::launch::{Examination, LaunchError, Memory, SchemaText, sizes_under};
use crate::weigh::payload::{Corpus, LIMITS, Payload};
use crate::weigh::schema::Schema;
use crate::weigh::subject::{Operation, Target};

/// What the first pass found out about a lane's subject.
#[derive(Debug)]
pub struct Examined {
    /// The subject.
    pub subject: Subject,
    /// The version of its library.
    pub version: String,
    /// Sizes, fidelity and memory, with the bytes it wrote; or why there are none.
    pub result: Result<(Examination, Vec<Vec<u8>>), String>,
    /// Whether the failure is one of the subject, not a thing it cannot hold.
    pub broken: bool,
}

/// The payloads and what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct Matter<'a> {
    /// The payloads.
    pub payloads: &'a [Payload],
    /// The schema, if one was given.
    pub schema: Option<&'a SchemaText>,
    /// What lanes are given of them.
    pub given: &'a Given,
    /// Codings to take sizes under.
    pub codings: &'a [CodingLevel],
    /// Why there are no types of them, where they were to be made.
    pub no_types: Option<&'a NoTypes>,
}

/// Examines some subjects of a lane, and says what its runtime is. A process that dies is started
/// anew, so that no other subject suffers.
pub fn examine(
    built: &Built,
    wanted: impl Fn(&Subject) -> bool,
    matter: &Matter<'_>,
    interrupted: &AtomicBool,
    mut say: impl FnMut(&str),
) -> (String, Vec<Examined>) {
    let mut runtime = String::new();
    let mut session: Option<Session<'_>> = None;
    let mut all = Vec::new();
    let subjects = built.lane.subjects();
    for subject in subjects.into_iter().filter(wanted) {
        say(&format!("{}: {} by {}", built.lane.name(), subject.format, subject.library));
        let no_types = matter.no_types.filter(|_| subject.target == Target::Typed);
        let answer = match (interrupted.load(Ordering::Relaxed), no_types) {
            (true, _) => Err(LaunchError::Interrupted),
            (false, Some(NoTypes::Cannot(why))) => Ok(Err(Failure::Cannot(why.clone()))),
            (false, Some(NoTypes::Failed(why))) => Ok(Err(Failure::Broken(why.clone()))),
            (false, None) => one(built, &mut session, &subject, matter, interrupted),
        };
        let version = session.as_ref().map(|session| session.version(&subject)).unwrap_or_default();
        if let Some(session) = &session {
            runtime.clone_from(&session.description.runtime);
        }
        let known = built.lane.known_failures().iter().find(|known| known.covers(&subject));
        let (result, broken) = match answer {
            Ok(Ok(found)) => (Ok(found), false),
            Ok(Err(Failure::Cannot(why))) => (Err(why), false),
            Ok(Err(Failure::Broken(why))) => (Err(why), known.is_none()),
            Err(error) => {
                session = None;
                let interrupted = error == LaunchError::Interrupted;
                (Err(error.to_string()), known.is_none() && !interrupted)
            }
        };
        let result = match known {
            Some(known) => result.map_err(|why| format!("{} ({why})", known.reason)),
            None => result,
        };
        all.push(Examined { subject, version, result, broken });
    }
    if let Some(session) = session {
        // Every answer is in; whoever measures next will notice a lane that cannot end.
        drop(session.finish());
    }
    (runtime, all)
}

/// Why a subject has no figures.
enum Failure {
    /// The format or the library cannot hold the payloads.
    Cannot(String),
    /// The library lost data and nobody said so.
    Broken(String),
}

type Examinable = Result<(Examination, Vec<Vec<u8>>), Failure>;

/// Passes a lane's refusal on, its end being an error of the caller.
macro_rules! granted {
    ($answer:expr) => {
        match $answer? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(Err(Failure::Cannot(refusal))),
        }
    };
}

fn one<'i>(
    built: &Built,
    session: &mut Option<Session<'i>>,
    subject: &Subject,
    matter: &Matter<'_>,
    interrupted: &'i AtomicBool,
) -> Result<Examinable, LaunchError> {
    let given = match matter.given.format(subject.format) {
        Ok(given) => given,
        Err(why) => return Ok(Err(Failure::Cannot(why))),
    };
    let lane = match session {
        Some(session) => session,
        None => {
            let bytes = matter.payloads.iter().map(|payload| payload.bytes.len()).sum();
            let mut started = Session::start(built, bytes, interrupted)?;
            granted!(started.schema(matter.given));
            session.insert(started)
        }
    };
    granted!(lane.load(subject, &given.bytes));
    let read = granted!(lane.digests(subject));
    let written = granted!(lane.encode(subject));
    if written.len() != given.bytes.len() {
        let why = format!("wrote {} payloads of {}", written.len(), given.bytes.len());
        return Ok(Err(Failure::Broken(why)));
    }
    // From here on the subject reads what it wrote, as its program would.
    match lane.load(subject, &written)? {
        Ok(()) => {}
        Err(why) => {
            return Ok(Err(Failure::Broken(format!("cannot read what it wrote: {why}"))));
        }
    }
    let returned = granted!(lane.digests(subject));
    let losses = match losses(subject.format, matter, &written) {
        Ok(losses) => losses,
        Err(why) => return Ok(Err(Failure::Broken(why))),
    };
    if let Err(why) = agree(subject.format, matter, &losses, [&read, &returned], &written) {
        return Ok(Err(Failure::Broken(why)));
    }
    let encode_memory = granted!(memory(lane, subject, Operation::Encode));
    let decode_memory = granted!(memory(lane, subject, Operation::Decode));
    let views: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect();
    let mut coded_sizes = std::collections::BTreeMap::new();
    for &level in matter.codings {
        match sizes_under(level, &views) {
            Ok(sizes) => coded_sizes.insert(level.to_string(), sizes),
            Err(why) => return Ok(Err(Failure::Cannot(why))),
        };
    }
    let sizes = written.iter().map(|bytes| bytes.len() as u64).collect();
    let found = Examination { sizes, coded_sizes, losses, encode_memory, decode_memory };
    Ok(Ok((found, written)))
}

fn memory(
    lane: &mut Session<'_>,
    subject: &Subject,
    operation: Operation,
) -> Answer<Option<Memory>> {
    lane.memory(subject, operation)
}

/// What the bytes that a subject wrote do not hold any more, as our own codec reads them.
fn losses(format: Format, matter: &Matter<'_>, written: &[Vec<u8>]) -> Result<Vec<Loss>, String> {
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(matter.payloads, &arena);
    let schema = Schema::of(matter.schema, &corpus)?;
    let codec = schema.codec(format)?;
    let mut all = Vec::new();
    for (sample, bytes) in corpus.samples.iter().zip(written) {
        fidelity::merge(&mut all, sample.losses.clone());
        let arena = Arena::new();
        let returned = codec
            .decode_with(bytes, &arena, LIMITS)
            .map_err(|error| format!("{}: what it wrote is no {format}: {error}", sample.name))?;
        fidelity::merge(&mut all, fidelity::losses(&sample.value, &returned));
    }
    Ok(all)
}

/// Whether a subject's own readings are those of our codecs: what it was given, and what it wrote.
/// Where bytes show a loss, its readings may differ by it.
fn agree(
    format: Format,
    matter: &Matter<'_>,
    losses: &[Loss],
    [read, returned]: [&[String]; 2],
    written: &[Vec<u8>],
) -> Result<(), String> {
    let given = matter.given.format(format)?;
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(matter.payloads, &arena);
    let schema = Schema::of(matter.schema, &corpus)?;
    for (index, bytes) in written.iter().enumerate() {
        let name = &matter.payloads[index].name;
        if losses.is_empty() && read.get(index) != given.digests.get(index) {
            return Err(format!(
                "{name}: it read something else than it was given (digests differ)"
            ));
        }
        let expected = read_digest(format, &schema, bytes)?;
        if returned.get(index) != Some(&expected) {
            return Err(format!("{name}: it reads something else than it wrote (digests differ)"));
        }
    }
    Ok(())
}
