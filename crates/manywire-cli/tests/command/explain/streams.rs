//! Streams of values.

use std::io::Write;
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use crate::run::peak_kib;
use crate::run::{Folder, manywire, manywire_reading};

#[test]
fn streams_are_walked_value_by_value() {
    let streams: [(&str, &[u8], &str); 5] = [
        ("ndjson", b"{\"a\": 1}\n{\"a\": 2}\n", "JSON"),
        ("msgpack-seq", b"\x81\xa1a\x01\x81\xa1a\x02", "MessagePack (map)"),
        ("cbor-seq", b"\xa1\x61a\x01\xa1\x61a\x02", "CBOR"),
        ("bson-seq", b"\x0c\0\0\0\x10a\0\x01\0\0\0\0\x0c\0\0\0\x10a\0\x02\0\0\0\0", "BSON"),
        ("protobuf-delimited", b"\x02\x08\x01\x02\x08\x02", "Protocol Buffers"),
    ];
    for (name, bytes, title) in streams {
        // The stream is recognised by content, and read by the name of its form.
        for more in [&[][..], &["--from", name]] {
            let run = manywire_reading(&[&["explain", "-"][..], more].concat(), bytes);
            assert_eq!(run.code, Some(0), "{name}: {}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains("$#1."), "{name}: {}", run.stdout);
            let total = format!("2 values, {} bytes of {title}", bytes.len());
            assert!(run.stdout.contains(&total), "{name}: {}", run.stdout);
        }
    }
}

#[test]
fn paths_select_one_value_or_all() {
    let bytes = "81 a1 61 01 81 a1 61 02";
    let offsets = |path: &str| -> Vec<u64> {
        let run = manywire(&["explain", bytes, "--json", "--path", path]);
        let lines = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        lines.filter_map(|line: serde_json::Value| line["offset"].as_u64()).collect()
    };
    assert_eq!(offsets("$.a"), [1, 3, 5, 7]);
    assert_eq!(offsets("$#1.a"), [5, 7]);
    assert_eq!(offsets("$#1"), [4, 5, 7]);
}

#[test]
fn an_invalid_line_does_not_affect_others() {
    let run =
        manywire_reading(&["explain", "-", "--check"], b"{\"a\": 1}\n{\"a\": }\n{\"a\": 3}\n");
    let found = run.stdout.lines().collect::<Vec<_>>();
    assert_eq!(found, ["byte 15, $#1.a: expected a value", "JSON: 3 values, 1 fault, 0 remarks"]);
    assert_eq!(run.code, Some(1));
}

/// Lines that are longer than the first bytes, by which the form is decided, and then values that are
/// no lines.
#[test]
fn the_form_of_json_does_not_depend_on_how_far_its_lines_reach() {
    let folder = Folder::new();
    let lines = "{\"a\": [1, 2, 3]}\n".repeat(8_000);
    for rest in ["{\n\"a\": []\n}\n{}\n", "{\"a\": []} {}\n"] {
        let file = folder.file("a.json", format!("{lines}{rest}"));
        let run = manywire(&["explain", &file, "--check"]);
        assert_eq!(run.stdout, "JSON: 8002 values, 0 faults, 0 remarks\n", "{}", run.stderr);
        let broken = folder.file("b.json", format!("{lines}{{\"a\": }}\n{lines}{rest}"));
        let run = manywire(&["explain", &broken, "--check"]);
        let fault = "byte 136006, $#8000.a: expected a value";
        assert_eq!(run.stdout, format!("{fault}\nJSON: 16003 values, 1 fault, 0 remarks\n"));
    }
}

/// The first value is longer than the first bytes, by which the form is decided, and then longer than
/// what a walk of one value buffers.
#[test]
fn values_after_a_long_one_are_walked() {
    let folder = Folder::new();
    let bson = |text: &str| {
        let length = u32::try_from(text.len()).expect("a short text");
        let (whole, inner) = ((length + 13).to_le_bytes(), (length + 1).to_le_bytes());
        [&whole[..], b"\x02a\0", &inner, text.as_bytes(), b"\0\0"].concat()
    };
    let text = "x".repeat(100);
    for count in [1_000_u16, 12_000] {
        let items = |head: &[u8]| [head, text.as_bytes()].concat().repeat(count.into());
        let count_be = count.to_be_bytes();
        let json = format!("[{}0]\n[2]\n3\n", format!("\"{text}\",").repeat(count.into()));
        let msgpack = [&b"\xdc"[..], &count_be, &items(b"\xd9\x64"), b"\x91\x02\x03"].concat();
        let cbor = [&b"\x99"[..], &count_be, &items(b"\x78\x64"), b"\x81\x02\x03"].concat();
        let bson = [bson(&text.repeat(count.into())), bson(""), bson("y")].concat();
        for (name, bytes, title) in [
            ("a.json", json.into_bytes(), "JSON"),
            ("a.msgpack", msgpack, "MessagePack (map)"),
            ("a.cbor", cbor, "CBOR"),
            ("a.bson", bson, "BSON"),
        ] {
            let run = manywire(&["explain", &folder.file(name, bytes), "--check"]);
            let expected = format!("{title}: 3 values, 0 faults, 0 remarks\n");
            assert_eq!((run.code, run.stdout), (Some(0), expected), "{name} {count}");
        }
    }
    let joined = format!("{}true", "1".repeat(100_000));
    let run = manywire(&["explain", &folder.file("joined.json", joined), "--check"]);
    assert!(run.stdout.starts_with("byte 100000, $: expected the end"), "{}", run.stdout);
}

/// Reads 24 MB from a pipe with a small part of that memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_stream() {
    let streams: [(&str, Vec<u8>); 3] = [
        ("ndjson", b"{\"id\": 17, \"name\": \"Homer\", \"tags\": [1, 2, 3]}\n".repeat(1_000)),
        ("msgpack-seq", b"\x82\xa2id\x11\xa4name\xa5Homer".repeat(2_000)),
        ("protobuf-delimited", b"\x09\x08\x11\x12\x05Homer".repeat(4_000)),
    ];
    for (name, chunk) in streams {
        let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
            .args(["explain", "-", "--top", "--from", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        let mut peak = 0;
        let mut written = 0;
        while written < 24 << 20 {
            pipe.write_all(&chunk).expect("the command reads on");
            written += chunk.len();
            peak = peak.max(peak_kib(child.id()));
        }
        drop(pipe);
        let output = child.wait_with_output().expect("the command ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(&format!("{written} bytes; ")), "{name}: {text}");
        assert!((1..4_900).contains(&peak), "{name}: {peak} KiB");
    }
}

/// Reads a document of 24 MB with the memory of one token.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_one_long_value() {
    const ITEMS: u32 = 600_000;
    let count = [&b"\xdd"[..], &ITEMS.to_be_bytes()].concat();
    let documents = [
        (
            "json",
            b"[0".to_vec(),
            &b", {\"id\": 17, \"name\": \"Homer\", \"a\": [1, 2]}"[..],
            &b"]"[..],
        ),
        (
            "msgpack",
            count,
            b"\x84\xa2id\x11\xa4name\xa5Homer\xa4tags\x93\x01\x02\x03\xa4half\xc0",
            b"",
        ),
        (
            "cbor",
            b"\x9f".to_vec(),
            b"\xbf\x62id\x11\x64name\x65Homer\x64tags\x83\x01\x02\x03\x64half\xf6\xff",
            b"\xff",
        ),
    ];
    for (name, begin, item, end) in documents {
        let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
            .args(["explain", "-", "--check", "--from", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        let chunk = item.repeat(1_000);
        pipe.write_all(&begin).expect("the command reads on");
        for _ in 0..ITEMS / 1_000 {
            pipe.write_all(&chunk).expect("the command reads on");
        }
        let peak = peak_kib(child.id());
        pipe.write_all(end).expect("the command reads on");
        drop(pipe);
        let output = child.wait_with_output().expect("the command ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.ends_with(": 0 faults, 0 remarks\n"), "{name}: {text}");
        assert!((1..4_900).contains(&peak), "{name}: {peak} KiB");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_walk() {
    let folder = Folder::new();
    let file = folder.file("long.ndjson", b"{\"a\": 1}\n".repeat(200_000));
    let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(["explain", &file])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("the command ends").code(), Some(0));
}
