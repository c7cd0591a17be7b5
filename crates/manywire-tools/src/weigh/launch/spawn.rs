use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::exchange::exchange;
use super::failure::LaunchError;
use super::job::{Job, PayloadHeader, SchemaText, Task};
use super::process;
use crate::weigh::payload::Payload;

/// Starts workers and collects their answers.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    arguments: Vec<String>,
}

/// The environment of a launch is padded by up to this many bytes: it moves the stack, and with
/// it the layout that would otherwise be the same in every launch.
const ENVIRONMENT_PADDING_MAX: usize = 4_096;

impl Launcher {
    /// Launches this program with these arguments, which must make it call [`super::work`].
    pub fn new(program: PathBuf, arguments: &[&str]) -> Self {
        Launcher {
            program,
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        }
    }

    /// Runs one task in a new process, which has ended when this returns. Once `interrupted` is set
    /// it is stopped.
    ///
    /// # Errors
    ///
    /// Whatever kept the worker from answering within `limit`.
    pub fn launch<A: DeserializeOwned>(
        &self,
        payloads: &[&Payload],
        schema: Option<&SchemaText>,
        task: Task,
        limit: Duration,
        interrupted: &AtomicBool,
    ) -> Result<A, LaunchError> {
        let headers = payloads.iter().map(|payload| PayloadHeader {
            name: payload.name.clone(),
            format: payload.format.name().to_owned(),
        });
        let job = Job { payloads: headers.collect(), schema: schema.cloned(), task };
        let job = serde_json::to_vec(&job).expect("a job has string keys only");
        let mut child = self.start()?;
        let answer = exchange(&mut child, &job, payloads, limit, interrupted)?;
        serde_json::from_slice(&answer).map_err(|error| LaunchError::Garbage(error.to_string()))
    }

    fn start(&self) -> Result<Child, LaunchError> {
        let mut command = Command::new(&self.program);
        process::detach(&mut command);
        pad(&mut command)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| LaunchError::Start(format!("{}: {error}", self.program.display())))
    }
}

/// Pads the environment of a launch by a random length.
pub(super) fn pad(command: &mut Command) -> &mut Command {
    command.env("MANYWIRE_PADDING", "x".repeat(fastrand::usize(..ENVIRONMENT_PADDING_MAX)))
}
