//! The time of `manywire weigh` itself: seconds for a table, megabytes per second for sizes.
//!
//! ```text
//! cargo bench -p manywire-benches --bench weigh             the table, as expected and as found
//! cargo bench -p manywire-benches --bench weigh -- --smoke  each command once, on little input
//! ```
//!
//! There is no peer, so the targets are absolute. They hold for two cores of 2020 or later without
//! other load. The table is measured once. Each command for sizes runs three times and the best
//! counts, because other load can only make a command slower.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs, io};

use manywire_benches::process;

/// The size of the text whose sizes are measured, in bytes.
const STREAM: usize = 200_000_000;

/// The size of that text in a smoke run.
const STREAM_SMOKE: usize = 200_000;

/// One row of the table.
struct Line {
    what: String,
    expected: &'static str,
    found: String,
    met: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let smoke = has("--smoke") || !has("--bench");
    match run(smoke) {
        Ok(lines) => {
            println!("| command | expected | found | |\n|---|--:|--:|---|");
            for Line { what, expected, found, met } in lines {
                let met = if smoke {
                    "tried"
                } else if met {
                    "met"
                } else {
                    "**not met**"
                };
                println!("| {what} | {expected} | {found} | {met} |");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(smoke: bool) -> io::Result<Vec<Line>> {
    let Some(manywire) = process::manywire(smoke)? else {
        println!("skipped: the command is not built");
        return Ok(Vec::new());
    };
    let directory = env::temp_dir().join(format!("manywire-benches-weigh-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let lines = table(&manywire, smoke).and_then(|mut lines| {
        lines.extend(sizes(&manywire, &directory, smoke)?);
        Ok(lines)
    });
    fs::remove_dir_all(&directory)?;
    lines
}

/// Measures a whole table of one document.
fn table(manywire: &Path, smoke: bool) -> io::Result<Vec<Line>> {
    let people = process::example("people.json");
    let mut command = Command::new(manywire);
    command.arg("weigh").arg(people).args(["--json", "-"]);
    if smoke {
        command.args(["--quick", "--formats", "msgpack", "--time-limit", "1"]);
    }
    let start = Instant::now();
    let output = command.stderr(Stdio::inherit()).output()?;
    let seconds = start.elapsed().as_secs_f64();
    succeeded("weigh people.json", output.status)?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let rows = report["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let launches = rows.iter().filter_map(|row| row["launches"].as_u64()).max().unwrap_or(0);
    let each = seconds / launches.max(1) as f64;
    Ok(vec![
        Line {
            what: "weigh people.json: ten launches".to_owned(),
            expected: "< 12 s",
            found: format!("{:.1} s", each * 10.0),
            met: each * 10.0 < 12.0,
        },
        Line {
            what: format!("weigh people.json: each of {launches} launches"),
            expected: "< 1.2 s",
            found: format!("{each:.2} s"),
            met: each < 1.2,
        },
    ])
}

/// Measures the sizes of a long stream, including the inference of its shape.
fn sizes(manywire: &Path, directory: &Path, smoke: bool) -> io::Result<Vec<Line>> {
    let stream = directory.join("events.ndjson");
    let length = write_stream(&stream, if smoke { STREAM_SMOKE } else { STREAM })?;
    let cases = [
        ("json + msgpack", Some("json,msgpack"), "≥ 200 MB/s", 200.0),
        ("all formats", None, "≥ 50 MB/s", 50.0),
    ];
    cases
        .into_iter()
        .map(|(name, formats, expected, at_least)| {
            let mut best = f64::INFINITY;
            for _ in 0..if smoke { 1 } else { 3 } {
                let mut command = Command::new(manywire);
                command.arg("weigh").arg(&stream).args(["--sizes-only", "--coding", "none"]);
                command.args(formats.map(|formats| ["--formats", formats]).into_iter().flatten());
                let start = Instant::now();
                succeeded(name, command.stdout(Stdio::null()).status()?)?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            let rate = length as f64 / best / 1e6;
            Ok(Line {
                what: format!("weigh --sizes-only of {} MB of NDJSON: {name}", length / 1_000_000),
                expected,
                found: format!("{rate:.0} MB/s"),
                met: rate >= at_least,
            })
        })
        .collect()
}

/// Writes the example events repeatedly until the file is long enough. Returns its length.
fn write_stream(path: &PathBuf, enough: usize) -> io::Result<usize> {
    let events = fs::read(process::example("events.ndjson"))?;
    let times = enough.div_ceil(events.len());
    let mut file = io::BufWriter::new(fs::File::create(path)?);
    for _ in 0..times {
        file.write_all(&events)?;
    }
    file.flush()?;
    Ok(times * events.len())
}

fn succeeded(what: &str, status: std::process::ExitStatus) -> io::Result<()> {
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{what}: {status}"))) }
}
