//! Sizes of a stream: their progress, and the payloads that they leave out.

use std::sync::atomic::AtomicBool;

use manywire_format::{Form, Format, Framing};
use manywire_tools::payload::{InputError, PayloadSource, Source};
use manywire_tools::weigh::measure::Outcome;
use manywire_tools::weigh::report::{ExactWord, Fidelity, Status};
use manywire_tools::weigh::{Options, Progress, SchemaText, stream};

#[derive(Default)]
struct Lines(Vec<String>);

impl Progress for Lines {
    fn say(&mut self, line: &str) {
        self.0.push(line.to_owned());
    }

    fn note(&mut self, line: &str) {
        self.say(line);
    }
}

#[test]
fn progress_has_a_total_if_the_size_is_known() {
    let text = "{\"a\":\"some text\"}\n".repeat(120_000);
    let source = Source::of_bytes("a.json", text.into_bytes());
    let sources = [PayloadSource::new(source, Form::of(Format::Json))];
    let options = Options { sizes_only: true, formats: vec![Format::Json], ..Options::default() };
    let mut lines = Lines::default();
    stream::sizes(&sources, &options, &mut lines, &AtomicBool::new(false)).expect("sizes");
    let last = lines.0.last().expect("a line");
    assert!(lines.0.iter().all(|line| line.ends_with(" of 2 MB")), "{:?}", lines.0);
    assert_eq!(last, "taking sizes: 2 of 2 MB");
}

/// Returns the sizes of lines that a schema requires to be records with a text.
fn sizes_by_schema(lines: &str) -> (Outcome, Vec<InputError>) {
    let avsc = r#"{"type":"record","name":"R","fields":[{"name":"a","type":"string"}]}"#;
    sizes_by(lines, ("r.avsc", avsc), Format::Avro)
}

/// Returns the sizes of lines in JSON and in another format by a schema, which has a name and a text.
fn sizes_by(lines: &str, (file, text): (&str, &str), format: Format) -> (Outcome, Vec<InputError>) {
    let form = Form { format: Format::Json, framing: Framing::Lines };
    let source = Source::of_bytes("a.ndjson", lines.as_bytes());
    let schema = SchemaText { file: file.to_owned(), text: text.to_owned(), message: None };
    let options = Options {
        sizes_only: true,
        formats: vec![Format::Json, format],
        schema: Some(schema),
        ..Options::default()
    };
    let sources = [PayloadSource::new(source, form)];
    stream::sizes(&sources, &options, &mut Lines::default(), &AtomicBool::new(false))
        .expect("sizes")
}

#[test]
fn a_stream_without_a_payload_of_the_schema_is_an_error() {
    let expected = "a.ndjson: 2 of 2 payloads do not fit the shape and are left out of every row; \
                    the first: a.ndjson:1: $.a: expected a string, found the integer 1; \
                    a.ndjson:3: $.a: expected a string, found the integer 2";
    let (outcome, errors) = sizes_by_schema("{\"a\":1}\n\n{\"a\":2}\n");
    assert_eq!(outcome.report.payload_count, 0);
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts, [expected]);
    // Each of the other payloads is a separate error.
    let (_, errors) = sizes_by_schema("{\"a\":1}\n{\"a\"}\n");
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].starts_with("a.ndjson: 1 of 1 payloads do not fit the shape"), "{texts:?}");
    assert!(texts[1].starts_with("a.ndjson:2:5: "), "{texts:?}");
    // If another payload is measured, a warning in the report names those that are left out.
    let (outcome, errors) = sizes_by_schema("{\"a\":1}\n{\"a\":\"text\"}\n");
    assert!(errors.is_empty(), "{errors:?}");
    let warning = &outcome.report.rows[0].warnings[0];
    assert!(warning.starts_with("1 of 2 payloads do not fit the shape"), "{warning}");
}

