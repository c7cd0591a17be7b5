//! The built-in lane: this program as a process that answers the requests of `lanes/CONTRACT.md`.
//!
//! Its subjects are our own codecs and the libraries that they are compared with, on dynamic
//! values. It is measured like every other lane: the orchestrator starts the process, sends
//! payloads and batches, and reads the results. It has no HTTP server or client.

mod library;

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use manywire_format::{Coding, CodingLevel, InvalidCoding};
use manywire_meter::{Elapsed, Stopwatch, preemptions, settle_heap, tally, wall_resolution_ns};
use manywire_shape::{Arena, Shape};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::payload::Schema;
use crate::weigh::host;
use crate::weigh::lanes::{self, BuiltLane, CONTRACT, DigestError, Manifest};
use crate::weigh::launch::{read_next_frame, write_frame};
use crate::weigh::report::BUILT_IN_LANE;
use crate::weigh::schema::SchemaText;
use crate::weigh::subject::{Buffer, Operation, Subject, ValueKind};
use library::{LIBRARIES, LibraryError, Loaded};

pub(crate) use library::OWN_LIBRARY;

/// The title of this lane.
pub(crate) const BUILT_IN_LANE_TITLE: &str = "Rust";

/// The warm-up of this lane. Machine code does not wait for a JIT compiler, but caches, page tables
/// and the clock speed must settle.
const WARM_UP_MS: u64 = 50;

/// The time limit of an answer in seconds, plus one second per megabyte of payloads. Debug builds
/// are slow.
const ANSWER_LIMIT_S: u64 = 120;

/// Returns the built-in lane. `program` with these arguments must call [`work`].
pub fn built_in_lane(program: PathBuf, arguments: &[&str]) -> BuiltLane {
    let libraries = LIBRARIES.iter().map(|library| lanes::Library {
        library: library.name.to_owned(),
        formats: library.formats(),
        targets: vec![ValueKind::Dynamic],
        reference: library.name == OWN_LIBRARY.name,
        buffer: Buffer::Fresh,
        note: None,
    });
    let manifest = Manifest {
        name: BUILT_IN_LANE.to_owned(),
        title: BUILT_IN_LANE_TITLE.to_owned(),
        warm_up_ms: WARM_UP_MS,
        settles: false,
        answer_limit_s: ANSWER_LIMIT_S,
        build_idle_limit_s: 0,
        by_name: false,
        build: Vec::new(),
        typed: None,
        replay: None,
        server: Vec::new(),
        run: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        toolchain: Vec::new(),
        subject: libraries.collect(),
    };
    BuiltLane::built_in(manifest, program)
}

/// Answers requests until the input ends. The hidden subcommand of the program calls this function.
///
/// # Errors
///
/// Returns an error, to be printed to standard error, if a request cannot be read or is not JSON,
/// or if an answer cannot be written.
pub fn work(input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    settle_heap();
    let arena = Arena::new();
    let mut lane = Lane::new(&arena);
    while let Some(request) = read_next_frame(input, u32::MAX)? {
        let request: Json = serde_json::from_slice(&request)
            .map_err(|error| io::Error::other(format!("malformed request: {error}")))?;
        let mut frames = Vec::new();
        for _ in 0..following(&request) {
            let frame = read_next_frame(input, u32::MAX)?;
            frames.push(frame.ok_or_else(|| io::Error::other("input ends before a payload"))?);
        }
        let (answer, frames) = match lane.answer(request, &frames) {
            Ok(Answer { ok, frames }) => (json!({ "ok": ok }), frames),
            Err(refusal) => (json!({ "error": refusal.to_string() }), Vec::new()),
        };
        write_frame(output, answer.to_string().as_bytes())?;
        for frame in &frames {
            write_frame(output, frame)?;
        }
        output.flush()?;
    }
    Ok(())
}

/// Returns the number of frames that follow a request, even if the request is invalid otherwise.
fn following(request: &Json) -> u64 {
    match request["verb"].as_str() {
        Some("schema") => 1,
        _ => request["payloads"].as_u64().unwrap_or(0),
    }
}

/// A request of the contract.
#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
enum Request {
    Describe,
    Schema {
        shape: Shape,
        source: Option<SchemaText>,
    },
    Load {
        subject: usize,
    },
    Digest {
        subject: usize,
    },
    Encode {
        subject: usize,
    },
    Run {
        subject: usize,
        operation: Direction,
        coding: Option<String>,
        window: Vec<usize>,
        repeats: u64,
    },
    Memory {
        subject: usize,
        operation: Direction,
    },
}

