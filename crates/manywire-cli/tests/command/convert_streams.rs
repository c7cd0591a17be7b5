//! Streams through `manywire convert`: memory, closed pipes, interrupts, and output without delay.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::run::peak_kib;

/// A time limit that no run reaches unless the command ignores the interrupt.
const PATIENCE: Duration = Duration::from_secs(20);

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_manywire"))
        .arg("convert")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("the command starts")
}

/// Converts 64 MB with the memory of one window.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_stream() {
    let line =
        format!("{{\"id\":12345,\"text\":\"{}\",\"list\":[1,2.5,null,true]}}\n", "x".repeat(80));
    let chunk = line.repeat((1 << 20) / line.len());
    for to in ["msgpack", "json", "bson"] {
        let mut child = start(&["--to", to]);
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = child.stdout.take().expect("a pipe");
        let reader = std::thread::spawn(move || {
            std::io::copy(&mut stdout, &mut std::io::sink()).expect("output")
        });
        let mut early = 0;
        for megabyte in 0..64 {
            stdin.write_all(chunk.as_bytes()).expect("the command reads");
            if megabyte == 8 {
                early = peak_kib(child.id());
            }
        }
        let late = peak_kib(child.id());
        drop(stdin);
        assert!(child.wait().expect("the command ends").success());
        assert!(reader.join().expect("a reader") > 32 << 20);
        assert!(late < early + 512, "{to}: {early} KiB after 8 MB, {late} KiB after 64 MB");
        assert!(late < 8 << 10, "{to}: {late} KiB");
    }
}

/// Each of the four million values takes 24 bytes. They are on a stack until the end of the array, and
/// then in an arena, and must not be in both at once.
#[cfg(target_os = "linux")]
#[test]
fn a_long_array_is_in_memory_once() {
    const ITEMS: usize = 4 << 20;
    let text = format!("[{}1]", "1,".repeat(ITEMS - 1));
    let mut child = start(&["--to", "ndjson"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let feeder = std::thread::spawn(move || {
        stdin.write_all(text.as_bytes()).expect("the command reads");
        // A long value is parsed when twice its length has arrived.
        stdin.write_all(&b"\n".repeat(2 * text.len())).expect("the command reads");
        stdin
    });
    let mut line = String::new();
    stdout.read_line(&mut line).expect("text");
    assert_eq!(line.len(), 2 * ITEMS + 2);
    let peak = peak_kib(child.id());
    drop(feeder.join().expect("a feeder"));
    assert!(child.wait().expect("the command ends").success());
    assert!(peak < 190 << 10, "{peak} KiB");
}

#[test]
fn values_are_written_as_they_are_read() {
    let mut child = start(&["--to", "ndjson"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for value in ["[1]", "{\"a\":2}"] {
        writeln!(stdin, "{value}").expect("the command reads");
        let line = lines.next().expect("a line").expect("text");
        assert_eq!(line, value);
    }
    drop(stdin);
    assert!(child.wait().expect("the command ends").success());
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let mut child = start(&["--to", "ndjson"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    drop(child.stdout.take());
    let feeder = std::thread::spawn(move || {
        // Writes until the command closes its input.
        while stdin.write_all(&b"{\"a\":1}\n".repeat(1_000)).is_ok() {}
    });
    let status = child.wait().expect("the command ends");
    feeder.join().expect("a feeder");
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_interrupt_exits_130_with_whole_values() {
    // The interrupt arrives while the command waits for input, and while it works.
    for busy in [false, true] {
        let mut child = start(&["--to", "ndjson"]);
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdin.write_all(b"{\"a\":1}\n").expect("the command reads");
        // The command handles signals before it reads values.
        let mut text = String::new();
        stdout.read_line(&mut text).expect("text");
        let reader = std::thread::spawn(move || {
            stdout.read_to_string(&mut text).map(|_| text).expect("text")
        });
        let group = format!("kill -INT -{}", child.id());
        let (ends, ended) = channel::<()>();
        let feeder = std::thread::spawn(move || {
            while busy && stdin.write_all(&b"{\"a\":1}\n".repeat(1_000)).is_ok() {}
            // The pipe stays open until the command has ended.
            let _ = ended.recv_timeout(PATIENCE);
            drop(stdin);
        });
        let begun = Instant::now();
        assert!(Command::new("sh").args(["-c", &group]).status().expect("a shell").success());
        let status = child.wait().expect("the command ends");
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
        drop(ends);
        let text = reader.join().expect("a reader");
        feeder.join().expect("a feeder");
        assert_eq!(status.code(), Some(130), "busy: {busy}");
        assert!(!text.is_empty());
        if busy {
            assert!(text.split_terminator('\n').all(|line| line == "{\"a\":1}"));
        } else {
            assert_eq!(text, "{\"a\":1}\n");
        }
    }
}
