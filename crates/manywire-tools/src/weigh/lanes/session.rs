//! One process of a lane, and the requests of `lanes/CONTRACT.md` that it answers.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use manywire_format::Coding;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::lane::BuiltLane;
use super::lane_input::LaneInput;
use super::typed::uncompiled;
use crate::weigh::launch::{Conversation, LaunchError, Refusal};
use crate::weigh::subject::{Operation, Subject};

/// The version of `lanes/CONTRACT.md` that this program implements.
pub(crate) const CONTRACT: u64 = 1;

/// A lane's process, which answers the requests of the contract.
#[derive(Debug)]
pub struct Session<'i> {
    conversation: Conversation<'i>,
    pub(super) limit: Duration,
    /// The lane's description of itself.
    pub(super) description: Description,
}

/// A lane's answer, or its refusal. The outer error means that the process ended, hung or sent an
/// invalid answer, that the code it generated does not compile, or that the user interrupted.
pub type Answer<T> = Result<Result<T, Refusal>, LaunchError>;

/// A lane's answer to `describe`.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Description {
    contract: u64,
    lane: String,
    /// The runtime and its version.
    pub(crate) runtime: String,
    subjects: Vec<SubjectDescription>,
    /// The smallest step of the clock, in nanoseconds.
    #[serde(default = "clock_resolution_ns")]
    pub(super) clock_resolution_ns: u64,
    /// The content codings that batches may have, with any level.
    #[serde(default)]
    pub(super) codings: Vec<String>,
    /// The lane's HTTP server and client, if it has them.
    #[serde(default)]
    pub(super) http: Option<Peers>,
    /// The lane's ZeroMQ server and client, if it has them.
    #[serde(default)]
    pub(super) zeromq: Option<Peers>,
}

/// The server and the client of a lane over one transport.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Peers {
    /// The server's name, as the runtime's users know it.
    pub server: String,
    /// The client's name.
    pub client: String,
    /// The content codings of both.
    pub codings: Vec<String>,
}

/// The assumed resolution of a lane's clock, in nanoseconds, if the lane does not describe it. The
/// clocks of all present lanes have at least this resolution.
fn clock_resolution_ns() -> u64 {
    100
}

/// A subject as a lane describes it.
#[derive(Clone, Debug, Deserialize)]
struct SubjectDescription {
    library: String,
    version: String,
    format: String,
    target: String,
}

/// A lane's answer to `run`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct BatchTiming {
    /// Wall-clock time of the batch, in nanoseconds.
    pub wall_ns: f64,
    /// CPU time of the process, in nanoseconds.
    pub cpu_ns: Option<f64>,
    /// Garbage collections during the batch.
    pub collections: Option<f64>,
    /// The time that the runtime's compiler has spent since the process began, in milliseconds.
    pub compiled_ms: Option<f64>,
    /// Context switches forced on the process during the batch.
    #[serde(default)]
    pub preemptions: Option<u64>,
}

/// The memory of one operation, as a mean over payloads: a lane's answer to `memory`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Memory {
    /// Allocations and reallocations; `None` where the runtime does not count them.
    pub allocs: Option<f64>,
    /// Bytes requested by allocations.
    pub alloc_bytes: Option<f64>,
    /// The most bytes in use at once, beyond those in use before.
    pub peak_bytes: Option<f64>,
}

/// The head of an answer.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Reply {
    Ok(Value),
    Error(String),
    Uncompiled(String),
}

#[derive(Deserialize)]
struct PayloadsReply {
    payloads: usize,
}

#[derive(Deserialize)]
struct DigestsReply {
    digests: Vec<String>,
}

impl Description {
    fn index(&self, subject: &Subject) -> Option<usize> {
        self.subjects.iter().position(|described| {
            described.library == subject.library
                && described.format == subject.format.name()
                && described.target == subject.target.name()
        })
    }

    /// Returns the version of a subject's library.
    pub(super) fn version(&self, subject: &Subject) -> &str {
        self.index(subject).map_or("", |index| &self.subjects[index].version)
    }
}

impl<'i> Session<'i> {
    /// Starts a lane's process and reads its description. `bytes` is the approximate size of the
    /// payloads, which raises the time limit of answers.
    ///
    /// # Errors
    ///
    /// Returns an error if the process does not start or does not match its manifest.
    pub fn start(
        built: &BuiltLane,
        bytes: usize,
        interrupted: &'i AtomicBool,
    ) -> Result<Self, LaunchError> {
        let command = built.command();
        let command = command.map_err(|error| LaunchError::Start(error.to_string()))?;
        let mut session = Session {
            conversation: Conversation::start(command, bytes, interrupted)?,
            limit: Duration::from_secs(built.lane.manifest().answer_limit_s)
                + Duration::from_micros(bytes as u64),
            // The process describes itself in its first answer.
            description: Description::default(),
        };
        let described = session.ask::<Description>(&json!({ "verb": "describe" }), Vec::new())?;
        session.description =
            described.map_err(|Refusal(words)| LaunchError::InvalidAnswer(words))?;
        session.check(built)?;
        Ok(session)
    }

    fn check(&self, built: &BuiltLane) -> Result<(), LaunchError> {
        let invalid = |what: String| Err(LaunchError::InvalidAnswer(what));
        let said = &self.description;
        if said.contract != CONTRACT {
            return invalid(format!(
                "the lane implements contract {}, expected {CONTRACT}",
                said.contract
            ));
        }
        let name = &built.lane.manifest().name;
        if said.lane != *name {
            return invalid(format!(
                "the lane reports the name {:?}, expected {name:?}",
                said.lane
            ));
        }
        let subjects = built.lane.subjects();
        match subjects.iter().find(|subject| self.index(subject).is_none()) {
            Some(subject) => {
                invalid(format!("the lane does not describe {subject}, which lane.toml lists"))
            }
            None if said.subjects.len() != subjects.len() => invalid(format!(
                "the lane describes {} subjects, lane.toml lists {}",
                said.subjects.len(),
                subjects.len()
            )),
            None => Ok(()),
        }
    }

