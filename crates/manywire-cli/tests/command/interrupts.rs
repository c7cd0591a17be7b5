//! Interrupts, broken workers, closed pipes and the time limit: partial results are still reported.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{Folder, example, manywire};

/// Starts the command as the leader of a process group, as a shell does.
fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("the command starts")
}

/// Sends a signal. A negative number addresses a process group, as a terminal does.
fn signal(name: &str, process: i64) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status();
    assert!(sent.expect("a shell").success(), "{name} {process}");
}

fn report(child: Child) -> (Option<i32>, serde_json::Value, String) {
    let output = child.wait_with_output().expect("the command ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let report =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    (output.status.code(), report, stderr)
}

#[test]
fn an_interrupt_reports_what_is_known_and_exits_130() {
    let (people, folder) = (example("people.json"), Folder::new());
    // The interrupt arrives during the examination of subjects and during their timing. It is sent
    // to the whole group, as by a terminal, and to the command alone.
    for (after, group) in [(Duration::from_millis(300), true), (Duration::from_secs(3), false)] {
        let child = start(&["weigh", &people, "--precise", "--json", "-"]);
        let process = i64::from(child.id());
        wait_for_worker(&child);
        thread::sleep(after);
        let sent = Instant::now();
        signal("INT", if group { -process } else { process });
        let (code, report, stderr) = report(child);
        assert_eq!(code, Some(130), "{stderr}");
        assert!(sent.elapsed() < Duration::from_secs(20), "{:?}", sent.elapsed());
        crate::output::assert_valid(&report);
        assert_eq!(report["interrupted"], true);
        let done = report["done"].as_str().expect("a text");
        let rows = report["rows"].as_array().unwrap().len();
        assert!(done.contains(&format!(" of {rows} rows have sizes")), "{done}");
        assert!(stderr.contains(done), "{stderr}");
        let baseline = folder.file("interrupted.json", report.to_string());
        let run = manywire(&["weigh", &people, "--sizes-only", "--baseline", &baseline]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
        let error = format!("{baseline}: interrupted, so this report is incomplete: {done}");
        assert!(run.stderr.contains(&error), "{}", run.stderr);
        for row in report["rows"].as_array().unwrap() {
            let status = row["status"].as_str().unwrap();
            assert!(!status.contains("crashed"), "{status}");
            let known = !row["size_bytes"].is_null();
            assert!(known || status != "ok", "{row}");
        }
    }
}

#[test]
fn the_text_of_an_interrupted_report_says_so() {
    let people = example("people.json");
    for (format, start_of_line) in [(&[][..], ""), (&["--markdown"], "> ")] {
        let child = start(&[&["weigh", &people, "--precise"], format].concat());
        wait_for_worker(&child);
        signal("INT", i64::from(child.id()));
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!(output.status.code(), Some(130));
        let text = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{start_of_line}interrupted, so this report is incomplete: ");
        assert!(text.starts_with(&expected), "{text}");
    }
}

/// A stream that is interrupted is reported as far as it was read.
#[test]
fn an_interrupted_stream_reports_its_first_payloads() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(["weigh", "-", "--from", "ndjson", "--sizes-only", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let feeder = thread::spawn(move || {
        let lines = "{\"a\":1}\n".repeat(1_000);
        while stdin.write_all(lines.as_bytes()).is_ok() {}
    });
    thread::sleep(Duration::from_secs(2));
    signal("INT", i64::from(child.id()));
    let (code, report, stderr) = report(child);
    feeder.join().expect("the feeder ends");
    assert_eq!(code, Some(130), "{stderr}");
    crate::output::assert_valid(&report);
    assert_eq!(report["interrupted"], true);
    assert!(report["payload_count"].as_u64() > Some(0), "{report}");
    assert!(stderr.contains("sizes are those of the first "), "{stderr}");
}

#[test]
fn a_complete_report_is_not_marked_as_interrupted() {
    let user = example("user.json");
    let report = manywire(&["weigh", &user, "--sizes-only", "--json", "-"]).json();
    assert_eq!((&report["interrupted"], &report["done"]), (&false.into(), &().into()));
}

#[test]
fn an_interrupted_trial_reports_its_launches() {
    let Some(lanes) = crate::trial::lanes_of(&[("one", "none")]) else { return };
    let (path, user) = (lanes.path(), example("user.json"));
    let cache = format!("{path}/cache");
    // A busy machine may not make a launch in the first seconds.
    for seconds in [3, 10, 30] {
        let child = Command::new(env!("CARGO_BIN_EXE_manywire"))
            .args(["trial", "--quick", &user, "--lanes", "one", "--formats", "json"])
            .args(["--launches", "500", "--json", "-"])
            .env("MANYWIRE_LANES", &path)
            .env("MANYWIRE_CACHE", &cache)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        thread::sleep(Duration::from_secs(seconds));
        signal("INT", i64::from(child.id()));
        let output = child.wait_with_output().expect("the command ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        let Ok(report) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
            assert!(stderr.contains("interrupted before the first launch"), "{stderr}");
            continue;
        };
        crate::trial::assert_valid(&report);
        let launches = report["pairs"][0]["launches"].as_u64().expect("a number");
        assert_eq!(report["interrupted"], true);
        let done = format!("{launches} of 500 launches of a client with a server were measured");
        assert_eq!(report["done"], done.as_str());
        assert!(stderr.contains(&done), "{stderr}");
        return;
    }
    panic!("no launch in 30 seconds");
}

/// Returns the child processes of a process.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<i64> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let child = |process: std::fs::DirEntry| {
        let number: i64 = process.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
        // The name in parentheses may contain any character. The state and the parent follow it.
        let after = stat.rsplit_once(") ")?.1;
        let mut words = after.split(' ');
        let (state, of) = (words.next()?, words.next()?);
        (state != "Z" && of == parent.to_string()).then_some(number)
    };
    processes.flatten().filter_map(child).collect()
}

/// Returns the first worker of a command, once it runs.
#[cfg(target_os = "linux")]
fn worker_of(command: &Child) -> i64 {
    let worker = (0..10_000).find_map(|_| {
        thread::sleep(Duration::from_millis(1));
        children(command.id()).first().copied()
    });
    worker.expect("a worker")
}

/// Waits until a command measures. From then on, it reports the results so far at an interrupt.
fn wait_for_worker(command: &Child) {
    #[cfg(target_os = "linux")]
    worker_of(command);
    #[cfg(not(target_os = "linux"))]
    {
        _ = command;
        thread::sleep(Duration::from_secs(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_subject_that_crashes_exits_4_and_the_others_finish() {
    // The payload is large enough that a worker is still running when the signal arrives.
    let hotels = std::fs::read_to_string(example("hotels.json")).expect("the document");
    let folder = Folder::new();
    let file = folder.file("many.json", format!("[{}]", vec![hotels; 200].join(",")));
    let child = start(&["weigh", &file, "--sizes-only", "--coding", "none", "--json", "-"]);
    // The worker is stopped first, so it cannot finish before it is killed.
    let worker = worker_of(&child);
    signal("STOP", worker);
    signal("KILL", worker);
    let (code, report, stderr) = report(child);
    assert_eq!(code, Some(4), "{stderr}");
    crate::output::assert_valid(&report);
    let rows = report["rows"].as_array().unwrap();
    let crashed: Vec<_> = rows.iter().filter(|row| row["status"] == "crashed: signal 9").collect();
    assert_eq!(crashed.len(), 1, "{report}");
    let others = rows.iter().filter(|row| row["status"] == "ok");
    assert!(others.clone().count() >= 6, "{report}");
    for row in others {
        assert!(row["size_bytes"].as_u64() > Some(0), "{row}");
    }
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let user = example("user.json");
    let sizes = ["weigh", &user, "--sizes-only"];
    for more in [&[][..], &["--json", "-"], &["--csv"], &["--markdown"]] {
        let mut child = start(&[&sizes[..], more].concat());
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!(output.status.code(), Some(0), "{more:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{more:?}");
    }
}

#[test]
fn a_time_limit_ends_with_a_partial_report() {
    let start = Instant::now();
    let run = manywire(&["weigh", &example("people.json"), "--time-limit", "1", "--json", "-"]);
    // Nine examinations precede the timing, and two launches are made regardless of the limit.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    crate::output::assert_valid(&report);
    for row in report["rows"].as_array().unwrap().iter().filter(|row| row["status"] == "ok") {
        let launches = row["launches"].as_u64().unwrap();
        assert!((2..10).contains(&launches), "{launches}");
        assert!(row["encode"]["ns"].as_f64().is_some(), "{row}");
        if row["encode"]["verdict"] == "inconclusive" {
            assert!(row["encode"]["more_launches"].as_u64() > Some(0), "{row}");
        }
    }
}