/// The direction of an operation.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Encode,
    Decode,
}

impl Direction {
    fn operation(self, coding: Option<CodingLevel>) -> Operation {
        match (self, coding) {
            (Direction::Encode, None) => Operation::Encode,
            (Direction::Decode, None) => Operation::Decode,
            (Direction::Encode, Some(level)) => Operation::Compress(level),
            (Direction::Decode, Some(level)) => Operation::Decompress(level),
        }
    }
}

/// An answer and the frames that follow it.
struct Answer {
    ok: Json,
    frames: Vec<Vec<u8>>,
}

impl From<Json> for Answer {
    fn from(ok: Json) -> Self {
        Answer { ok, frames: Vec::new() }
    }
}

/// The reason that a request is refused. The lane is ready for the next request.
#[derive(Debug)]
enum RequestError {
    /// The request is not one of the contract.
    Malformed(serde_json::Error),
    /// The schema is invalid.
    Schema(manywire_schema::Error),
    /// There is no subject of this index.
    NoSubject(usize),
    /// No payloads have been loaded into the subject of this index.
    NotLoaded(usize),
    /// A window names a payload that was not loaded.
    NoPayload { index: usize, count: usize },
    /// The content coding is unknown.
    Coding(InvalidCoding),
    /// The library fails.
    Library(LibraryError),
    /// A value has no digest.
    Digest(DigestError),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Malformed(error) => error.fmt(f),
            RequestError::Schema(error) => error.fmt(f),
            RequestError::NoSubject(subject) => write!(f, "no subject {subject}"),
            RequestError::NotLoaded(subject) => write!(f, "subject {subject} has no payloads"),
            RequestError::NoPayload { index, count } => {
                write!(f, "no payload {index}; there are {count}")
            }
            RequestError::Coding(error) => error.fmt(f),
            RequestError::Library(error) => error.fmt(f),
            RequestError::Digest(error) => error.fmt(f),
        }
    }
}

impl From<LibraryError> for RequestError {
    fn from(error: LibraryError) -> Self {
        RequestError::Library(error)
    }
}

/// The state between requests.
struct Lane<'a> {
    /// The memory of payloads and values. It is freed when the process ends, which is soon.
    arena: &'a Arena,
    subjects: Vec<Subject>,
    schema: Schema,
    loaded: HashMap<usize, Box<dyn Loaded + 'a>>,
}

impl<'a> Lane<'a> {
    fn new(arena: &'a Arena) -> Self {
        let subjects = built_in_lane(PathBuf::new(), &[]).lane().subjects();
        Lane { arena, subjects, schema: Schema::from(Shape::any()), loaded: HashMap::new() }
    }

    /// Executes a request, or returns the reason of its refusal.
    fn answer(&mut self, request: Json, frames: &[Vec<u8>]) -> Result<Answer, RequestError> {
        let request = Request::deserialize(request).map_err(RequestError::Malformed)?;
        Ok(match request {
            Request::Describe => self.describe().into(),
            Request::Schema { shape, source } => {
                self.schema = match source {
                    Some(source) => source.read().map_err(RequestError::Schema)?,
                    None => Schema::from(shape),
                };
                json!({}).into()
            }
            Request::Load { subject } => {
                self.loaded.remove(&subject);
                let loaded = self.load(subject, frames)?;
                self.loaded.insert(subject, loaded);
                json!({}).into()
            }
            Request::Digest { subject } => {
                let digests: Result<Vec<String>, DigestError> =
                    self.at(subject)?.values()?.iter().map(lanes::digest).collect();
                json!({ "digests": digests.map_err(RequestError::Digest)? }).into()
            }
            Request::Encode { subject } => {
                let frames = self.at(subject)?.encode()?;
                Answer { ok: json!({ "payloads": frames.len() }), frames }
            }
            Request::Run { subject, operation, coding, window, repeats } => {
                let level = coding.map(|coding| coding.parse()).transpose();
                let level = level.map_err(RequestError::Coding)?;
                run(self.at(subject)?, operation.operation(level), &window, repeats)?.into()
            }
            Request::Memory { subject, operation } => {
                memory(self.at(subject)?, operation.operation(None))?.into()
            }
        })
    }

