//! A process that answers one request after another, in frames.

use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{read_frame, write_frame};
use super::process::{self, LaunchError, exit_text};

/// The maximum number of answer frames that are buffered. A process that writes faster has to wait.
const FRAMES_WAITING: usize = 4;

/// The size limit of a frame of an answer, in bytes, before the allowance for payloads.
const FRAME_MAX: u32 = 256 << 20;

/// The maximum factor by which a payload may grow from its size in the input to that in another
/// format.
const GROWTH_MAX: usize = 8;

/// The time limit of exiting after the answer, when only memory is left to free.
const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// The interval between checks for an interrupt: long enough not to disturb a measurement.
const INTERRUPT_POLL: Duration = Duration::from_millis(50);

/// The interval between checks for the exit of a process that has answered.
const EXIT_POLL: Duration = Duration::from_millis(1);

/// The time limit of reading a dead process's standard error. The output is available at once
/// unless another process inherited the pipe.
const STDERR_LIMIT: Duration = Duration::from_secs(1);

/// The maximum padding of a launch's environment, in bytes. The padding moves the stack, and with
/// it a memory layout that would otherwise be the same in every launch.
const ENVIRONMENT_PADDING_MAX: usize = 4_096;

/// Pads the environment of a launch by a random length.
fn pad(command: &mut Command) -> &mut Command {
    command.env("MANYWIRE_PADDING", "x".repeat(fastrand::usize(..ENVIRONMENT_PADDING_MAX)))
}

/// Returns the size limit of a frame of an answer. The largest frames are payloads that a subject
/// wrote.
fn frame_max(bytes: usize) -> u32 {
    let payloads = u32::try_from(bytes.saturating_mul(GROWTH_MAX)).unwrap_or(u32::MAX);
    FRAME_MAX.saturating_add(payloads)
}

/// A process that answers one request after another, in frames. Dropping the conversation stops the
/// process.
#[derive(Debug)]
pub struct Conversation<'i> {
    child: Child,
    requests: Option<Sender<Vec<Vec<u8>>>>,
    answers: Receiver<io::Result<Vec<u8>>>,
    stderr_text: Receiver<String>,
    interrupted: &'i AtomicBool,
}

