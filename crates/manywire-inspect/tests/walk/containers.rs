//! Avro container files, and Avro schemas that claim content without bytes.

use std::io;

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Schema, walk};
use manywire_shape::avro::{Schema as Avro, SchemaBuilder, Type};

use crate::inputs;
use crate::streams::walked;

#[test]
fn reads_container_files_with_their_own_schema() {
    let files = inputs::avro_files();
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let mut readings = Vec::new();
    for (path, bytes) in &files {
        let name = path.file_name().expect("a name").to_string_lossy();
        let (tokens, summary) = walked(form, bytes, 100);
        // This file is from before version 1, when the header had no map.
        let is_old = name.ends_with(".avro12");
        let broken = is_old || name.contains("bad-union") || name.contains("truncated");
        assert_eq!(summary.faults > 0, broken, "{name}: {tokens:?}");
        assert_eq!(summary.value_count == 0, is_old, "{name}");
        if name.starts_with("weather") && name != "weather-sorted.avro" {
            let values = tokens.into_iter().filter(|token| token.path.starts_with("$#"));
            let texts = values.map(|token| (token.path, token.text)).collect::<Vec<_>>();
            readings.push((texts, summary.minified_json));
        }
        // About two hundred cuts of a long file are enough.
        for length in (0..bytes.len()).step_by(7.max(bytes.len() / 200)) {
            let (_, summary) = walked(form, &bytes[..length], 64);
            assert!(length == 0 || summary.faults > 0 || !broken, "{name} cut to {length}");
        }
    }
    if !files.is_empty() {
        assert_eq!(readings.len(), 4, "weather.avro, as it is and by each packing");
        assert!(readings.iter().all(|reading| *reading == readings[0]), "{readings:#?}");
        let (texts, _) = &readings[0];
        assert_eq!(texts.len(), 20, "five records, each with three fields: {texts:?}");
    }
}

fn varint(number: i64) -> Vec<u8> {
    let mut bits = ((number << 1) ^ (number >> 63)).cast_unsigned();
    let mut bytes = Vec::new();
    while bits > 0x7f {
        bytes.push(bits as u8 | 0x80);
        bits >>= 7;
    }
    bytes.push(bits as u8);
    bytes
}

/// Builds a container file of one block.
fn container(schema: &str, codec: &str, count: i64, data: &[u8]) -> Vec<u8> {
    let text = |text: &str| [varint(text.len() as i64), text.as_bytes().to_vec()].concat();
    let metadata = [text("avro.schema"), text(schema), text("avro.codec"), text(codec)].concat();
    let block = [varint(count), varint(data.len() as i64), data.to_vec()].concat();
    [b"Obj\x01\x04".to_vec(), metadata, vec![0], vec![7; 16], block, vec![7; 16]].concat()
}

/// Returns the checksum after Snappy's data.
fn crc(unpacked: &[u8]) -> [u8; 4] {
    let mut sum = flate2::Crc::new();
    sum.update(unpacked);
    sum.sum().to_be_bytes()
}

/// The data 1 and 2, packed by the original libraries: libbzip2 and liblzma.
const BZIP2: &str = "425a68393141592653594cbe7351000000400014002000210082b1772453850904cbe73510";
const XZ: &str = "fd377a585a000004e6d6b4460200210116000000742fe5a30100010204000000aee66417377d12900001\
     1a02dc2ea57e1fb6f37d010000000004595a";

/// The same data with a request for a dictionary of 4 GB.
const XZ_OF_4_GB: &str = "fd377a585a000004e6d6b4460200210128000000e6a011b30100010204000000aee66417377d12900001\
     1a02dc2ea57e1fb6f37d010000000004595a";

fn hex(text: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("two hex digits a byte");
    (0..text.len()).step_by(2).map(digits).collect()
}

#[test]
fn unpacks_bzip2_and_xz_blocks() {
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let faults = |codec: &str, data: &[u8]| -> Vec<String> {
        let (tokens, _) = walked(form, &container("\"long\"", codec, 2, data), usize::MAX);
        tokens.into_iter().filter(|token| token.role.is_none()).map(|token| token.text).collect()
    };
    for (codec, good) in [("bzip2", hex(BZIP2)), ("xz", hex(XZ))] {
        assert_eq!(faults(codec, &good), [""; 0]);
        for length in 0..good.len() {
            let cut = faults(codec, &good[..length]);
            assert!(cut[0].contains(&format!("{codec} data: ")), "{length}: {cut:?}");
        }
        let surplus = faults(codec, &[&good[..], b"x"].concat());
        let expected =
            format!("the end of the {codec} data at the end of the block, not 1 bytes before it");
        assert!(surplus[0].contains(&expected), "{surplus:?}");
        for at in 0..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 0x10;
            assert!(!faults(codec, &damaged).is_empty(), "{codec}, byte {at}");
        }
    }
    let greedy = faults("xz", &hex(XZ_OF_4_GB));
    assert!(greedy[0].contains("xz data: "), "{greedy:?}");
}

