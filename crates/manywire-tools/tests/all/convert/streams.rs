//! Sequences of values, in every form that permits several.

use super::harness::{conversion, convert, form, run};
use manywire_codec::avro::container::Compression;
use manywire_format::FORMS;
use manywire_tools::convert::Conversion;
use manywire_tools::payload::Schema;

/// Returns records that every format can represent. A large count exceeds a window and a block.
fn lines(count: usize) -> Vec<u8> {
    let line = |index: usize| {
        let text = "x".repeat(index % 300);
        format!("{{\"id\":{index},\"name\":\"{text}\",\"list\":[{index},true],\"half\":0.5}}\n")
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

#[test]
fn streams_survive_every_format_and_back() {
    let lines = lines(5_000);
    assert!(lines.len() > 3 << 18, "several windows");
    for row in FORMS.iter().filter(|row| row.name != "protobuf") {
        for compression in Compression::ALL {
            if compression != Compression::Null && row.name != "avro" {
                continue;
            }
            let there = run(&Conversion { compression, ..conversion(&lines, "ndjson", row.name) });
            assert_eq!(there.failure(), "", "{}", row.name);
            assert_eq!(there.outcome.values, 5_000);
            let back = Conversion {
                schema: there.schema.filter(|_| row.form.needs_schema()),
                ..conversion(&there.bytes, row.name, "ndjson")
            };
            let back = run(&back);
            assert_eq!(back.failure(), "", "{}", row.name);
            assert!(back.bytes == lines, "{} and back", row.name);
        }
    }
}

/// Apache's sample file, uncompressed and in every supported compression.
#[test]
fn blocks_of_every_compression_have_the_same_values() {
    let Some(root) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return;
    };
    let folder = std::path::Path::new(&root).join("avro/data");
    let read = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).expect(name);
        String::from_utf8(convert(&bytes, "avro", "ndjson")).expect("text")
    };
    let plain = read("weather.avro");
    assert_eq!(plain.lines().count(), 5);
    for packing in ["deflate", "snappy", "zstd"] {
        assert_eq!(read(&format!("weather-{packing}.avro")), plain, "{packing}");
    }
}

/// The datums 1 and 2 as compressed by liblzma and libbzip2, which other writers of Avro files use.
#[test]
fn blocks_compressed_by_other_libraries_are_read() {
    let file = |codec: &str, data: &str| {
        let data: Vec<u8> = (0..data.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&data[at..at + 2], 16).expect("hex"))
            .collect();
        let text = |text: &str| [&[2 * text.len() as u8][..], text.as_bytes()].concat();
        let names = ["avro.schema", "\"long\"", "avro.codec", codec].map(text).concat();
        let block = [&[4, 2 * data.len() as u8][..], &data].concat();
        [b"Obj\x01\x04", &names[..], &[0], &[7; 16], &block, &[7; 16]].concat()
    };
    let xz = "fd377a585a000004e6d6b4460200210116000000742fe5a30100010204000000aee66417377d12900001\
        1a02dc2ea57e1fb6f37d010000000004595a";
    let bzip2 = "425a68393141592653594cbe7351000000400014002000210082b1772453850904cbe73510";
    assert_eq!(convert(&file("xz", xz)[..], "avro", "ndjson"), b"1\n2\n");
    assert_eq!(convert(&file("bzip2", bzip2)[..], "avro", "ndjson"), b"1\n2\n");
}

#[test]
fn values_of_a_stream_need_no_line_feeds() {
    let text = b"  {\"a\" : 1}{\"b\":\n[2, 3]}\n4 5\ttrue\"six\"[7]";
    let lines = "{\"a\":1}\n{\"b\":[2,3]}\n4\n5\ntrue\n\"six\"\n[7]\n";
    assert_eq!(String::from_utf8(convert(text, "json", "ndjson")).unwrap(), lines);
    assert_eq!(convert(b"", "json", "json"), b"");
    assert_eq!(convert(b" \n\n", "json", "cbor"), b"");
    assert_eq!(convert(b"12", "json", "cbor"), b"\x0c");
    // One value that spans several windows, and many values without a line feed.
    let long = format!("[{}0]", "1234567890,".repeat(200_000));
    assert!(convert(long.as_bytes(), "json", "json") == (long + "\n").into_bytes());
    let many = "{\"k\":\"}]\"}".repeat(100_000);
    assert_eq!(convert(many.as_bytes(), "json", "msgpack").len(), 100_000 * 6);
    let zeros = "0 ".repeat(400_000);
    assert_eq!(convert(zeros.as_bytes(), "json", "msgpack").len(), 400_000);
}