#[test]
fn lines_by_a_proto_are_proto_json() {
    let proto =
        "syntax = \"proto3\"; message R { int64 room_count = 1; bytes b = 2; double d = 3; }";
    let lines = "{\"room_count\":\"300\"}\n{\"b\":\"?\"}\n{\"b\":\"YQ==\",\"d\":null}\n";
    let (outcome, errors) = sizes_by(lines, ("r.proto", proto), Format::Protobuf);
    assert!(errors.is_empty(), "{errors:?}");
    let report = outcome.report;
    assert_eq!((report.payload_count, report.payloads[0].bytes), (2, 20 + 21));
    let warning = &report.rows[0].warnings[0];
    let expected = "the first: a.ndjson:2: $.b: expected bytes, found the string \"?\"";
    assert!(warning.ends_with(expected), "{warning}");
    // JSON has the text as it is. Each message has a tag, and a number of two bytes, or a length and a
    // byte.
    for (row, bytes) in report.rows.iter().zip([20 + 21, 3 + 3]) {
        let exact = Some(Fidelity::Exact(ExactWord::Exact));
        assert_eq!((row.size_bytes, &row.fidelity), (Some(bytes), &exact), "{}", row.format);
    }
    // A double does not hold the fraction, which is text in JSON.
    let lines = "{\"d\":\"0.1234567890123456789\"}\n";
    let (outcome, _) = sizes_by(lines, ("r.proto", proto), Format::Protobuf);
    let exact: Vec<bool> = outcome
        .report
        .rows
        .iter()
        .map(|row| row.fidelity == Some(Fidelity::Exact(ExactWord::Exact)))
        .collect();
    assert_eq!(exact, [true, false]);
}

#[test]
fn payloads_that_are_left_out_lose_nothing() {
    // A double does not hold the fraction.
    let rounded = "{\"a\":\"text\"}\n{\"a\":0.1234567890123456789}\n";
    let (outcome, errors) = sizes_by_schema(rounded);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(outcome.report.payload_count, 1);
    for row in &outcome.report.rows {
        let exact = Some(Fidelity::Exact(ExactWord::Exact));
        assert_eq!(row.fidelity, exact, "{}", row.format);
    }
}

#[test]
fn payloads_that_are_left_out_refuse_no_format() {
    // The second payload has bytes, which JSON cannot hold, in place of a text.
    let mut bytes = b"\xa1aadtext".to_vec();
    bytes.extend_from_slice(b"\xa1aaD\x01\x02\x03\x04");
    let source = Source::of_bytes("a.cborseq", bytes);
    let avsc = r#"{"type":"record","name":"R","fields":[{"name":"a","type":"string"}]}"#;
    let schema = SchemaText { file: "r.avsc".to_owned(), text: avsc.to_owned(), message: None };
    let form = Form { format: Format::Cbor, framing: Framing::Sequence };
    for formats in [[Format::Json, Format::Avro], [Format::Avro, Format::Json]] {
        let options = Options {
            sizes_only: true,
            formats: formats.to_vec(),
            schema: Some(schema.clone()),
            ..Options::default()
        };
        let sources = [PayloadSource::new(source.clone(), form)];
        let (outcome, errors) =
            stream::sizes(&sources, &options, &mut Lines::default(), &AtomicBool::new(false))
                .expect("sizes");
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(outcome.report.payload_count, 1);
        for row in &outcome.report.rows {
            assert_eq!(row.status, Status::Ok, "{}", row.format);
        }
    }
}

#[test]
fn payloads_that_cannot_be_read_are_counted() {
    let unreadable = "{\"a\"}\n".repeat(12);
    let (outcome, errors) = sizes_by_schema(&unreadable);
    assert_eq!(outcome.report.payload_count, 0);
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 11, "{texts:?}");
    assert!(texts[9].starts_with("a.ndjson:10:5: "), "{texts:?}");
    assert_eq!(texts[10], "a.ndjson: 2 more payloads could not be read");
    // If another payload is measured, the count is a warning in the report.
    let (outcome, errors) = sizes_by_schema(&format!("{unreadable}{{\"a\":\"text\"}}\n"));
    assert_eq!(errors.len(), 10, "{errors:?}");
    let warnings = &outcome.report.rows[0].warnings;
    assert_eq!(warnings[..], ["2 more payloads could not be read"]);
}

#[test]
fn empty_messages_are_payloads() {
    let source = Source::of_bytes("a.bin", vec![0, 0, 0]);
    let proto = "syntax = \"proto3\"; message R { string a = 1; }";
    let schema = SchemaText { file: "r.proto".to_owned(), text: proto.to_owned(), message: None };
    let options = Options {
        sizes_only: true,
        formats: vec![Format::Json, Format::Protobuf],
        schema: Some(schema),
        ..Options::default()
    };
    let form = Form { format: Format::Protobuf, framing: Framing::Delimited };
    let sources = [PayloadSource::new(source, form)];
    let (outcome, errors) =
        stream::sizes(&sources, &options, &mut Lines::default(), &AtomicBool::new(false))
            .expect("sizes");
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(outcome.report.payload_count, 3);
}
