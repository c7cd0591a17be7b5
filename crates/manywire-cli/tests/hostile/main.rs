//! Runs the commands on hostile input: they report an error in bounded memory, and no input makes
//! them panic.
//!
//! This is a separate test binary because it starts itself for each measured run: the peak memory
//! of a run includes that of the process that starts it, so that process must be small.
#![cfg(unix)]

mod command;
mod inputs;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use command::{Run, run_to, written};
use inputs::Hostile;

/// Separates the arguments in [`RUN_VARIABLE`].
const SEPARATOR: &str = "\n";

/// Names the environment variable with the arguments that [`run_in_small_process`] takes.
const RUN_VARIABLE: &str = "MANYWIRE_HOSTILE_RUN";

/// Runs the command on a file from a new process of this test binary.
///
/// Linux reports as the peak memory of a process at least the memory that its parent held when it
/// started the process. This process holds all inputs and runs other tests; the new one is small.
fn run_measured(arguments: &[&str], file: &Path) -> Run {
    let mut all = arguments.to_vec();
    all.push(file.to_str().expect("UTF-8"));
    let own = std::env::current_exe().expect("the path of this test");
    let output = Command::new(own)
        .args(["--ignored", "--exact", "run_in_small_process", "--nocapture"])
        .env(RUN_VARIABLE, all.join(SEPARATOR))
        .output()
        .expect("this test starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = printed.lines().find_map(|line| line.strip_prefix("measured: "));
    let line = line.unwrap_or_else(|| panic!("no figures of {all:?}: {printed}"));
    let (code, cpu_us, memory_bytes, stderr): (Option<i32>, u64, u64, String) =
        serde_json::from_str(line).expect("figures");
    Run { code, stderr, cpu: Duration::from_micros(cpu_us), memory_bytes }
}

/// Runs the command of [`RUN_VARIABLE`] and prints its figures as JSON.
#[test]
#[ignore = "started by run_measured"]
fn run_in_small_process() {
    let Ok(all) = std::env::var(RUN_VARIABLE) else { return };
    let all: Vec<&str> = all.split(SEPARATOR).collect();
    let (file, arguments) = all.split_last().expect("a file");
    let Run { code, stderr, cpu, memory_bytes } = run(arguments, Path::new(file));
    let figures = (code, u64::try_from(cpu.as_micros()).expect("short"), memory_bytes, stderr);
    println!("\nmeasured: {}", serde_json::to_string(&figures).expect("JSON"));
}

/// Runs the command on a file. The output is discarded, except for errors.
fn run(arguments: &[&str], file: &Path) -> Run {
    run_to(Stdio::null(), arguments, file)
}

/// The maximum memory for refusing hostile input, beyond that of a minimal run.
const MEMORY_BYTES_MAX: u64 = 16 << 20;

/// A CPU time that no refusal reaches on any machine, but that a quadratic scan of 100,000 levels
/// exceeds. The bench `hostile` measures the actual times.
const CPU_RUNAWAY: Duration = Duration::from_secs(10);

/// Writes the bombs in a separate process, because the memory of a process counts for the processes
/// that it starts.
#[test]
#[ignore = "started by the test below"]
fn write_bombs() {
    inputs::write_bombs(Path::new(env!("CARGO_TARGET_TMPDIR")));
}

fn bombs() -> Vec<Hostile> {
    let own = std::env::current_exe().expect("this test's own file");
    let made = Command::new(own).args(["--ignored", "--exact", "write_bombs"]).output();
    assert!(made.expect("this test again").status.success(), "the bombs are not made");
    inputs::bombs(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

#[test]
fn hostile_input_is_refused_in_bounded_memory() {
    let start = run_measured(&["explain", "--from", "json"], &written("start.json", b"1"));
    let mut worst = (Duration::ZERO, 0, String::new());
    for Hostile { name, extension, options, commands, bytes } in
        inputs::hostile().into_iter().chain(bombs())
    {
        let file = written(&format!("hostile.{extension}"), &bytes);
        for command in commands {
            let run = run_measured(&[command, &options[..]].concat(), &file);
            let label = format!("{}, {extension}, {name}", command.join(" "));
            // The walker does not count tags as containers, and does not decompress a block of an
            // unknown codec.
            let sound = ["nested tags", "a bomb in a block"].contains(&name);
            let sound_to_walk = sound && command[0] == "explain";
            assert!(
                run.code == Some(1) || sound_to_walk,
                "{label}: {:?}, {}",
                run.code,
                run.stderr
            );
            assert!(!run.stderr.is_empty() || command[0] == "explain", "{label}: no error");
            let cpu = run.cpu.saturating_sub(start.cpu);
            let memory = run.memory_bytes.saturating_sub(start.memory_bytes);
            println!("{label}: {} ms, {} KiB", cpu.as_millis(), memory >> 10);
            assert!(cpu < CPU_RUNAWAY, "{label}: {cpu:?}");
            // The peak memory is in bytes on Linux only.
            assert!(
                memory < MEMORY_BYTES_MAX || cfg!(not(target_os = "linux")),
                "{label}: {memory} bytes, {}",
                run.stderr
            );
            if cpu > worst.0 {
                worst = (cpu, memory, label);
            }
        }
        std::fs::remove_file(file).expect("the file goes");
    }
    println!("the longest: {worst:?}");
}

/// Commands that take any number of files, with options that select other code paths.
const OF_MANY: [&[&str]; 7] = [
    &["explain", "--top"],
    &["weigh", "--sizes-only"],
    &["shape"],
    &["shape", "--evidence"],
    &["shape", "--hold-out"],
    &["shape", "--as", "proto"],
    &["shape", "--as", "jsonschema"],
];

/// The values of `--from` for arbitrary bytes.
const FORMATS: [&str; 5] = ["json", "msgpack", "cbor", "bson", "protobuf"];

/// Commands that take a second file: a schema, or payloads to check.
const BESIDE: [&[&str]; 5] = [
    &["shape", USER, "--check"],
    &["shape", USER, "--as", "proto", "--lock"],
    &["shape", "--compat", USER],
    &["weigh", "--sizes-only", USER, "--schema"],
    &["explain", USER, "--from", "protobuf", "--schema"],
];

/// The maximum size of files that `weigh` reads in an explicit format. A text read as MessagePack
/// has one value for each byte, and each of a million values is measured.
const WEIGHED_BYTES_MAX: u64 = 100_000;

const USER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/user.json");

/// Runs the commands that `src/suite_tests.rs` does not cover on every file of the suites.
#[test]
fn no_file_makes_a_command_panic() {
    let Some(root) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return;
    };
    let files = files(Path::new(&root));
    assert!(files.len() > 400, "only {} files", files.len());
    let paths = |bytes_max: u64| -> Vec<&str> {
        let size = |file: &Path| std::fs::metadata(file).expect("a file of the suites").len();
        let some = files.iter().filter(|file| size(file) <= bytes_max);
        some.filter_map(|file| file.to_str()).collect()
    };
    let (all, small) = (paths(u64::MAX), paths(WEIGHED_BYTES_MAX));
    assert!(small.len() > 400, "only {} small files", small.len());
    for command in OF_MANY {
        for from in [None].into_iter().chain(FORMATS.map(Some)) {
            // Payloads in Protocol Buffers need a schema.
            if from == Some("protobuf") && command[0] != "explain" {
                continue;
            }
            let taken = if from.is_some() && command[0] == "weigh" { &small } else { &all };
            let (last, others) = taken.split_last().expect("files");
            let from: Vec<&str> = from.into_iter().flat_map(|from| ["--from", from]).collect();
            went_well(&[command, &from, others].concat(), Path::new(last));
        }
    }
    std::thread::scope(|scope| {
        for half in files.chunks(files.len().div_ceil(2)) {
            scope.spawn(|| {
                for (number, file) in half.iter().enumerate() {
                    went_well(BESIDE[number % BESIDE.len()], file);
                }
            });
        }
    });
    println!("{} files, no panic", files.len());
}

/// Runs a command, which may refuse its input but must not panic.
fn went_well(command: &[&str], file: &Path) {
    let run = run(command, file);
    let shown = &command[..command.len().min(6)];
    let label = format!("{} … {}", shown.join(" "), file.display());
    let known = run.code.is_some_and(|code| (0..=5).contains(&code));
    assert!(known, "{label}: {:?}\n{}", run.code, run.stderr);
    assert!(!run.stderr.contains("panicked at"), "{label}: {}", run.stderr);
}

/// Returns every file below a folder.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the suites") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
