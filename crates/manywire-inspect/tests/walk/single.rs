//! Single values: valid ones have no fault, invalid ones have one, and the spans cover every byte.

use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, Summary, walk};

use crate::inputs::{self, Input, Known, formats};

/// The result of a walk.
struct Walk {
    faults: Vec<(usize, String)>,
    summary: Summary,
}

/// Walks the bytes and checks the invariants of every walk.
fn walked(label: &str, format: Format, bytes: &[u8]) -> Walk {
    walked_by(label, format, bytes, None)
}

/// Walks the bytes with a schema.
fn walked_by(label: &str, format: Format, bytes: &[u8], schema: Option<&Known>) -> Walk {
    let mut faults = Vec::new();
    let mut covered = 0;
    let mut unread = 0;
    let options = Options {
        schema: schema.map(Known::known),
        read_avro: Some(inputs::read_avro),
        ..Options::DEFAULT
    };
    let summary = walk(format, bytes, options, &mut |event| match event {
        Event::Span(span) if span.inside.is_some() => {}
        Event::Span(span) => {
            assert_eq!(span.bytes, &bytes[span.range.clone()], "{label}");
            assert_eq!(span.range.start, covered, "{label}: a gap or an overlap");
            assert!(span.range.end <= bytes.len() && span.range.start <= span.range.end, "{label}");
            assert!(span.head <= span.range.len(), "{label}");
            assert!(span.path.starts_with('$'), "{label}");
            assert_eq!(unread, 0, "{label}: a span after the unread bytes");
            covered = span.range.end;
            unread += usize::from(span.role == Role::Unread);
        }
        Event::Fault(fault) => {
            assert!(fault.inside.is_some() || fault.offset <= bytes.len(), "{label}");
            faults.push((fault.offset, fault.expected.to_string()));
        }
        Event::Remark(remark) => {
            assert!(remark.inside.is_some() || remark.offset < bytes.len(), "{label}");
        }
    });
    assert_eq!(covered, bytes.len(), "{label}: bytes at the end are missing");
    let Summary { keys, heads, values, unread, .. } = summary;
    assert_eq!(keys + heads + values + unread, bytes.len(), "{label}: {summary:?}");
    assert_eq!(summary.faults, faults.len(), "{label}");
    assert!(unread == 0 || !faults.is_empty(), "{label}: unread without a fault");
    Walk { faults, summary }
}

fn check(input: &Input) {
    let Input { label, format, bytes, valid, schema, .. } = input;
    let Walk { faults, summary } = walked_by(label, *format, bytes, schema.as_deref());
    match valid {
        Some(true) => {
            assert_eq!(faults, [], "{label}");
            // Fields that the schema does not name can be anything.
            let has_length = summary.minified_json.is_some();
            assert!(has_length || *format == Format::Protobuf, "{label}");
        }
        Some(false) => assert!(!faults.is_empty(), "{label}: no fault"),
        None => {}
    }
}

#[test]
fn vectors_have_faults_at_their_offsets() {
    for format in formats() {
        let vectors = inputs::vectors(format);
        assert!(vectors.len() > 50, "{format} has {} vectors", vectors.len());
        for input in &vectors {
            match &input.error {
                // The limits of the walkers differ from those of the codecs.
                Some((category, _)) if category == "limit" => {
                    walked_by(&input.label, format, &input.bytes, input.schema.as_deref());
                }
                Some((_, Some(offset))) => {
                    let schema = input.schema.as_deref();
                    let found = walked_by(&input.label, format, &input.bytes, schema).faults;
                    assert_eq!(
                        found.first().map(|fault| fault.0),
                        Some(*offset),
                        "{}",
                        input.label
                    );
                }
                _ => check(input),
            }
        }
    }
}

#[test]
fn suites_have_the_expected_validity() {
    inputs::suites().iter().for_each(check);
}

/// A message of the schema must also parse as a message without it.
#[test]
fn conformance_inputs_parse_without_a_schema() {
    let inputs = inputs::suites();
    let messages = inputs.iter().filter(|input| input.format == Format::Protobuf);
    for Input { label, bytes, .. } in messages.filter(|input| input.valid == Some(true)) {
        assert_eq!(walked(label, Format::Protobuf, bytes).faults, [], "{label}");
    }
}

