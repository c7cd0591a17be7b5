//! The table of forms is consistent with itself, with that of formats, and with the lookups.

use std::path::Path;

use manywire_format::{Coding, FORMATS, FORMS, Form, Format, Framing, MediaType, Recognition};

#[test]
fn form_names_are_unique() {
    let mut names = Vec::new();
    for row in FORMS {
        for name in row.aliases.iter().chain([&row.name]) {
            assert_eq!(name.parse(), Ok(row.form), "{name}");
            names.push(*name);
        }
        assert_eq!(row.form.to_string(), row.name);
        assert_eq!(FORMS.iter().filter(|other| other.form == row.form).count(), 1, "{}", row.name);
    }
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
    let unknown = "json-seq".parse::<Form>().unwrap_err().to_string();
    assert!(unknown.starts_with("unknown format \"json-seq\": expected one of json, ndjson, "));
}

#[test]
fn every_format_has_a_form_with_its_name() {
    for row in FORMATS {
        for form in row.forms {
            assert_eq!(form.form.format, row.format, "{}", form.name);
        }
        assert_eq!(Form::of(row.format).name(), row.name);
        assert_eq!(row.name.parse(), Ok(Form::of(row.format)));
        for extension in row.extensions {
            assert_eq!(Form::from_extension(extension), Some(Form::of(row.format)));
        }
    }
}

#[test]
fn finds_form_and_coding_of_paths() {
    let lines = Form { format: Format::Json, framing: Framing::Lines };
    let cbor = Form { format: Format::Cbor, framing: Framing::Sequence };
    for (path, expected) in [
        ("a/b.ndjson", (Some(lines), None)),
        ("b.JSONL.gz", (Some(lines), Some(Coding::Gzip))),
        ("b.cborseq", (Some(cbor), None)),
        ("b.avro", (Some(Form::of(Format::Avro)), None)),
        ("b.zst", (None, Some(Coding::Zstd))),
        ("json", (None, None)),
        ("b.txt", (None, None)),
    ] {
        assert_eq!(Form::of_path(Path::new(path)), expected, "{path}");
    }
    assert!(Form::known_extensions(|_| true).contains(".ndjson, "));
    assert_eq!(Form::known_extensions(|form| form.framing == Framing::Lines), ".ndjson, .jsonl");
}

#[test]
fn finds_forms_of_media_types() {
    for (text, form) in [
        ("application/json; charset=utf-8", Some("json")),
        ("application/problem+json", Some("json")),
        ("application/x-msgpack", Some("msgpack")),
        ("application/protobuf; delimited=true", Some("protobuf-delimited")),
        ("application/x-protobuf", Some("protobuf")),
        ("application/avro", Some("avro")),
        ("application/x-ndjson", Some("ndjson")),
        ("application/jsonl", Some("ndjson")),
        ("application/cbor-seq", Some("cbor-seq")),
        ("text/event-stream", None),
        ("text/html", None),
    ] {
        let found = Form::from_media_type(&MediaType::parse(text).expect("a media type"));
        assert_eq!(found.map(Form::name), form, "{text}");
    }
    for (name, media_type) in [
        ("cbor", "application/cbor"),
        ("cbor-seq", "application/cbor-seq"),
        ("ndjson", "application/x-ndjson"),
        ("protobuf-delimited", "application/protobuf"),
    ] {
        let form: Form = name.parse().expect("a form");
        assert_eq!(form.media_type(), media_type);
    }
}

#[test]
fn every_format_has_one_usual_form_of_streams() {
    for row in FORMATS {
        let form = Form::stream_of(row.format).expect("a form");
        assert_ne!(form.framing, Framing::Single, "{}", row.name);
    }
    assert_eq!(Form::stream_of(Format::Json).map(Form::name), Some("ndjson"));
    assert_eq!(Form::stream_of(Format::Avro).map(Form::name), Some("avro"));
}

#[test]
fn finds_forms_by_their_mark() {
    for row in FORMS {
        let found = row.mark.map(|mark| Form::of_mark(&[mark, b"..."].concat()));
        assert!(found.is_none_or(|found| found == Some(row.form)), "{}", row.name);
        // A format that nothing else shows has a form with a mark.
        let format = row.form.format.row();
        let is_marked = Form::all_of(format.format)
            .any(|form| FORMS.iter().any(|row| row.form == form && row.mark.is_some()));
        assert!(is_marked || format.recognition != Recognition::Mark, "{}", format.name);
    }
    assert_eq!(Form::of_mark(b"Obj\x01").map(Form::name), Some("avro"));
    assert_eq!(Form::of_mark(b"Obj"), None);
}