    fn describe(&self) -> Json {
        let subjects = self.subjects.iter().map(|subject| {
            json!({
                "library": subject.library,
                "version": library::version(&subject.library),
                "format": subject.format.name(),
                "target": subject.target.name(),
                "buffer": subject.buffer.name(),
            })
        });
        json!({
            "contract": CONTRACT,
            "lane": BUILT_IN_LANE,
            "runtime": host::tool().rustc,
            "clock_resolution_ns": wall_resolution_ns(),
            "codings": Coding::ALL.map(Coding::name),
            "subjects": subjects.collect::<Vec<_>>(),
        })
    }

    fn load(
        &self,
        subject: usize,
        frames: &[Vec<u8>],
    ) -> Result<Box<dyn Loaded + 'a>, RequestError> {
        let found = self.subjects.get(subject);
        let Subject { library, format, .. } = found.ok_or(RequestError::NoSubject(subject))?;
        let payloads: Vec<&'a [u8]> =
            frames.iter().map(|frame| &*self.arena.alloc_slice_copy(frame)).collect();
        let library = LIBRARIES.iter().find(|known| known.name == library);
        let library = library.ok_or(RequestError::NoSubject(subject))?;
        Ok((library.load)(*format, payloads, &self.schema, self.arena)?)
    }

    fn at(&mut self, subject: usize) -> Result<&mut (dyn Loaded + 'a), RequestError> {
        match self.loaded.get_mut(&subject) {
            Some(loaded) => Ok(&mut **loaded),
            None => Err(RequestError::NotLoaded(subject)),
        }
    }
}

/// One uncounted repeat comes before each batch of more repeats than this number. The process has
/// waited for its request, and other processes have filled the caches since its last batch; in
/// batches of half a millisecond, the first operation made encoding 10 to 150 % slower. A separate
/// request for the uncounted repeat, as `bench` sends for runtimes with collectors, does not help,
/// because the process waits again after it. A batch of few repeats is long, so its first repeat
/// weighs little.
const REPEATS_WITHOUT_LEAD_IN: u64 = 3;

/// Runs one batch.
fn run(
    loaded: &mut dyn Loaded,
    operation: Operation,
    window: &[usize],
    repeats: u64,
) -> Result<Json, RequestError> {
    let count = loaded.len();
    if let Some(&index) = window.iter().find(|&&index| index >= count) {
        return Err(RequestError::NoPayload { index, count });
    }
    loaded.prepare(operation)?;
    let before = preemptions();
    if repeats > REPEATS_WITHOUT_LEAD_IN {
        loaded.run(operation, window, 1)?;
    }
    let stopwatch = Stopwatch::start();
    loaded.run(operation, window, repeats)?;
    let Elapsed { wall_ns, cpu_ns } = stopwatch.stop();
    let after = preemptions();
    let preemptions = before.zip(after).map(|(before, after)| after.saturating_sub(before));
    Ok(json!({
        "wall_ns": wall_ns,
        "cpu_ns": cpu_ns,
        "collections": null,
        "compiled_ms": null,
        "preemptions": preemptions,
    }))
}

/// Measures the memory of one operation per payload, as a mean. Each operation runs once
/// beforehand, so that one-time setup does not count.
fn memory(loaded: &mut dyn Loaded, operation: Operation) -> Result<Json, RequestError> {
    let count = loaded.len();
    let (mut allocs, mut alloc_bytes, mut peak_bytes) = (0.0, 0.0, 0.0);
    let unknown = || json!({ "allocs": null, "alloc_bytes": null, "peak_bytes": null });
    if count == 0 {
        return Ok(unknown());
    }
    for payload in 0..count {
        loaded.run(operation, &[payload], 1)?;
        let (result, tally) = tally(|| loaded.run(operation, &[payload], 1));
        result?;
        let Some(tally) = tally else { return Ok(unknown()) };
        allocs += tally.allocs as f64;
        alloc_bytes += tally.bytes as f64;
        peak_bytes += tally.peak as f64;
    }
    let mean = |sum: f64| sum / count as f64;
    Ok(json!({
        "allocs": mean(allocs),
        "alloc_bytes": mean(alloc_bytes),
        "peak_bytes": mean(peak_bytes),
    }))
}
