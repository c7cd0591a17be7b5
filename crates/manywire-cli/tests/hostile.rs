//! Hostile input through the commands: an error that says what is wrong, soon and in little memory;
//! and no input makes one panic.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

/// What a run of the command took.
struct Run {
    code: Option<i32>,
    stderr: String,
    cpu: Duration,
    memory_bytes: u64,
}

/// Runs the command on a file. What it prints is thrown away, but for its errors.
fn run(arguments: &[&str], file: &Path) -> Run {
    let errors = tempfile(&format!("errors-{:?}", std::thread::current().id()));
    let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&errors).expect("a file for errors"))
        .spawn()
        .expect("the command starts");
    let used = child.wait4().expect("the command ends");
    let stderr = std::fs::read(&errors).expect("its errors");
    Run {
        code: used.status.code(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        cpu: used.rusage.utime + used.rusage.stime,
        memory_bytes: used.rusage.maxrss,
    }
}

fn tempfile(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// Every command that reads a file, with each option that takes another way through it.
const COMMANDS: [&[&str]; 13] = [
    &["explain"],
    &["explain", "--json"],
    &["explain", "--check"],
    &["explain", "--depth", "2", "--items", "3"],
    &["explain", "--at", "0"],
    &["weigh", "--sizes-only"],
    &["weigh", "--sizes-only", "--schema"],
    &["shape"],
    &["shape", "--as", "proto"],
    &["convert", "--to", "json"],
    &["convert", "--lossy", "--to", "msgpack"],
    &["convert", "--lossy", "--to", "avro"],
    &["convert", "--lossy", "--to", "bson"],
];

/// The formats that `--from` can be told for any bytes.
const FORMATS: [&str; 5] = ["json", "msgpack", "cbor", "bson", "protobuf"];

/// A BSON document in each other, 100,000 deep, with lengths that are right.
fn nested_bson(depth: usize) -> Vec<u8> {
    let mut reversed = vec![0, 0, 0, 0, 5];
    let mut length = 5_u32;
    for _ in 1..depth {
        reversed.extend([0, b'a', 3]);
        length += 8;
        reversed.extend(length.to_be_bytes());
    }
    reversed.reverse();
    reversed.extend(std::iter::repeat_n(0, depth - 1));
    reversed
}

/// Nesting of 100,000 levels, and lengths of 4 GB, as each format can say them.
fn hostile() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let deep = 100_000;
    let hex = |text: &str| -> Vec<u8> {
        let digits = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex");
        (0..text.len()).step_by(2).map(digits).collect()
    };
    let claim = |text: &str, rest: usize| [hex(text), vec![0x01; rest]].concat();
    vec![
        ("nested arrays", "json", [b"[".repeat(deep), b"]".repeat(deep)].concat()),
        ("nested objects", "json", b"{\"a\":".repeat(deep)),
        ("nested arrays", "msgpack", [vec![0x91; deep], vec![0xc0]].concat()),
        ("nested maps", "msgpack", b"\x81\xa1a".repeat(deep)),
        ("nested arrays", "cbor", [vec![0x81; deep], vec![0xf6]].concat()),
        ("nested arrays without lengths", "cbor", vec![0x9f; deep]),
        ("nested tags", "cbor", [vec![0xc6; deep], vec![0xf6]].concat()),
        ("nested documents", "bson", nested_bson(deep)),
        ("an array of 4 GB", "msgpack", claim("ddffffffff", 100)),
        ("a map of 4 GB", "msgpack", claim("dfffffffff", 100)),
        ("text of 4 GB", "msgpack", claim("dbffffffff", 100)),
        ("bytes of 4 GB", "msgpack", claim("c6ffffffff", 100)),
        ("an extension of 4 GB", "msgpack", claim("c9ffffffff05", 100)),
        ("an array of 4 GB", "cbor", claim("9b00000000ffffffff", 100)),
        ("a map of 2^63 entries", "cbor", claim("bb7fffffffffffffff", 100)),
        ("text of 4 GB", "cbor", claim("7b00000000ffffffff", 100)),
        ("bytes of 2^64", "cbor", claim("5bffffffffffffffff", 100)),
        ("a document of 2 GB", "bson", claim("ffffff7f", 100)),
        ("text of 2 GB", "bson", claim("0d000000026100ffffff7f0000", 0)),
    ]
}

/// What a command may take for refusing hostile input, beside what it takes to start. It is 50 ms
/// and 16 MB of the command as it is shipped; tests run it with less optimisation, on machines
/// that do other work.
const CPU_MAX: Duration = Duration::from_millis(500);
const MEMORY_BYTES_MAX: u64 = 16 << 20;

#[test]
fn hostile_input_is_refused_soon_and_in_little_memory() {
    let start = run(&["explain", "--from", "json"], &written("start.json", b"1"));
    let mut worst = (Duration::ZERO, 0, String::new());
    for (name, format, bytes) in hostile() {
        let file = written(&format!("hostile.{format}"), &bytes);
        let commands: [&[&str]; 5] = [
            &["explain", "--check"],
            &["weigh", "--sizes-only"],
            &["shape"],
            &["explain"],
            &["convert", "--to", "json"],
        ];
        for command in commands {
            let run = run(&[command, &["--from", format]].concat(), &file);
            let label = format!("{}, {format}, {name}", command.join(" "));
            let sound_to_walk = name == "nested tags" && command[0] == "explain";
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
            assert!(cpu < CPU_MAX, "{label}: {cpu:?}");
            assert!(memory < MEMORY_BYTES_MAX, "{label}: {memory} bytes");
            if cpu > worst.0 {
                worst = (cpu, memory, label);
            }
        }
        std::fs::remove_file(file).expect("the file goes");
    }
    println!("the longest: {worst:?}");
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = tempfile(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// Every file of the suites through every command, whatever it is.
#[test]
fn no_file_makes_a_command_panic() {
    let Some(root) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return;
    };
    let files = files(Path::new(&root));
    assert!(files.len() > 400, "only {} files", files.len());
    let runs: usize = std::thread::scope(|scope| {
        let halves = files.chunks(files.len().div_ceil(2));
        let threads: Vec<_> = halves.map(|half| scope.spawn(|| all_commands(half))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    println!("{} files, {runs} runs, no panic", files.len());
}

fn all_commands(files: &[PathBuf]) -> usize {
    let mut runs = 0;
    for (number, file) in files.iter().enumerate() {
        // One option and one format a file, in turn, beside what each file goes through.
        let from = ["explain", "--check", "--from", FORMATS[number % FORMATS.len()]];
        let commands = [COMMANDS[0], COMMANDS[5], COMMANDS[7], COMMANDS[10], &from];
        let in_turn = COMMANDS[number % COMMANDS.len()];
        for command in commands.into_iter().chain([in_turn]) {
            let run = run(command, file);
            let label = format!("{} {}", command.join(" "), file.display());
            assert!(
                run.code.is_some_and(|code| (0..=5).contains(&code)),
                "{label}: {:?}\n{}",
                run.code,
                run.stderr
            );
            assert!(!run.stderr.contains("panicked at"), "{label}: {}", run.stderr);
            runs += 1;
        }
    }
    runs
}

/// Every file below a folder.
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
