use std::fmt;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::frame;
use super::job::{Job, PayloadHeader, SchemaText, Task};
use crate::payload::Payload;

/// Starts workers and collects their answers.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    arguments: Vec<String>,
}

/// Why a launch gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The worker could not be started.
    Start(String),
    /// The worker ended by a signal or with a failure.
    Crashed(String),
    /// The worker took longer than it was given.
    Hung(Duration),
    /// The worker answered with something else.
    Garbage(String),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Start(reason) => write!(f, "the worker could not be started: {reason}"),
            LaunchError::Crashed(how) => write!(f, "crashed: {how}"),
            LaunchError::Hung(limit) => write!(f, "hung: no answer within {} s", limit.as_secs()),
            LaunchError::Garbage(reason) => write!(f, "answered with garbage: {reason}"),
        }
    }
}

impl std::error::Error for LaunchError {}

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

    /// Runs one task in a new process.
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
    ) -> Result<A, LaunchError> {
        let headers = payloads.iter().map(|payload| PayloadHeader {
            name: payload.name.clone(),
            format: payload.format.name().to_owned(),
        });
        let job = Job { payloads: headers.collect(), schema: schema.cloned(), task };
        let job = serde_json::to_vec(&job).expect("a job has string keys only");
        let mut child = self.start()?;
        let answer = exchange(&mut child, &job, payloads, limit)?;
        serde_json::from_slice(&answer).map_err(|error| LaunchError::Garbage(error.to_string()))
    }

    fn start(&self) -> Result<Child, LaunchError> {
        Command::new(&self.program)
            .args(&self.arguments)
            .env("MANYWIRE_PADDING", "x".repeat(fastrand::usize(..ENVIRONMENT_PADDING_MAX)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| LaunchError::Start(format!("{}: {error}", self.program.display())))
    }
}

/// Sends the job while reading the answer, so that neither side waits for a full pipe.
fn exchange(
    child: &mut Child,
    job: &[u8],
    payloads: &[&Payload],
    limit: Duration,
) -> Result<Vec<u8>, LaunchError> {
    let (Some(stdin), Some(mut stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(LaunchError::Start("no pipes".to_owned()));
    };
    let (sender, receiver) = mpsc::channel();
    let (answer, complaint, status) = thread::scope(|scope| {
        // A worker that dies early breaks the pipe; its exit status says more than that error.
        scope.spawn(move || drop(send(stdin, job, payloads)));
        scope.spawn(move || drop(sender.send(frame::read(&mut stdout))));
        let complaint = scope.spawn(move || text_of(stderr));
        let answer = receiver.recv_timeout(limit);
        if answer.is_err() {
            // Killing closes the pipes that the other threads wait on.
            drop(child.kill());
        }
        let status = child.wait();
        (answer, complaint.join().unwrap_or_default(), status)
    });
    match (answer, status) {
        (Err(_), _) => Err(LaunchError::Hung(limit)),
        (Ok(Ok(bytes)), Ok(status)) if status.success() => Ok(bytes),
        (Ok(_), Ok(status)) if !status.success() => {
            Err(LaunchError::Crashed(describe(status, &complaint)))
        }
        (Ok(Err(error)), _) | (Ok(Ok(_)), Err(error)) => {
            Err(LaunchError::Garbage(error.to_string()))
        }
        (Ok(Ok(_)), Ok(_)) => Err(LaunchError::Garbage("an answer, then a failure".to_owned())),
    }
}

fn send(stdin: impl Write, job: &[u8], payloads: &[&Payload]) -> io::Result<()> {
    let mut stdin = BufWriter::new(stdin);
    frame::write(&mut stdin, job)?;
    for payload in payloads {
        frame::write(&mut stdin, &payload.bytes)?;
    }
    stdin.flush()
}

/// The end of what a worker complained, at most this much.
const COMPLAINT_MAX: usize = 2_000;

fn text_of(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth showing.
    drop(stderr.read_to_end(&mut bytes));
    let start = bytes.len().saturating_sub(COMPLAINT_MAX);
    String::from_utf8_lossy(&bytes[start..]).trim().to_owned()
}

fn describe(status: ExitStatus, complaint: &str) -> String {
    let how = exit_text(status);
    match complaint.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{how}: {line}"),
        None => how,
    }
}

#[cfg(unix)]
fn exit_text(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
fn exit_text(status: ExitStatus) -> String {
    status.to_string()
}
