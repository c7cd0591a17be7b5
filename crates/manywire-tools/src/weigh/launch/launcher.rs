//! Starts a worker, sends it a job and reads its answer, with a limit on time and size.
//!
//! A worker that crashes, hangs or prints garbage becomes a [`LaunchError`]; no process is left
//! behind.

use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use serde::de::DeserializeOwned;

use super::job;
use super::job::{Job, PayloadHeader, SchemaText, Task};
use crate::weigh::payload::Payload;

/// Starts workers and collects their answers.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    arguments: Vec<String>,
}

/// The maximum padding of a launch's environment, in bytes. The padding moves the stack, and with
/// it a memory layout that would otherwise be the same in every launch.
const ENVIRONMENT_PADDING_MAX: usize = 4_096;

impl Launcher {
    /// Creates a launcher of this program with these arguments, which must make it call
    /// [`super::work`].
    pub fn new(program: PathBuf, arguments: &[&str]) -> Self {
        Launcher {
            program,
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        }
    }

    /// Runs one task in a new process, which has ended when this returns. Setting `interrupted`
    /// stops it.
    ///
    /// # Errors
    ///
    /// Returns the reason that the worker did not answer within `limit`.
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
        detach(&mut command);
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

/// The maximum size of an answer. Real answers hold some hundred bytes per payload and batch.
pub(super) const ANSWER_MAX: u32 = 256 << 20;

/// The time limit of exiting after the answer, when only memory is left to free.
pub(super) const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// The interval between checks for an interrupt: long enough not to disturb a measurement.
pub(super) const INTERRUPT_POLL: Duration = Duration::from_millis(50);

/// The interval between checks for the exit of a worker that has answered.
pub(super) const EXIT_POLL: Duration = Duration::from_millis(1);

/// The time limit of reading a dead worker's standard error. It is available at once unless another
/// process inherited the pipe.
pub(super) const STDERR_LIMIT: Duration = Duration::from_secs(1);

/// Sends the job while reading the answer, so that neither side blocks on a full pipe. When this
/// returns, the worker has exited or has been killed.
pub(super) fn exchange(
    child: &mut Child,
    job: &[u8],
    payloads: &[&Payload],
    limit: Duration,
    interrupted: &AtomicBool,
) -> Result<Vec<u8>, LaunchError> {
    let (Some(stdin), Some(mut stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        kill(child);
        return Err(LaunchError::Start("no pipes".to_owned()));
    };
    let (answer_sender, answer) = mpsc::channel();
    let (stderr_sender, stderr_text) = mpsc::channel();
    // The threads own the pipes. If another process inherited a pipe, only the thread waits for it.
    thread::spawn(move || drop(answer_sender.send(job::read_frame(&mut stdout, ANSWER_MAX))));
    thread::spawn(move || drop(stderr_sender.send(read_beginning(stderr))));
    thread::scope(|scope| {
        // If the worker dies early the pipe breaks. Its exit status is reported instead of that
        // error.
        scope.spawn(move || drop(send(stdin, job, payloads)));
        let end = wait(child, &answer, limit, interrupted);
        if end.is_err() {
            kill(child);
        }
        let (answer, status) = end?;
        if !status.success() {
            let words = stderr_text.recv_timeout(STDERR_LIMIT).unwrap_or_default();
            return Err(LaunchError::Crashed(describe(status, &words)));
        }
        answer.map_err(garbage)
    })
}

/// Waits for the answer and the exit status. Returns an error if the worker has to be killed.
fn wait(
    child: &mut Child,
    answer: &Receiver<io::Result<Vec<u8>>>,
    limit: Duration,
    interrupted: &AtomicBool,
) -> Result<(io::Result<Vec<u8>>, ExitStatus), LaunchError> {
    let start = Instant::now();
    let answer = loop {
        let left = limit.saturating_sub(start.elapsed());
        match answer.recv_timeout(left.min(INTERRUPT_POLL)) {
            Ok(answer) => break answer,
            Err(_) if interrupted.load(Ordering::Relaxed) => return Err(LaunchError::Interrupted),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                return Err(LaunchError::Hung(limit));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(LaunchError::Garbage("the answer could not be read".to_owned()));
            }
        }
    };
    let answered = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok((answer, status)),
            Err(error) => return Err(LaunchError::Crashed(error.to_string())),
            Ok(None) if interrupted.load(Ordering::Relaxed) => {
                return Err(LaunchError::Interrupted);
            }
            Ok(None) if answered.elapsed() > EXIT_LIMIT => {
                let lingered = |_| LaunchError::Lingered(EXIT_LIMIT);
                return Err(answer.map_or_else(garbage, lingered));
            }
            Ok(None) => thread::sleep(EXIT_POLL),
        }
    }
}

pub(super) fn garbage(error: io::Error) -> LaunchError {
    LaunchError::Garbage(error.to_string())
}

fn send(stdin: impl Write, job: &[u8], payloads: &[&Payload]) -> io::Result<()> {
    let mut stdin = BufWriter::new(stdin);
    job::write_frame(&mut stdin, job)?;
    for payload in payloads {
        job::write_frame(&mut stdin, &payload.bytes)?;
    }
    stdin.flush()
}

/// The number of bytes of standard error that are kept.
const STDERR_MAX: u64 = 2_000;

/// Returns the beginning of standard error, where a panic has its message. The rest is read and
/// dropped.
pub(super) fn read_beginning(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    // Bytes read before an error are still shown.
    drop(stderr.by_ref().take(STDERR_MAX).read_to_end(&mut bytes));
    drop(io::copy(&mut stderr, &mut io::sink()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Describes the end of a worker: its exit status and the beginning of its standard error.
pub(super) fn describe(status: ExitStatus, stderr_text: &str) -> String {
    let how = exit_text(status);
    let lines = stderr_text.lines().map(str::trim).filter(|line| !line.is_empty());
    // A panic prints its location on one line and its message on the next.
    let words: Vec<&str> = lines.take(2).filter(|line| !line.starts_with("note:")).collect();
    if words.is_empty() { how } else { format!("{how}: {}", words.join(" ")) }
}

/// The error for a launch without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The worker could not be started.
    Start(String),
    /// The worker ended by a signal or with a failure.
    Crashed(String),
    /// The worker exceeded its time limit.
    Hung(Duration),
    /// The worker answered, then did not exit for this long.
    Lingered(Duration),
    /// The worker sent an invalid answer.
    Garbage(String),
    /// The user interrupted; the worker was stopped and is not to blame.
    Interrupted,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Start(reason) => write!(f, "the worker could not be started: {reason}"),
            LaunchError::Crashed(how) => write!(f, "crashed: {how}"),
            LaunchError::Hung(limit) => write!(f, "hung: no answer within {limit:?}"),
            LaunchError::Lingered(limit) => {
                write!(f, "hung: it answered, but did not exit within {limit:?}")
            }
            LaunchError::Garbage(reason) => write!(f, "answered with garbage: {reason}"),
            LaunchError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for LaunchError {}
/// Keeps the terminal's interrupt from a worker. Only the orchestrator decides whether a
/// measurement is discarded.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Keeps the console's interrupt from a worker.
#[cfg(windows)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn detach(_: &mut Command) {}

/// Kills a worker with its child processes and reaps it, so that no zombie is left.
pub(crate) fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // An error means that the process is already gone.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    drop(child.kill());
    drop(child.wait());
}

#[cfg(unix)]
pub(crate) fn exit_text(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => status.to_string(),
    }
}

#[cfg(not(unix))]
pub(crate) fn exit_text(status: ExitStatus) -> String {
    status.to_string()
}
