//! Processes that crash, hang, linger, flood or print invalid output: each failure has its own error,
//! the orchestrator does not wait, and no process remains.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use manywire_tools::weigh::launch::{Conversation, LaunchError};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A timeout that is long enough for a busy machine to start a shell.
const PATIENCE: Duration = Duration::from_secs(30);

/// The request that each process gets. It is larger than the buffer of a pipe, so writing to a
/// process that reads nothing blocks.
fn request() -> Vec<Vec<u8>> {
    vec![b"{}".to_vec(), vec![b' '; 1 << 20]]
}

/// Reads the whole request in a script, with the lengths of its frames.
const READ: &str = "head -c 1048586 > /dev/null";

/// Runs a shell script as a process that must respond with a boolean.
fn launch(script: &str, limit: Duration, interrupted: &AtomicBool) -> Result<bool, LaunchError> {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    let mut conversation = Conversation::start(command, 0, interrupted)?;
    conversation.send(request());
    let answer = conversation.receive(limit)?;
    conversation.finish()?;
    serde_json::from_slice(&answer).map_err(|error| LaunchError::InvalidAnswer(error.to_string()))
}

fn run(script: &str) -> Result<bool, LaunchError> {
    launch(script, PATIENCE, &NEVER)
}

#[test]
fn returns_the_answer() {
    assert_eq!(run(&format!(r"{READ}; printf '\000\000\000\004true'")), Ok(true));
    // The process need not read its whole input.
    assert_eq!(run(r"printf '\000\000\000\004true'"), Ok(true));
}

#[test]
fn failure_is_a_crash_with_its_message() {
    let error = run(&format!("{READ}; echo 'out of luck' >&2; exit 3")).unwrap_err();
    assert_eq!(error, LaunchError::Crashed("exit status: 3: out of luck".to_owned()));
    let error = run("printf 'panicked at a.rs:1:2:\nso\nnote: more' >&2; exit 101").unwrap_err();
    assert_eq!(error.to_string(), "crashed: exit status: 101: panicked at a.rs:1:2: so");
    // A failure after the response is still a failure.
    let error = run(r"printf '\000\000\000\004true'; exit 1").unwrap_err();
    assert_eq!(error, LaunchError::Crashed("exit status: 1".to_owned()));
}

#[test]
fn signal_is_a_crash_with_its_number() {
    assert_eq!(run("kill -9 $$").unwrap_err(), LaunchError::Crashed("signal 9".to_owned()));
    assert_eq!(run("kill -ABRT $$").unwrap_err(), LaunchError::Crashed("signal 6".to_owned()));
}

#[test]
fn invalid_frames_are_invalid_answers() {
    for (script, reason) in [
        ("exit 0", "expected the four bytes of a length, found 0"),
        ("printf ab", "expected the four bytes of a length, found 2"),
        ("echo hello world", "a frame that claims 1751477356 bytes"),
        (r"printf '\000\000\000\010true'", "a frame that ends after 4 of 8 bytes"),
        (r"printf '\000\000\000\004tree'", "expected"),
        (r"printf '\000\000\000\00217'", "invalid type: integer `17`"),
        // The process never stops printing, so the error follows the first frame.
        ("exec yes", "a frame that claims"),
    ] {
        match run(script) {
            Err(LaunchError::InvalidAnswer(found)) => {
                assert!(found.contains(reason), "{script}: {found}")
            }
            // The process may first notice the closed pipe.
            Err(LaunchError::Crashed(_)) if script == "exec yes" => {}
            other => panic!("{script}: {other:?}"),
        }
    }
}

#[test]
fn hung_process_is_killed_with_its_children() {
    let limit = Duration::from_millis(300);
    let deaf = format!("{READ}; trap '' TERM; sleep 60");
    for script in ["exec sleep 60", "sleep 60 & wait", &deaf] {
        let start = Instant::now();
        assert_eq!(launch(script, limit, &NEVER), Err(LaunchError::Hung(limit)), "{script}");
        assert!(start.elapsed() < Duration::from_secs(20), "{script}: {:?}", start.elapsed());
    }
}

#[test]
fn lingering_process_is_killed() {
    let start = Instant::now();
    let error = run(r"printf '\000\000\000\004true'; exec sleep 60").unwrap_err();
    assert!(matches!(error, LaunchError::Lingered(_)), "{error:?}");
    assert!(error.to_string().contains("did not exit"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
}

#[test]
fn flood_on_standard_error_is_dropped() {
    let flood = "yes 'a flood of words' | head -c 20000000 >&2";
    assert_eq!(run(&format!(r"{flood}; printf '\000\000\000\004true'")), Ok(true));
    let error = run(&format!("{flood}; exit 1")).unwrap_err();
    let text = "crashed: exit status: 1: a flood of words a flood of words";
    assert_eq!(error.to_string(), text);
}

#[test]
fn missing_program_is_named() {
    let answer = Conversation::start(Command::new("/nonexistent/worker"), 0, &NEVER);
    match answer {
        Err(LaunchError::Start(reason)) => assert!(reason.contains("/nonexistent/worker")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn interrupt_stops_the_process() {
    for script in ["exec sleep 60", r"printf '\000\000\000\004true'; exec sleep 60"] {
        let interrupted = AtomicBool::new(false);
        let start = Instant::now();
        let answer = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(300));
                interrupted.store(true, Ordering::Relaxed);
            });
            launch(script, PATIENCE, &interrupted)
        });
        assert_eq!(answer, Err(LaunchError::Interrupted), "{script}");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}

#[test]
fn leaves_no_zombie() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pid-{}", std::process::id()));
    for end in ["exit 0", "exit 1", "kill -9 $$", "exec sleep 60"] {
        let script = format!("echo $$ > '{}'; {end}", file.display());
        assert!(launch(&script, Duration::from_secs(2), &NEVER).is_err(), "{end}");
        let pid = std::fs::read_to_string(&file).expect("the process wrote its number");
        // A zombie would still accept the signal.
        let alive = Command::new("sh")
            .args(["-c", &format!("kill -0 {} 2> /dev/null", pid.trim())])
            .status();
        assert!(!alive.expect("a shell").success(), "{end}: {pid}");
    }
    std::fs::remove_file(file).expect("the file was there");
}