#[test]
fn every_strict_prefix_has_a_fault() {
    let vectors = formats().into_iter().flat_map(inputs::vectors);
    for input in vectors.chain(inputs::suites()) {
        let Input { label, format, bytes, .. } = &input;
        // A prefix of a number can be a number, and a prefix of a message a message.
        let open = matches!(format, Format::Json | Format::Protobuf);
        if input.valid != Some(true) || bytes.len() > 4_096 || open {
            continue;
        }
        for length in 0..bytes.len() {
            let label = format!("{label}, first {length}");
            let found = walked_by(&label, *format, &bytes[..length], input.schema.as_deref());
            assert!(!found.faults.is_empty(), "{label}");
        }
    }
}

/// Less than the smallest document is left.
#[test]
fn a_document_cut_after_its_length_has_one_fault() {
    let Walk { faults, .. } = walked("a length", Format::Bson, b"\x14\0\0\0");
    assert_eq!(faults, [(0, "20 bytes of document, but only 4 are left".to_owned())]);
}

#[test]
fn every_strict_prefix_of_a_json_container_has_a_fault() {
    for input in inputs::vectors(Format::Json).into_iter().chain(inputs::suites()) {
        let Input { label, bytes, .. } = &input;
        let container = matches!(bytes.first(), Some(b'{' | b'['));
        if input.format != Format::Json || input.valid != Some(true) || !container {
            continue;
        }
        let length = bytes.trim_ascii_end().len();
        for length in 0..length {
            let label = format!("{label}, first {length}");
            assert!(!walked(&label, Format::Json, &bytes[..length]).faults.is_empty(), "{label}");
        }
    }
}

#[test]
fn changed_bytes_are_walked_to_the_end() {
    for format in formats() {
        for input in inputs::vectors(format) {
            if input.bytes.len() > 512 {
                continue;
            }
            let mut bytes = input.bytes.clone();
            for at in 0..bytes.len() {
                for change in [0x01, 0x10, 0x80, 0xff] {
                    bytes[at] ^= change;
                    walked_by(&input.label, format, &bytes, input.schema.as_deref());
                    walked(&input.label, format, &bytes);
                    bytes[at] ^= change;
                }
            }
        }
    }
}

/// Builds `depth` BSON documents in each other, the innermost empty.
fn nested_documents(depth: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for inside in (1..depth).rev() {
        bytes.extend((5 + 8 * inside as u32).to_le_bytes());
        bytes.extend(b"\x03a\0");
    }
    bytes.extend([5, 0, 0, 0, 0]);
    bytes.resize(bytes.len() + depth - 1, 0);
    bytes
}

/// Builds `depth` Protocol Buffers messages in each other. They are written from the inside out and
/// then reversed, because a length counts the content.
fn nested_messages(depth: usize) -> Vec<u8> {
    let mut reversed = Vec::new();
    for _ in 0..depth {
        let mut length = reversed.len();
        let mut varint = Vec::new();
        loop {
            let more = length > 0x7f;
            varint.push(length as u8 & 0x7f | u8::from(more) << 7);
            length >>= 7;
            if !more {
                break;
            }
        }
        reversed.extend(varint.iter().rev());
        reversed.push(0x0a);
    }
    reversed.reverse();
    reversed
}

/// Returns 1,000 containers in each other, and 100,000. The vectors have them, except in formats with
/// a length before the content, which no repetition can write.
fn nested(format: Format) -> (Vec<u8>, Vec<u8>) {
    let vector = |count: &str| {
        let begins = format!("{format} vector: {count} ");
        let mut vectors = inputs::vectors(format).into_iter();
        let found = vectors.find(|input| input.label.starts_with(&begins));
        found.unwrap_or_else(|| panic!("no {begins}containers in each other")).bytes
    };
    match format {
        Format::Bson => (nested_documents(1_000), nested_documents(100_000)),
        Format::Protobuf => (nested_messages(1_000), nested_messages(100_000)),
        _ => (vector("1,000"), vector("100,000")),
    }
}

#[test]
fn limits_nesting() {
    for format in formats().into_iter().filter(|format| *format != Format::Avro) {
        let label = format!("{format}, nested");
        let (shallow, deep) = nested(format);
        assert_eq!(walked(&label, format, &shallow).faults, [], "{label}");
        let found = walked(&label, format, &deep).faults;
        assert_eq!(found.len(), 1, "{label}: {found:?}");
        assert!(found[0].1.contains("1024 nested containers"), "{label}: {found:?}");
    }
    let tags = [vec![0xc5; 100_000], vec![0]].concat();
    assert_eq!(walked("tags", Format::Cbor, &tags).faults, []);
}

#[test]
fn avro_needs_its_schema() {
    let found = walked("avro", Format::Avro, &[2, 4]);
    assert_eq!(found.summary.unread, 2);
    assert!(found.faults[0].1.contains("schema"), "{:?}", found.faults);
}
