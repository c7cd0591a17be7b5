use std::io::{self, BufWriter, Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::LaunchError;
use super::{frame, process};
use crate::weigh::payload::Payload;

/// An answer holds some hundred bytes a payload and a batch; what claims more than this is none.
pub(super) const ANSWER_MAX: u32 = 256 << 20;

/// A worker that has answered has nothing left to do but free its memory.
pub(super) const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// How often to look whether the user has interrupted: seldom enough not to disturb a measurement.
pub(super) const INTERRUPT_POLL: Duration = Duration::from_millis(50);

/// How often to look whether a worker that has answered is gone.
pub(super) const EXIT_POLL: Duration = Duration::from_millis(1);

/// The words of a dead worker are at hand at once, unless somebody else holds its pipe.
pub(super) const COMPLAINT_LIMIT: Duration = Duration::from_secs(1);

/// Sends the job while reading the answer, so that neither side waits for a full pipe. The worker
/// has ended by the time this returns, by itself or killed.
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
        process::kill(child);
        return Err(LaunchError::Start("no pipes".to_owned()));
    };
    let (answer_sender, answer) = mpsc::channel();
    let (complaint_sender, complaint) = mpsc::channel();
    // These two own what they use: whoever inherited the worker's pipes cannot keep us waiting.
    thread::spawn(move || drop(answer_sender.send(frame::read(&mut stdout, ANSWER_MAX))));
    thread::spawn(move || drop(complaint_sender.send(beginning(stderr))));
    thread::scope(|scope| {
        // A worker that dies early breaks the pipe; its exit status says more than that error.
        scope.spawn(move || drop(send(stdin, job, payloads)));
        let end = wait(child, &answer, limit, interrupted);
        if end.is_err() {
            process::kill(child);
        }
        let (answer, status) = end?;
        if !status.success() {
            let words = complaint.recv_timeout(COMPLAINT_LIMIT).unwrap_or_default();
            return Err(LaunchError::Crashed(describe(status, &words)));
        }
        answer.map_err(garbage)
    })
}

/// The answer and how the worker ended; an error if it has to be killed.
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
                return Err(LaunchError::Garbage("nothing could be read".to_owned()));
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
    frame::write(&mut stdin, job)?;
    for payload in payloads {
        frame::write(&mut stdin, &payload.bytes)?;
    }
    stdin.flush()
}

/// How much of what a worker says on standard error is kept.
const COMPLAINT_MAX: u64 = 2_000;

/// The beginning of a text, where a panic has its message; the rest is read and forgotten.
pub(super) fn beginning(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth showing.
    drop(stderr.by_ref().take(COMPLAINT_MAX).read_to_end(&mut bytes));
    drop(io::copy(&mut stderr, &mut io::sink()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How a worker ended, and its first words.
pub(super) fn describe(status: ExitStatus, complaint: &str) -> String {
    let how = process::exit_text(status);
    let lines = complaint.lines().map(str::trim).filter(|line| !line.is_empty());
    // A panic says where on one line and why on the next.
    let words: Vec<&str> = lines.take(2).filter(|line| !line.starts_with("note:")).collect();
    if words.is_empty() { how } else { format!("{how}: {}", words.join(" ")) }
}
