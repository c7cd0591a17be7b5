//! Streams: the spans do not depend on how the bytes arrive.

use std::io::{self, Read};

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Role, Summary, detect, walk, walk_from};

use crate::inputs;

/// The parts of a span or a fault that the tests compare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    start: usize,
    end: usize,
    inside: Option<usize>,
    pub(crate) role: Option<Role>,
    pub(crate) path: String,
    pub(crate) text: String,
}

fn token(event: &Event<'_>) -> Option<Token> {
    match event {
        Event::Span(span) => Some(Token {
            start: span.range.start,
            end: span.range.end,
            inside: span.inside,
            role: Some(span.role),
            path: span.path.to_owned(),
            text: format!("{} {:?}", span.type_name, span.value),
        }),
        Event::Fault(fault) => Some(Token {
            start: fault.offset,
            end: fault.offset,
            inside: fault.inside,
            role: None,
            path: fault.path.to_owned(),
            text: fault.expected.to_string(),
        }),
        Event::Remark(_) => None,
    }
}

/// A reader that returns a given number of bytes at a time.
struct SlowReader<'b> {
    bytes: &'b [u8],
    each: usize,
}

impl Read for SlowReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.each.min(buffer.len()).min(self.bytes.len());
        buffer[..length].copy_from_slice(&self.bytes[..length]);
        self.bytes = &self.bytes[length..];
        Ok(length)
    }
}

fn options() -> Options<'static> {
    Options { read_avro: Some(inputs::read_avro), ..Options::DEFAULT }
}

/// Walks the bytes and checks the invariants of every walk.
pub(crate) fn walked(form: Form, bytes: &[u8], each: usize) -> (Vec<Token>, Summary) {
    let mut tokens = Vec::new();
    let mut covered = 0;
    let mut input = SlowReader { bytes, each };
    let walked = walk_from(&mut input, form, options(), &mut |event| {
        if let Event::Span(span) = &event
            && span.inside.is_none()
        {
            assert_eq!(span.range.start, covered, "a gap or an overlap");
            assert_eq!(span.bytes, &bytes[span.range.clone()]);
            covered = span.range.end;
        }
        tokens.extend(token(&event));
    });
    let summary = walked.expect("memory can be read");
    assert_eq!(covered, bytes.len(), "bytes at the end are missing");
    let Summary { keys, heads, values, unread, .. } = summary;
    assert_eq!(keys + heads + values + unread, bytes.len(), "{summary:?}");
    (tokens, summary)
}

fn streams() -> Vec<(Form, Vec<u8>, u64)> {
    let ndjson = b"{\"a\": 1}\n\n[2, {\"b\": null}]\r\n3\n\"x\"".to_vec();
    let concatenated = b"{\"a\": 1} [2]{}\n 17 ".to_vec();
    let msgpack = [&b"\x81\xa1a\x01"[..], b"\x92\x01\xa1b", b"\xc0"].concat();
    let cbor = [&b"\xa1\x61a\x01"[..], b"\x9f\x01\xff", b"\xc1\x1a\x00\x00\x00\x01"].concat();
    let bson = b"\x0c\0\0\0\x10a\0\x01\0\0\0\0".repeat(3);
    let delimited = [&b"\x03\x08\x96\x01"[..], b"\x00", b"\x05\x12\x03abc"].concat();
    let of = |format, framing| Form { format, framing };
    vec![
        (of(Format::Json, Framing::Lines), ndjson, 4),
        (of(Format::Json, Framing::Sequence), concatenated, 4),
        (of(Format::MsgPack, Framing::Sequence), msgpack, 3),
        (of(Format::Cbor, Framing::Sequence), cbor, 3),
        (of(Format::Bson, Framing::Sequence), bson, 3),
        (of(Format::Protobuf, Framing::Delimited), delimited, 3),
    ]
}

#[test]
fn numbers_the_values_of_a_stream() {
    for (form, bytes, count) in streams() {
        let (tokens, summary) = walked(form, &bytes, usize::MAX);
        assert_eq!(summary.faults, 0, "{form}: {tokens:?}");
        assert_eq!(summary.value_count, count, "{form}");
        let last = format!("$#{}", count - 1);
        assert!(tokens.iter().any(|token| token.path.starts_with(&last)), "{form}: {tokens:?}");
        let beyond = format!("$#{count}");
        assert!(!tokens.iter().any(|token| token.path.starts_with(&beyond)), "{form}");
    }
}

#[test]
fn spans_do_not_depend_on_the_read_size() {
    for (form, bytes, _) in streams() {
        // Longer than the first window.
        let bytes = bytes.repeat(20_000);
        let (all, _) = walked(form, &bytes, usize::MAX);
        for each in [1, 7, 64 * 1_024 + 1] {
            assert!(walked(form, &bytes, each).0 == all, "{form} by {each}");
        }
    }
}

#[test]
fn damaged_streams_are_walked_to_the_end() {
    for (form, bytes, _) in streams() {
        for length in 0..bytes.len() {
            walked(form, &bytes[..length], 5);
            let mut bytes = bytes.clone();
            for change in [0x01, 0x10, 0x80, 0xff] {
                bytes[length] ^= change;
                walked(form, &bytes, 5);
                bytes[length] ^= change;
            }
        }
    }
}