#[test]
fn an_error_in_the_middle_leaves_the_values_before_it() {
    let mut broken = lines(3_000);
    let whole = broken.len();
    broken.extend_from_slice(b"{\"id\":3000,\"name\":}\n{\"id\":3001}\n");
    let converted = run(&conversion(&broken, "ndjson", "msgpack"));
    assert_eq!(converted.outcome.values, 3_000);
    assert!(converted.bytes == convert(&broken[..whole], "ndjson", "msgpack"));
    let failure = converted.failure();
    assert!(failure.starts_with("input:3001:19: value 3001: expected a value"), "{failure}");

    let mut cut = convert(&broken[..whole], "ndjson", "msgpack");
    cut.pop();
    let converted = run(&conversion(&cut, "msgpack", "ndjson"));
    assert_eq!(converted.outcome.values, 2_999);
    let failure = converted.failure();
    let place = format!("input: byte {}: value 3000: ", cut.len() - 8);
    assert!(failure.starts_with("input: byte "), "{failure}, not {place}");
    assert!(failure.contains(": value 3000: "), "{failure}");
}

#[test]
fn every_strict_prefix_of_a_stream_is_refused_or_ends_between_values() {
    let value = b"{\"name\":\"abc\",\"list\":[1,2,3]}\n".repeat(2);
    for row in FORMS {
        let to = row.name;
        if to == "protobuf" || row.form.format.row().text {
            continue;
        }
        let there = run(&conversion(&value, "json", to));
        let schema = there.schema.filter(|_| row.form.needs_schema());
        let mut ends = 0;
        for length in 1..there.bytes.len() {
            let prefix = &there.bytes[..length];
            let back =
                run(&Conversion { schema: schema.clone(), ..conversion(prefix, to, "json") });
            match back.outcome.failure {
                None => ends += 1,
                Some(_) => assert!(back.outcome.values <= 1, "{to}, {length} bytes"),
            }
        }
        // The only valid end is between the two values, or between header and block of a container.
        assert_eq!(ends, 1, "{to}");
    }
}

