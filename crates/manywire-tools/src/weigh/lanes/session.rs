//! One process of a lane, and the requests of `lanes/CONTRACT.md` that it answers.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::build;
use super::http::Http;
use super::lane::BuiltLane;
use super::lane_input::LaneInput;
use super::manifest::Subject;
use crate::weigh::launch::{Conversation, LaunchError, Memory};
use crate::weigh::subject::Operation;

/// The version of `lanes/CONTRACT.md` that this program implements.
pub(super) const CONTRACT: u64 = 1;

/// A lane's process, which answers the requests of the contract.
#[derive(Debug)]
pub struct Session<'i> {
    conversation: Conversation<'i>,
    pub(super) limit: Duration,
    /// The lane's description of itself.
    pub(super) description: Description,
}

/// A lane's answer, or its refusal as text. The outer error is the end of the process.
pub type Answer<T> = Result<Result<T, String>, LaunchError>;

/// A lane's answer to `describe`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Description {
    contract: u64,
    lane: String,
    /// The runtime and its version.
    pub(crate) runtime: String,
    subjects: Vec<SubjectDescription>,
    /// The lane's HTTP server and client, if it has them.
    #[serde(default)]
    pub(super) http: Option<Http>,
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
    /// The time its compiler has spent since the process began, in milliseconds.
    pub compiled_ms: Option<f64>,
}

#[derive(Deserialize)]
struct MemoryReply {
    allocs: Option<f64>,
    alloc_bytes: Option<f64>,
    peak_bytes: Option<f64>,
}

/// The head of an answer.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Reply {
    Ok(Value),
    Error(String),
}

#[derive(Deserialize)]
struct PayloadsReply {
    payloads: usize,
}

#[derive(Deserialize)]
struct DigestsReply {
    digests: Vec<String>,
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
        let command = build::command(&built.lane.manifest().run, &built.folder);
        let command = command.map_err(LaunchError::Start)?;
        let mut session = Session {
            conversation: Conversation::start(command, interrupted)?,
            limit: Duration::from_secs(built.lane.manifest().answer_limit_s)
                + Duration::from_micros(bytes as u64),
            description: Description {
                contract: 0,
                lane: String::new(),
                runtime: String::new(),
                subjects: Vec::new(),
                http: None,
            },
        };
        let described = session.ask::<Description>(&json!({ "verb": "describe" }), Vec::new())?;
        session.description = described.map_err(LaunchError::Garbage)?;
        session.check(built)?;
        Ok(session)
    }

    fn check(&self, built: &BuiltLane) -> Result<(), LaunchError> {
        let garbage = |what: String| Err(LaunchError::Garbage(what));
        let said = &self.description;
        if said.contract != CONTRACT {
            return garbage(format!(
                "the lane implements contract {}, expected {CONTRACT}",
                said.contract
            ));
        }
        if said.lane != built.lane.name() {
            return garbage(format!(
                "the lane reports the name {:?}, expected {:?}",
                said.lane,
                built.lane.name()
            ));
        }
        let subjects = built.lane.subjects();
        match subjects.iter().find(|subject| self.index(subject).is_none()) {
            Some(subject) => {
                garbage(format!("the lane does not describe {subject}, which lane.toml lists"))
            }
            None if said.subjects.len() != subjects.len() => garbage(format!(
                "the lane describes {} subjects, lane.toml lists {}",
                said.subjects.len(),
                subjects.len()
            )),
            None => Ok(()),
        }
    }

    /// Returns the lane's index of a subject.
    pub(super) fn index(&self, subject: &Subject) -> Option<usize> {
        self.description.subjects.iter().position(|described| {
            described.library == subject.library
                && described.format == subject.format.name()
                && described.target == subject.target.name()
        })
    }

    /// The version of a subject's library.
    pub fn version(&self, subject: &Subject) -> String {
        let found = self.index(subject).map(|index| &self.description.subjects[index].version);
        found.cloned().unwrap_or_default()
    }

    /// Sends the schemas.
    ///
    /// # Errors
    ///
    /// Fails with the outer error if the process ended, and with the inner error if the lane
    /// refused.
    pub fn schema(&mut self, lane_input: &LaneInput) -> Answer<()> {
        let (request, descriptors) = &lane_input.schema;
        self.ask::<Value>(request, vec![descriptors.clone()]).map(|answer| answer.map(drop))
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
        let (name, coding) = match operation {
            Operation::Compress(level) => ("encode".to_owned(), Some(level.coding().name())),
            Operation::Decompress(level) => ("decode".to_owned(), Some(level.coding().name())),
            plain => (plain.to_string(), None),
        };
        let rest = json!({
            "operation": name, "coding": coding, "window": window, "repeats": repeats,
        });
        let request = self.request("run", subject, rest);
        let answer = self.ask::<BatchTiming>(&request, Vec::new())?;
        Ok(answer.and_then(|ran| match ran.wall_ns {
            ns if ns.is_finite() && ns >= 0.0 => Ok(ran),
            ns => Err(format!("a batch that took {ns} ns")),
        }))
    }

    /// Measures the memory of one operation.
    pub(super) fn memory(
        &mut self,
        subject: &Subject,
        operation: Operation,
    ) -> Answer<Option<Memory>> {
        let rest = json!({ "operation": operation.to_string() });
        let request = self.request("memory", subject, rest);
        let answer = self.ask::<MemoryReply>(&request, Vec::new())?;
        Ok(answer.map(|found| {
            let MemoryReply { allocs, alloc_bytes, peak_bytes } = found;
            let known = allocs.or(alloc_bytes).or(peak_bytes).is_some();
            known.then_some(Memory { allocs, alloc_bytes, peak_bytes })
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
        let garbage =
            |error| LaunchError::Garbage(format!("the answer to {}: {error}", request["verb"]));
        let answer: Reply = serde_json::from_slice(&answer).map_err(garbage)?;
        match answer {
            Reply::Error(refusal) => Ok(Err(refusal)),
            Reply::Ok(answer) => serde_json::from_value(answer).map(Ok).map_err(garbage),
        }
    }
}