#[test]
fn a_fault_affects_only_its_value_if_the_next_is_found() {
    let lines = b"{\"a\": 1}\n{\"a\": }\n{\"a\": 3}\n";
    let (tokens, summary) =
        walked(Form { format: Format::Json, framing: Framing::Lines }, lines, 4);
    assert_eq!((summary.faults, summary.value_count), (1, 3));
    let fault = tokens.iter().find(|token| token.role.is_none()).expect("a fault");
    assert_eq!((fault.start, fault.path.as_str()), (15, "$#1.a"));
    assert!(tokens.iter().any(|token| token.path == "$#2.a"));
    let messages = b"\x02\x08\x01\x02\x0a\x05\x02\x08\x03";
    let form = Form { format: Format::Protobuf, framing: Framing::Delimited };
    let (tokens, summary) = walked(form, messages, 2);
    assert_eq!((summary.faults, summary.value_count), (1, 3), "{tokens:?}");
    // An invalid MessagePack value has no known end.
    let form = Form { format: Format::MsgPack, framing: Framing::Sequence };
    let (tokens, summary) = walked(form, b"\x91\x01\x91\xc1\x91\x02", 1);
    assert_eq!((summary.faults, summary.unread), (1, 3));
    assert_eq!(tokens.last().map(|token| token.path.as_str()), Some("$"));
}

/// In concatenated JSON, the walk continues after a fault only if the value has its own line.
#[test]
fn concatenated_values_may_be_lines_or_not() {
    let texts: [(&str, u64, &[&str]); 6] = [
        ("{\"a\": 1}\n\n {\"a\": }\n{\n\"a\": 3\n}\n[4] [5]\n\"x\\\"{\" \n6", 7, &["$#1.a"]),
        ("[1]\nnul\n}\n[2]", 4, &["$#1", "$#2"]),
        ("[1]\n[\n2,,\n]\n[3]\n", 2, &["$#1[1]"]),
        ("[1]\n[2] x [3]\n[4]\n", 3, &["$#2"]),
        ("[1]\n\"a\nb\"\n[2]\n", 2, &["$#1"]),
        ("[1]\n[2, \"]\"\n]\n{\"}\": 3}\n\n", 3, &[]),
    ];
    for (text, count, faults) in texts {
        let form = Form { format: Format::Json, framing: Framing::Sequence };
        let (tokens, summary) = walked(form, text.as_bytes(), 1);
        let found = tokens.iter().filter(|token| token.role.is_none());
        let found: Vec<&str> = found.map(|token| token.path.as_str()).collect();
        assert_eq!((found, summary.value_count), (faults.to_vec(), count), "{text:?}");
    }
}

/// A claimed length is neither trusted nor buffered.
#[test]
fn limits_the_length_of_stream_values() {
    let of = |format, framing| Form { format, framing };
    let long = [&b"["[..], &b"1, ".repeat(60_000)].concat();
    let claims = [
        (of(Format::Protobuf, Framing::Delimited), b"\xff\xff\xff\xff\x0f\x08\x01".to_vec()),
        (of(Format::Bson, Framing::Sequence), b"\xff\xff\xff\x7f\x10a\0".to_vec()),
        (of(Format::Json, Framing::Lines), long.clone()),
        (of(Format::Json, Framing::Sequence), long.clone()),
    ];
    for (form, bytes) in claims {
        let mut faults = Vec::new();
        let mut covered = 0;
        let options = Options { value_max: 100_000, ..Options::DEFAULT };
        walk_from(&mut &bytes[..], form, options, &mut |event| match event {
            Event::Span(span) => covered += span.bytes.len(),
            Event::Fault(fault) => faults.push(fault.expected.to_string()),
            Event::Remark(_) => {}
        })
        .expect("memory can be read");
        assert_eq!(faults, ["a value of no more than 100000 bytes"], "{form}");
        assert_eq!(covered, bytes.len(), "{form}");
    }
}

/// Only a truncated value can become valid with more bytes.
#[test]
fn faults_distinguish_truncated_from_invalid_bytes() {
    for format in [Format::MsgPack, Format::Cbor] {
        for input in inputs::vectors(format) {
            let early = |bytes: &[u8]| {
                let mut first = None;
                walk(format, bytes, Options::DEFAULT, &mut |event| {
                    if let (None, Event::Fault(fault)) = (first, event) {
                        first = Some(fault.ends_early);
                    }
                });
                first
            };
            match (&input.error, input.bytes.len()) {
                (None, 0..4_096) => {
                    for length in 0..input.bytes.len() {
                        let found = early(&input.bytes[..length]);
                        assert_eq!(found, Some(true), "{}, first {length}", input.label);
                    }
                }
                (Some((category, _)), _) if category == "eof" || category == "syntax" => {
                    let found = early(&input.bytes);
                    assert_eq!(found, Some(category == "eof"), "{}", input.label);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn detects_streams() {
    let all = inputs::formats();
    for (form, bytes, _) in streams() {
        let found = detect(&bytes, true, &all);
        // One document or number among the containers makes the sequence look invalid in other
        // formats.
        let scalars = matches!(form.format, Format::MsgPack | Format::Cbor)
            || form == Form { format: Format::Json, framing: Framing::Sequence };
        if !scalars {
            assert_eq!(found.likeliest(), form, "{found:?}");
            assert_eq!(detect(&bytes[..bytes.len() - 1], false, &all).likeliest(), form);
        }
    }
    let maps = b"\x81\xa1a\x01".repeat(3);
    let form = Form { format: Format::MsgPack, framing: Framing::Sequence };
    assert_eq!(detect(&maps, true, &all).likeliest(), form);
    assert_eq!(detect(&maps[..6], false, &all).likeliest(), form);
    let lines = b"{\"a\": 1}\n{\"a\": }\n{\"a\": 3}\n";
    let found = detect(lines, true, &all);
    let form = Form { format: Format::Json, framing: Framing::Lines };
    assert_eq!((found.fitting, found.furthest), (vec![], form), "one line is broken");
    let trailing = b"{\"a\": 1} x";
    let found = detect(trailing, true, &all);
    assert_eq!((found.fitting, found.furthest), (vec![], Form::single(Format::Json)));
}