#[test]
fn rejects_blocks_that_contradict_their_header() {
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let faults = |bytes: &[u8]| -> Vec<String> {
        let (tokens, _) = walked(form, bytes, usize::MAX);
        let faults = tokens.into_iter().filter(|token| token.role.is_none());
        faults.map(|token| format!("{} {}", token.path, token.text)).collect()
    };
    let long = "\"long\"";
    assert_eq!(faults(&container(long, "null", 2, b"\x02\x04")), [""; 0]);
    let surplus = faults(&container(long, "null", 1, b"\x02\x04"));
    assert!(surplus[0].contains("no more objects"), "{surplus:?}");
    let mut padded = container(long, "null", 1, b"\x02");
    let head = padded.len() - 16 - 1 - 2;
    padded.splice(head..=head, [0x82, 0]);
    let padded = faults(&padded);
    assert!(padded.len() == 1 && padded[0].contains("shortest varint"), "{padded:?}");
    let lacking = faults(&container(long, "null", 3, b"\x02\x04"));
    assert!(lacking[0].starts_with("$#2 "), "{lacking:?}");
    let nulls = faults(&container("\"null\"", "null", i64::MAX, b""));
    assert!(nulls[0].contains("zero-length values"), "{nulls:?}");
    let schema = faults(&container("\"no type\"", "null", 1, b"\x02"));
    assert!(schema[0].contains("a schema in the header"), "{schema:?}");
    let packed = faults(&container(long, "deflate", 1, b"\xff\xff"));
    assert!(packed[0].contains("deflate data"), "{packed:?}");
    // Builds the data 1 and 2 with their checksum. Each expected text is for another error.
    let good = [&b"\x02\x04\x02\x04"[..], &crc(b"\x02\x04")].concat();
    assert_eq!(faults(&container(long, "snappy", 2, &good)), [""; 0]);
    for (data, expected) in [
        (&b"\x02"[..], "Snappy data and a CRC-32 of 4 bytes, found 1 bytes"),
        (b"\x02\x04\x02\x04\0\0\0\0", "the CRC-32 of the unpacked data"),
        (b"\xff\xff\xff\x7f\0\0\0\0\0", "no more than"),
        (b"\xff\xff\x3f\0\0\0\0\0", "decompress to their stated length of 1048575 bytes"),
        (b"\x02\x08\x02\x04\0\0\0\0", "Snappy data: "),
    ] {
        let packed = faults(&container(long, "snappy", 2, data));
        assert!(packed[0].contains(expected), "{expected}: {packed:?}");
    }
    let frame = zstd::bulk::compress(b"\x02\x04", 3).expect("a frame");
    assert_eq!(faults(&container(long, "zstandard", 2, &frame)), [""; 0]);
    for data in [&frame[..frame.len() - 1], &[&frame[..], b"x"].concat(), b"\xff\xff"] {
        let packed = faults(&container(long, "zstandard", 2, data));
        assert!(packed[0].contains("Zstandard data (RFC 8878)"), "{packed:?}");
    }
    let mut strange = container(long, "null", 1, b"\x02");
    let last = strange.len() - 1;
    strange[last] = 8;
    let strange = faults(&strange);
    assert!(strange[0].contains("the sync marker of the header"), "{strange:?}");
}

#[test]
fn limits_the_size_of_unpacked_blocks() {
    // Longer than any block may be, whatever its ratio.
    let block = vec![2_u8; 2 * Options::DEFAULT.unpacked_max];
    let mut encoder =
        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    io::Write::write_all(&mut encoder, &block).expect("memory");
    let deflated = encoder.finish().expect("memory");
    let frame = zstd::bulk::compress(&block, 3).expect("memory");
    // Snappy data at 22:1 may be longer than other data, because they state their length.
    let mut snappy = snap::raw::Encoder::new().compress_vec(&block).expect("memory");
    snappy.extend([0; 4]);
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    io::Write::write_all(&mut bzip2, &block).expect("memory");
    let bzip2 = bzip2.finish().expect("memory");
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let packed =
        [("deflate", deflated), ("zstandard", frame), ("snappy", snappy), ("bzip2", bzip2)];
    for (codec, packed) in packed {
        let bytes = container("\"long\"", codec, block.len() as i64, &packed);
        let (tokens, summary) = walked(form, &bytes, usize::MAX);
        assert_eq!(summary.faults, 1, "{codec}: {tokens:?}");
        assert_eq!(summary.unread, packed.len(), "{codec}");
    }
}

fn avro_faults(schema: &Avro, bytes: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    let options = Options { schema: Some(Schema::Avro(schema)), ..Options::DEFAULT };
    walk(Format::Avro, bytes, options, &mut |event| {
        if let Event::Fault(fault) = event {
            faults.push(fault.expected.to_string());
        }
    });
    faults
}

#[test]
fn limits_zero_length_values() {
    let mut builder = SchemaBuilder::default();
    let null = builder.add(Type::Null);
    let nulls = builder.add(Type::Array(null));
    let nulls = builder.finish(nulls).expect("a schema");
    let claim = [varint(i64::MAX), vec![0]].concat();
    let found = avro_faults(&nulls, &claim);
    assert!(found[0].contains("zero-length values"), "{found:?}");
    // 2^40 nested records without a byte.
    let mut text = String::from(r#"{"type": "record", "name": "R0", "fields": []}"#);
    for level in 1..40 {
        let inner = level - 1;
        text = format!(
            r#"{{"type": "record", "name": "R{level}", "fields": [
                {{"name": "a", "type": {text}}}, {{"name": "b", "type": "R{inner}"}}]}}"#
        );
    }
    let records = inputs::read_avro(&text).expect("a schema");
    let found = avro_faults(&records, b"");
    assert!(found[0].contains("zero-length values"), "{found:?}");
}
