use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::weigh::launch::{detach, exit_text, kill};

/// How a program ended that was run for what it does or prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Well: what it printed, standard error after standard output.
    Done(String),
    /// Not well: how, and its last words.
    Failed(String),
    /// The user interrupted.
    Interrupted,
}

/// How often to look whether it has ended.
const POLL: Duration = Duration::from_millis(10);

/// As much of its output as is kept.
const OUTPUT_MAX: usize = 1 << 20;

/// Lines of a failure that are shown from where it begins: what went wrong.
const FIRST_LINES: usize = 3;

/// And from where it ends: what came of it.
const LAST_LINES: usize = 3;

/// Whoever inherited its pipes does not keep us waiting for longer than this.
const PIPES_LIMIT: Duration = Duration::from_secs(2);

/// Runs a program to its end, or to the limit.
pub(super) fn run(mut command: Command, limit: Duration, interrupted: &AtomicBool) -> Ended {
    let program = command.get_program().to_string_lossy().into_owned();
    detach(&mut command);
    let started =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return Ended::Failed(format!("{program}: {error}")),
    };
    let outputs = [
        child.stdout.take().map(|pipe| collect(Box::new(pipe))),
        child.stderr.take().map(|pipe| collect(Box::new(pipe))),
    ];
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if interrupted.load(Ordering::Relaxed) => {
                kill(&mut child);
                return Ended::Interrupted;
            }
            Ok(None) if start.elapsed() > limit => {
                kill(&mut child);
                break Err(format!("not done within {limit:?}"));
            }
            Ok(None) => thread::sleep(POLL),
            Err(error) => break Err(error.to_string()),
        }
    };
    let printed: Vec<String> = outputs
        .into_iter()
        .flatten()
        .map(|output| output.recv_timeout(PIPES_LIMIT).unwrap_or_default())
        .collect();
    let printed = printed.join("\n");
    match status {
        Ok(status) if status.success() => Ended::Done(printed),
        Ok(status) => Ended::Failed(with_words(&exit_text(status), &printed)),
        Err(why) => Ended::Failed(with_words(&why, &printed)),
    }
}

fn collect(mut pipe: Box<dyn Read + Send>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept: Vec<u8> = Vec::new();
        let mut part = [0; 8192];
        while let Ok(count) = pipe.read(&mut part) {
            if count == 0 {
                break;
            }
            kept.extend_from_slice(&part[..count]);
            // The end of what a build prints says why it failed.
            if kept.len() > OUTPUT_MAX {
                kept.drain(..kept.len() - OUTPUT_MAX / 2);
            }
        }
        drop(sender.send(String::from_utf8_lossy(&kept).into_owned()));
    });
    receiver
}

fn with_words(how: &str, printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return how.to_owned();
    }
    let shown = if lines.len() <= FIRST_LINES + LAST_LINES {
        lines.join(" | ")
    } else {
        let (first, last) = (&lines[..FIRST_LINES], &lines[lines.len() - LAST_LINES..]);
        format!("{} | … | {}", first.join(" | "), last.join(" | "))
    };
    format!("{how}: {shown}")
}