impl<'i> Conversation<'i> {
    /// Starts the process. `bytes` is the approximate size of the payloads, which raises the size
    /// limit of the frames of its answers. Setting `interrupted` stops the process.
    ///
    /// # Errors
    ///
    /// Returns [`LaunchError::Start`] with the system's message.
    pub fn start(
        mut command: Command,
        bytes: usize,
        interrupted: &'i AtomicBool,
    ) -> Result<Self, LaunchError> {
        process::detach(&mut command);
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = pad(&mut command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| LaunchError::Start(format!("{program}: {error}")))?;
        let (Some(stdin), Some(mut stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            process::kill(&mut child);
            return Err(LaunchError::Start(format!("{program}: no pipes")));
        };
        let frame_max = frame_max(bytes);
        let (requests, to_write) = mpsc::channel();
        let (answer_sender, answers) = mpsc::sync_channel(FRAMES_WAITING);
        let (stderr_sender, stderr_text) = mpsc::channel();
        // The threads own the pipes. If another process inherited a pipe, only the thread waits for
        // it.
        thread::spawn(move || write(stdin, &to_write));
        thread::spawn(move || {
            loop {
                let answer = read_frame(&mut stdout, frame_max);
                let last = answer.is_err();
                if answer_sender.send(answer).is_err() || last {
                    return;
                }
            }
        });
        thread::spawn(move || drop(stderr_sender.send(read_beginning(stderr))));
        Ok(Conversation { child, requests: Some(requests), answers, stderr_text, interrupted })
    }

    /// Sends frames.
    pub fn send(&self, frames: Vec<Vec<u8>>) {
        // If the process is gone, `receive` reports why.
        if let Some(requests) = &self.requests {
            drop(requests.send(frames));
        }
    }

    /// Returns the next frame of the answer.
    ///
    /// # Errors
    ///
    /// Returns an error if the process ended, took longer than `limit`, or wrote an invalid frame,
    /// or if the user interrupted. The process is then stopped.
    pub fn receive(&mut self, limit: Duration) -> Result<Vec<u8>, LaunchError> {
        let start = Instant::now();
        let failure = loop {
            let left = limit.saturating_sub(start.elapsed());
            match self.answers.recv_timeout(left.min(INTERRUPT_POLL)) {
                Ok(Ok(answer)) => return Ok(answer),
                // The exit status is not used here, because a process that continues to write fails
                // with a broken pipe.
                Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => {
                    break invalid_answer(error);
                }
                Ok(Err(error)) => break self.ended().unwrap_or_else(|| invalid_answer(error)),
                Err(_) if self.interrupted.load(Ordering::Relaxed) => {
                    break LaunchError::Interrupted;
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    break LaunchError::Hung(limit);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    break self.ended().unwrap_or_else(|| {
                        LaunchError::InvalidAnswer("the answer could not be read".to_owned())
                    });
                }
            }
        };
        self.stop();
        Err(failure)
    }

    /// Closes the process's input and waits until it exits.
    ///
    /// # Errors
    ///
    /// Returns an error if the process exits with a failure or does not exit, or if the user
    /// interrupts.
    pub fn finish(mut self) -> Result<(), LaunchError> {
        self.requests = None;
        match self.wait(EXIT_LIMIT, true) {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(LaunchError::Crashed(describe(status, &self.stderr_text()))),
            None if self.interrupted.load(Ordering::Relaxed) => Err(LaunchError::Interrupted),
            None => Err(LaunchError::Lingered(EXIT_LIMIT)),
        }
    }

    /// Returns the failure of a process that has closed its standard output, by the exit status,
    /// which says more than an incomplete frame. `None` if the process is still running or has
    /// succeeded.
    fn ended(&mut self) -> Option<LaunchError> {
        let status = self.wait(STDERR_LIMIT, false)?;
        (!status.success()).then(|| LaunchError::Crashed(describe(status, &self.stderr_text())))
    }

    fn stderr_text(&self) -> String {
        self.stderr_text.recv_timeout(STDERR_LIMIT).unwrap_or_default()
    }

    /// Waits for the exit; `None` if it takes longer than `limit`, or if `interruptible` is set and
    /// the user interrupts.
    fn wait(&mut self, limit: Duration, interruptible: bool) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if interruptible && self.interrupted.load(Ordering::Relaxed) => {
                    return None;
                }
                Ok(None) if start.elapsed() < limit => thread::sleep(EXIT_POLL),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    fn stop(&mut self) {
        self.requests = None;
        process::kill(&mut self.child);
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            self.stop();
        }
    }
}

fn write(stdin: ChildStdin, requests: &Receiver<Vec<Vec<u8>>>) {
    let mut stdin = BufWriter::new(stdin);
    while let Ok(frames) = requests.recv() {
        let sent = frames.iter().try_for_each(|bytes| write_frame(&mut stdin, bytes));
        // If the process dies early the pipe breaks. Its exit status is reported instead of that
        // error.
        if sent.and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn invalid_answer(error: io::Error) -> LaunchError {
    LaunchError::InvalidAnswer(error.to_string())
}

/// The maximum number of bytes of standard error that are kept.
const STDERR_MAX: u64 = 2_000;

/// Returns the beginning of standard error, where a panic has its message. The rest is read and
/// dropped.
fn read_beginning(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    // Bytes read before an error are still shown.
    drop(stderr.by_ref().take(STDERR_MAX).read_to_end(&mut bytes));
    drop(io::copy(&mut stderr, &mut io::sink()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Describes the end of a process: its exit status and the beginning of its standard error.
fn describe(status: ExitStatus, stderr_text: &str) -> String {
    let how = exit_text(status);
    let lines = stderr_text.lines().map(str::trim).filter(|line| !line.is_empty());
    // A panic prints its location on one line and its message on the next.
    let words: Vec<&str> = lines.take(2).filter(|line| !line.starts_with("note:")).collect();
    if words.is_empty() { how } else { format!("{how}: {}", words.join(" ")) }
}
