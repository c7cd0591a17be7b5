//! A value longer than the buffer has the same spans as in one piece.

use std::io::{self, Read};

use manywire_format::{Form, Format};
use manywire_inspect::{Event, Options, Summary, walk, walk_from};

const RECORDS: usize = 4_000;

/// Builds a document with tokens of every kind and length at every position of a window.
fn json() -> Vec<u8> {
    let mut text = String::from(" [\n");
    for index in 0..RECORDS {
        let (escaped, spaces) = ("\\n\\u00e9}{".repeat(index % 7), " ".repeat(index % 5));
        text.push_str(&format!(
            "{{\"id\":{index}{spaces},\"ö, [\": \"{escaped}\",\"list\" : [1,-2.5e3 , true],\"o\":{{}}}},\n"
        ));
    }
    text.push_str(&format!(
        "\"{}\", {}]\n \n",
        "long, ]".repeat(30_000),
        "7,".repeat(60_000) + "1"
    ));
    text.into_bytes()
}

/// Builds the same in MessagePack, with some heads longer than necessary and a repeated key.
fn msgpack() -> Vec<u8> {
    let mut bytes = vec![0xdd];
    bytes.extend((RECORDS as u32 + 1).to_be_bytes());
    for index in 0..RECORDS {
        bytes.extend(b"\x84\xa2id\xce");
        bytes.extend((index as u32).to_be_bytes());
        bytes.extend(b"\xd9\x01s\xc4");
        bytes.push((index % 50) as u8);
        bytes.extend(vec![0xc1; index % 50]);
        bytes.extend(b"\xa1t\xd6\xff\0\0\0\x01\xa2id\x93\xc0\xca\0\0\0\0\xa2\xff\xfe");
    }
    bytes.extend([0xdb]);
    bytes.extend(200_000_u32.to_be_bytes());
    bytes.extend(vec![b'x'; 200_000]);
    bytes
}

/// Builds the same in CBOR, with definite and indefinite lengths and tags.
fn cbor() -> Vec<u8> {
    let mut bytes = b"\xd9\xd9\xf7\x9f".to_vec();
    for index in 0..RECORDS {
        bytes.extend(b"\xbf\x62id\x1a");
        bytes.extend((index as u32).to_be_bytes());
        bytes.extend(b"\x7f\x61a\x61b\xff\x58");
        bytes.push((index % 50) as u8);
        bytes.extend(vec![0xff; index % 50]);
        bytes.extend(b"\x82\x01\x02\xc1\xfb\0\0\0\0\0\0\0\0\xff");
    }
    bytes.push(0x7a);
    bytes.extend(200_000_u32.to_be_bytes());
    bytes.extend(vec![b'x'; 200_000]);
    bytes.push(0xff);
    bytes
}

/// Returns all of an event as text.
fn event_text(event: &Event<'_>) -> String {
    match event {
        Event::Span(span) => {
            let (range, role, path) = (&span.range, span.role, span.path);
            let (head, depth, entry, name) = (span.head, span.depth, span.entry, span.type_name);
            format!("{range:?} {head} {role:?} {depth} {entry} {path} {name} {:?}", span.value)
        }
        Event::Fault(fault) => {
            format!("{} {} expected {}", fault.offset, fault.path, fault.expected)
        }
        Event::Remark(remark) => format!("{} {} {}", remark.offset, remark.path, remark.message),
    }
}

struct SlowReader<'b>(&'b [u8], usize);

impl Read for SlowReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.1.min(buffer.len()).min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fn in_one_piece(format: Format, bytes: &[u8]) -> (Vec<String>, Summary) {
    let mut events = Vec::new();
    let options = Options { duplicate_keys: true, ..Options::DEFAULT };
    let summary = walk(format, bytes, options, &mut |event| events.push(event_text(&event)));
    (events, summary)
}

fn bit_by_bit(format: Format, bytes: &[u8]) -> (Vec<String>, Summary) {
    let mut events = Vec::new();
    let options = Options { duplicate_keys: true, buffer_max: 0, ..Options::DEFAULT };
    let mut input = SlowReader(bytes, 10_007);
    let summary = walk_from(&mut input, Form::single(format), options, &mut |event| {
        events.push(event_text(&event));
    });
    (events, summary.expect("memory can be read"))
}

fn documents() -> [(Format, Vec<u8>); 3] {
    [(Format::Json, json()), (Format::MsgPack, msgpack()), (Format::Cbor, cbor())]
}

#[test]
fn long_values_have_the_same_spans_in_pieces() {
    for (format, bytes) in documents() {
        assert!(bytes.len() > 5 << 16, "several windows of {format}");
        let (whole, parts) = (in_one_piece(format, &bytes), bit_by_bit(format, &bytes));
        let parting = whole.0.iter().zip(&parts.0).find(|(whole, part)| whole != part);
        assert_eq!(parting, None, "{format}");
        assert_eq!(whole, parts, "{format}");
        // Each size makes the windows end at other bytes.
        for shift in 1..6 {
            let shifted = match format {
                Format::Json => [&b"       "[..shift], &bytes].concat(),
                Format::MsgPack => {
                    [&[0x92][..], &[0xa5, 0, 0, 0, 0, 0][..1], &[b'a'; 5], &bytes].concat()
                }
                _ => [&[0x82, 0x60 + shift as u8][..], &[b'a'; 5][..shift], &bytes].concat(),
            };
            assert!(
                in_one_piece(format, &shifted) == bit_by_bit(format, &shifted),
                "{format} {shift}"
            );
        }
    }
}

/// A fault is reported once, at its offset, after the spans before it.
#[test]
fn invalid_long_values_are_walked_up_to_the_fault() {
    for (format, bytes) in documents() {
        let middle = bytes.len() / 3;
        let surplus = [&bytes[..], &b"0 ".repeat(70_000)].concat();
        let cut = bytes[..middle].to_vec();
        let mut damaged = bytes.clone();
        damaged[middle..middle + 40].fill(0x1c);
        for (what, broken) in [("surplus", surplus), ("cut", cut), ("damaged", damaged)] {
            let (whole, parts) = (in_one_piece(format, &broken), bit_by_bit(format, &broken));
            assert_eq!(whole.1.faults, parts.1.faults, "{format} {what}");
            assert!(whole.1.faults > 0, "{format} {what}");
            let same = whole.0.iter().zip(&parts.0).take_while(|(whole, part)| whole == part);
            // The unread bytes after the fault arrive in one piece per read.
            let rest = &parts.0[same.count()..];
            assert!(rest.iter().all(|event| event.contains("Unread")), "{format} {what}: {rest:?}");
            let counts = |summary: &Summary| {
                let Summary { keys, heads, values, unread, .. } = *summary;
                [keys, heads, values, unread]
            };
            assert_eq!(counts(&whole.1), counts(&parts.1), "{format} {what}");
        }
    }
}