#[test]
fn false_lengths_are_refused() {
    for (from, bytes, message) in [
        ("msgpack", &b"\xdb\xff\xff\xff\xffabc"[..], "claims 4294967295 bytes"),
        ("cbor", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01", "claims 18446744073709551615 items"),
        ("bson", b"\xff\xff\xff\x7f\x00", "byte 0"),
        ("bson", b"\x04\x00\x00\x00\x00", "byte 0"),
        ("bson", b"\xff\xff\xff\xff\x00", "byte 0"),
    ] {
        let converted = run(&conversion(bytes, from, "json"));
        assert!(converted.failure().contains(message), "{from}: {}", converted.failure());
    }
    let avro = convert(b"{\"a\":null}", "json", "avro");
    for (from, to) in [(0, 1_u8), (4, 0xFF), (avro.len() - 20, 0x7F), (avro.len() - 1, 1)] {
        let mut broken = avro.clone();
        broken[from] ^= to;
        let converted = run(&conversion(&broken, "avro", "json"));
        assert_ne!(converted.failure(), "", "byte {from}");
    }
    // A block that declares a huge number of records of zero bytes.
    let header = avro.len() - 16 - 2;
    let mut bomb = avro[..header].to_vec();
    bomb.extend_from_slice(b"\xfe\xff\xff\xff\xff\xff\x7f\x00");
    bomb.extend_from_slice(&avro[avro.len() - 16..]);
    let converted = run(&conversion(&bomb, "avro", "json"));
    assert!(converted.failure().contains("take no bytes"), "{}", converted.failure());
    assert_eq!(converted.outcome.values, 0);
}

/// White space of any length is not a value. A block with a compression ratio of a thousand is
/// refused.
#[test]
fn white_space_is_skipped_and_bombs_are_refused() {
    let spaces = [&b" ".repeat(4 << 20)[..], b"1", &b"\n".repeat(1 << 20)].concat();
    assert_eq!(convert(&spaces, "json", "json"), b"1\n");

    let text = format!("{{\"a\":\"{}\"}}", "x".repeat(16 << 20));
    let compression = Compression::Deflate;
    let there = run(&Conversion { compression, ..conversion(text.as_bytes(), "json", "avro") });
    assert_eq!(there.failure(), "");
    assert!(there.bytes.len() < 40_000, "{}", there.bytes.len());
    let back = run(&conversion(&there.bytes, "avro", "json"));
    assert!(back.failure().contains("go beyond 200 for each coded byte"), "{}", back.failure());
}

/// A block whose beginning is a bomb is refused there, even if its incompressible rest brings the
/// ratio of the whole block within the limit. Snappy cannot reach the limit, and bzip2 reads noise
/// and bomb together because it sorts both in one block of its own.
#[test]
fn the_ratio_of_a_block_is_checked_while_it_is_read() {
    let mut random = fastrand::Rng::with_seed(7);
    let noise: String = (0..1 << 18).map(|_| random.alphanumeric()).collect();
    let text = format!("{{\"a\":\"{}{noise}\"}}", "x".repeat(16 << 20));
    for compression in [Compression::Deflate, Compression::Zstandard, Compression::Xz] {
        let there = run(&Conversion { compression, ..conversion(text.as_bytes(), "json", "avro") });
        assert_eq!(there.failure(), "", "{}", compression.name());
        assert!(there.bytes.len() * 200 > text.len(), "{}", compression.name());
        let back = run(&conversion(&there.bytes, "avro", "json")).failure();
        let name = compression.name();
        assert!(back.contains("go beyond 200 for each coded byte"), "{name}: {back}");
    }
}

#[test]
fn an_empty_message_is_a_value() {
    let schema =
        manywire_schema::read("a.proto", "syntax = \"proto3\"; message A { int32 a = 1; }", None);
    let schema = Some(schema.expect("a schema").into());
    let empty = Conversion { schema, ..conversion(b"", "protobuf", "json") };
    assert_eq!(run(&empty).bytes, b"{\"a\":0}\n");
    assert_eq!(form("protobuf").name(), "protobuf");
}

/// A reader would take the empty output for a message.
#[test]
fn no_value_does_not_become_one() {
    let schema =
        manywire_schema::read("a.proto", "syntax = \"proto3\"; message A { int32 a = 1; }", None);
    let schema = Schema::from(schema.expect("a schema"));
    for row in FORMS {
        for lossy in [false, true] {
            let schema = Some(schema.clone());
            let empty = Conversion { schema, lossy, ..conversion(b" \n", "json", row.name) };
            let expected = match row.name {
                "protobuf" | "avro-datum" => {
                    format!(
                        "input: the input has no values, and the form {} has exactly one",
                        row.name
                    )
                }
                _ => String::new(),
            };
            let converted = run(&empty);
            assert_eq!((converted.failure(), converted.outcome.values), (expected, 0));
        }
    }
}

/// A datum without bytes is a value if the schema has such datums, and a missing one otherwise. A
/// sequence may have no datums.
#[test]
fn a_datum_without_bytes_is_read_by_its_schema() {
    let empty = |schema: &str, from: &str| {
        let schema = manywire_schema::read("a.avsc", schema, None).expect("a schema");
        run(&Conversion { schema: Some(schema.into()), ..conversion(b"", from, "json") })
    };
    let record = r#"{"type":"record","name":"A","fields":[{"name":"a","type":"null"}]}"#;
    for (schema, json) in [(r#""null""#, "null\n"), (record, "{\"a\":null}\n")] {
        let converted = empty(schema, "avro-datum");
        assert_eq!(converted.failure(), "", "{schema}");
        assert_eq!(converted.bytes, json.as_bytes(), "{schema}");
    }
    let converted = empty(r#""long""#, "avro-datum");
    assert!(converted.failure().contains("a long"), "{}", converted.failure());
    assert_eq!(converted.bytes, b"");
    let converted = empty(r#""long""#, "avro-datum-seq");
    assert_eq!((converted.failure().as_str(), &converted.bytes[..]), ("", &b""[..]));
}

/// Inference chooses a type of Avro that holds unsigned integers above the range of a `long`.
#[test]
fn large_unsigned_integers_survive_avro() {
    let json = b"{\"a\":18446744073709551615,\"b\":1}\n{\"a\":0,\"b\":2}\n";
    for form in ["avro", "avro-datum-seq"] {
        let there = run(&conversion(json, "ndjson", form));
        assert_eq!(there.failure(), "", "{form}");
        let schema = there.schema;
        let back = run(&Conversion { schema, ..conversion(&there.bytes, form, "ndjson") });
        assert_eq!(back.failure(), "", "{form}");
        assert_eq!(back.bytes, json, "{form}");
    }
}