    /// Returns the lane's index of a subject.
    pub(super) fn index(&self, subject: &Subject) -> Option<usize> {
        self.description.index(subject)
    }

    /// Returns whether batches may have this coding, with any level.
    pub(super) fn has_coding(&self, coding: Coding) -> bool {
        self.description.codings.iter().any(|name| name == coding.name())
    }

    /// Sends the schemas.
    ///
    /// # Errors
    ///
    /// Fails with the outer error if the process ended, and with the inner error if the lane
    /// refused.
    pub fn schema(&mut self, lane_input: &LaneInput) -> Answer<()> {
        let (request, descriptors) = lane_input.schema_request();
        self.ask::<Value>(request, vec![descriptors.to_vec()]).map(|answer| answer.map(drop))
    }

    /// Loads payloads into a subject, in its format.
    ///
    /// # Errors
    ///
    /// Fails with the outer error if the process ended, and with the inner error if the lane
    /// refused.
    pub fn load(&mut self, subject: &Subject, payloads: &[Vec<u8>]) -> Answer<()> {
        let request = self.request("load", subject, json!({ "payloads": payloads.len() }));
        self.ask::<Value>(&request, payloads.to_vec()).map(|answer| answer.map(drop))
    }

    /// Returns the digests of the values that a subject read.
    ///
    /// # Errors
    ///
    /// Fails with the outer error if the process ended, and with the inner error if the lane
    /// refused.
    pub fn digests(&mut self, subject: &Subject) -> Answer<Vec<String>> {
        let request = self.request("digest", subject, json!({}));
        let answer = self.ask::<DigestsReply>(&request, Vec::new())?;
        Ok(answer.map(|answer| answer.digests))
    }

    /// Makes a subject encode the values that it read.
    pub(super) fn encode(&mut self, subject: &Subject) -> Answer<Vec<Vec<u8>>> {
        let request = self.request("encode", subject, json!({}));
        let count = match self.ask::<PayloadsReply>(&request, Vec::new())? {
            Ok(answer) => answer.payloads,
            Err(refusal) => return Ok(Err(refusal)),
        };
        (0..count).map(|_| self.receive()).collect::<Result<_, _>>().map(Ok)
    }

    /// Runs a batch.
    ///
    /// # Errors
    ///
    /// Fails with the outer error if the process ended, and with the inner error if the lane
    /// refused.
    pub fn run(
        &mut self,
        subject: &Subject,
        operation: Operation,
        window: &[usize],
        repeats: u64,
    ) -> Answer<BatchTiming> {
        let (plain, level) = operation.parts();
        let coding = level.map(|level| match self.has_coding(level.coding()) {
            true => level.to_string(),
            false => level.coding().name().to_owned(),
        });
        let rest = json!({
            "operation": plain.to_string(), "coding": coding, "window": window, "repeats": repeats,
        });
        let request = self.request("run", subject, rest);
        let answer = self.ask::<BatchTiming>(&request, Vec::new())?;
        Ok(answer.and_then(|ran| match ran.wall_ns {
            ns if ns.is_finite() && ns >= 0.0 => Ok(ran),
            ns => Err(Refusal(format!("a batch that took {ns} ns"))),
        }))
    }

    /// Measures the memory of one operation; `None` if the runtime does not count any.
    pub(super) fn memory(
        &mut self,
        subject: &Subject,
        operation: Operation,
    ) -> Answer<Option<Memory>> {
        let rest = json!({ "operation": operation.to_string() });
        let request = self.request("memory", subject, rest);
        let answer = self.ask::<Memory>(&request, Vec::new())?;
        Ok(answer.map(|found| {
            let known = found.allocs.or(found.alloc_bytes).or(found.peak_bytes).is_some();
            known.then_some(found)
        }))
    }

    /// Closes the input of the process and waits for its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the process exits with a failure or does not exit.
    pub fn finish(self) -> Result<(), LaunchError> {
        self.conversation.finish()
    }

    pub(super) fn request(&self, verb: &str, subject: &Subject, mut rest: Value) -> Value {
        rest["verb"] = json!(verb);
        rest["subject"] = json!(self.index(subject));
        rest
    }

    /// Receives one frame of the answer.
    pub(super) fn receive(&mut self) -> Result<Vec<u8>, LaunchError> {
        self.conversation.receive(self.limit)
    }

    /// Sends a request and reads the head of the answer.
    pub(super) fn ask<T: DeserializeOwned>(
        &mut self,
        request: &Value,
        frames: Vec<Vec<u8>>,
    ) -> Answer<T> {
        let mut all = vec![request.to_string().into_bytes()];
        all.extend(frames);
        self.conversation.send(all);
        let answer = self.receive()?;
        let invalid = |error| {
            LaunchError::InvalidAnswer(format!("the answer to {}: {error}", request["verb"]))
        };
        let answer: Reply = serde_json::from_slice(&answer).map_err(invalid)?;
        match answer {
            Reply::Error(words) => Ok(Err(Refusal(words))),
            Reply::Uncompiled(words) => Err(LaunchError::Uncompiled(uncompiled(&words))),
            Reply::Ok(answer) => serde_json::from_value(answer).map(Ok).map_err(invalid),
        }
    }
}
