//! The time of `manywire convert` and of other converters, as whole processes.
//!
//! ```text
//! cargo bench -p manywire-benches --bench convert             the table, as expected and as found
//! … --bench convert -- --megabytes 10                         of less input, on a slow machine
//! … --bench convert -- --smoke                                each command once, on little input
//! ```
//!
//! All programs of a task read the same bytes from a file on standard input, and their output is
//! discarded. They run in turns, round after round, and each round gives one ratio. The target is
//! to take no longer than any peer. The output of a peer is read back first. A peer that fails,
//! writes other values or is not installed is reported and skipped.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Instant;

use serde_json::Value;

use manywire_benches::peers::{Peer, TASKS, Task};
use manywire_benches::process;
use manywire_benches::statistics::{Ratio, median};

/// The size of the JSON to convert, in bytes.
const INPUT: usize = 50_000_000;

/// The number of runs of each program.
const ROUNDS: usize = 7;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let smoke = has("--smoke") || !has("--bench");
    let megabytes = arguments.iter().skip_while(|argument| *argument != "--megabytes").nth(1);
    let enough = megabytes.and_then(|number| number.parse::<usize>().ok()).map(|mb| mb * 1_000_000);
    match run(smoke, enough.unwrap_or(INPUT)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(smoke: bool, enough: usize) -> io::Result<()> {
    let Some(manywire) = process::manywire(smoke)? else {
        println!("skipped: the command is not built");
        return Ok(());
    };
    let folder = std::env::temp_dir().join(format!("manywire-convert-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let done = tables(&manywire, &folder, if smoke { (0, 1) } else { (enough, ROUNDS) });
    fs::remove_dir_all(&folder)?;
    done
}

fn tables(manywire: &Path, folder: &Path, (enough, rounds): (usize, usize)) -> io::Result<()> {
    let bench = Bench { manywire, folder, rounds };
    let events = fs::read(process::example("events.ndjson"))?;
    let sample = bench.documents("sample", &events)?;
    let lines = events.repeat(enough.div_ceil(events.len()).max(1));
    let all = bench.documents("all", &lines)?;
    println!("{:.1} MB of examples/events.ndjson, {rounds} rounds", lines.len() as f64 / 1e6);
    println!("\n| task | program | median | MB/s of input | time to ours | expected |");
    println!("|---|---|--:|--:|--:|---|");
    for task in TASKS {
        bench.task(task, sample.of(task), all.of(task))?;
    }
    Ok(())
}

/// The same values as a stream and as one array.
struct Documents {
    stream: PathBuf,
    whole: PathBuf,
}

impl Documents {
    fn of(&self, task: &Task) -> &Path {
        if task.whole { &self.whole } else { &self.stream }
    }
}

struct Bench<'b> {
    manywire: &'b Path,
    folder: &'b Path,
    rounds: usize,
}

impl Bench<'_> {
    fn task(&self, task: &Task, sample: &Path, json: &Path) -> io::Result<()> {
        let input = self.folder.join("input");
        output(self.ours("json", task.from), sample, File::create(&input)?)?;
        let expected = self.values(task, &input, self.ours(task.from, task.to))?;
        let mut peers = Vec::new();
        for peer in task.peers {
            let Some(version) = peer.installed() else {
                skipped(task, peer, "not installed");
                continue;
            };
            match self.values(task, &input, peer.command()) {
                Ok(values) if values == expected => peers.push((peer, version, Vec::new())),
                Ok(_) => skipped(task, peer, "writes other values"),
                Err(error) => skipped(task, peer, &error.to_string()),
            }
        }
        output(self.ours("json", task.from), json, File::create(&input)?)?;
        let mut ours = Vec::new();
        for _ in 0..self.rounds {
            ours.push(timed(self.ours(task.from, task.to), &input)?);
            peers.retain_mut(|(peer, _, times)| match timed(peer.command(), &input) {
                Ok(seconds) => {
                    times.push(seconds);
                    true
                }
                Err(error) => {
                    skipped(task, peer, &error.to_string());
                    false
                }
            });
        }
        let bytes = fs::metadata(&input)?.len() as f64;
        line(task, "manywire convert", &mut ours.clone(), bytes, "1", "");
        for (peer, version, mut times) in peers {
            let logs: Vec<f64> =
                times.iter().zip(&ours).map(|(theirs, ours)| (theirs / ours).ln()).collect();
            let ratio = Ratio::from_logs(&logs);
            let shown = format!("{:.2} ({:.2}–{:.2})", ratio.mean, ratio.low, ratio.high);
            let verdict = match self.rounds {
                1 => "tried",
                _ if ratio.low >= 1.0 => "≥ 1, met",
                _ if ratio.high >= 1.0 => "≥ 1, not decided",
                _ => "≥ 1, **not met**",
            };
            line(task, &format!("{} ({version})", peer.name), &mut times, bytes, &shown, verdict);
        }
        Ok(())
    }

    /// Returns the command `manywire convert` from one format to another.
    fn ours(&self, from: &str, to: &str) -> Command {
        let mut command = Command::new(self.manywire);
        command.args(["convert", "--from", from, "--to", to]);
        command
    }

    /// Returns the values that a command writes, for comparison. A whole number is the same with
    /// and without a decimal point.
    fn values(&self, task: &Task, input: &Path, command: Command) -> io::Result<Vec<Value>> {
        let (there, back) = (self.folder.join("there"), self.folder.join("back"));
        output(command, input, File::create(&there)?)?;
        output(self.ours(task.to, "json"), &there, File::create(&back)?)?;
        let text = fs::read(back)?;
        let values = serde_json::Deserializer::from_slice(&text).into_iter();
        let values: Result<Vec<Value>, _> = values.collect();
        Ok(values?.into_iter().map(with_floats).collect())
    }

    fn documents(&self, name: &str, lines: &[u8]) -> io::Result<Documents> {
        let lines = lines.trim_ascii_end();
        let items: Vec<&[u8]> = lines.split(|&byte| byte == b'\n').collect();
        let whole = [b"[", &items.join(&b","[..])[..], b"]"].concat();
        let stream = [lines, b"\n"].concat();
        Ok(Documents {
            stream: self.file(&format!("{name}.ndjson"), &stream)?,
            whole: self.file(&format!("{name}.json"), &whole)?,
        })
    }

    fn file(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

fn with_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Value::Array(items) => items.into_iter().map(with_floats).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, with_floats(value))).collect()
        }
        other => other,
    }
}

fn skipped(task: &Task, peer: &Peer, why: &str) {
    println!("| {} | {} | skipped: {} | | | |", task.name, peer.name, why.replace('\n', " "));
}

fn line(task: &Task, name: &str, times: &mut [f64], bytes: f64, ratio: &str, verdict: &str) {
    let median = median(times);
    let rate = bytes / median / 1e6;
    println!("| {} | {name} | {median:.3} s | {rate:.0} | {ratio} | {verdict} |", task.name);
}

/// Runs a command with a file as input and a file as output.
fn output(mut command: Command, input: &Path, output: File) -> io::Result<()> {
    let status = command.stdin(File::open(input)?).stdout(output).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(failed(&command, status)) }
}

/// Returns the seconds that a command takes with a file as input and its output discarded.
fn timed(mut command: Command, input: &Path) -> io::Result<f64> {
    command.stdin(File::open(input)?).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let seconds = start.elapsed().as_secs_f64();
    if status.success() { Ok(seconds) } else { Err(failed(&command, status)) }
}

fn failed(command: &Command, status: ExitStatus) -> io::Error {
    io::Error::other(format!("{} fails: {status}", command.get_program().display()))
}
