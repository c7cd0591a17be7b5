//! Avro container files, and what an Avro schema could claim without bytes.

use std::io;

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{Event, Options, Schema, walk};
use manywire_shape::avro::{Schema as Avro, SchemaBuilder, Type};

use crate::inputs;
use crate::streams::walked;

#[test]
fn container_files_are_walked_by_the_schema_they_carry() {
    let files = inputs::avro_files();
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let mut readings = Vec::new();
    for (path, bytes) in &files {
        let name = path.file_name().expect("a name").to_string_lossy();
        let (tokens, summary) = walked(form, bytes, 100);
        // From before version 1, when the header had no map.
        let is_old = name.ends_with(".avro12");
        let broken = is_old || name.contains("bad-union") || name.contains("truncated");
        assert_eq!(summary.faults > 0, broken, "{name}: {tokens:?}");
        assert_eq!(summary.value_count == 0, is_old, "{name}");
        if matches!(&*name, "weather.avro" | "weather-deflate.avro") {
            let values = tokens.into_iter().filter(|token| token.path.starts_with("$#"));
            let told = values.map(|token| (token.path, token.text)).collect::<Vec<_>>();
            readings.push((told, summary.minified_json));
        }
        for length in (0..bytes.len()).step_by(7) {
            let (_, summary) = walked(form, &bytes[..length], 64);
            assert!(length == 0 || summary.faults > 0 || !broken, "{name} cut to {length}");
        }
    }
    if !files.is_empty() {
        assert_eq!(readings.len(), 2, "weather.avro, packed and not");
        assert_eq!(readings[0], readings[1]);
        let (told, _) = &readings[0];
        assert_eq!(told.len(), 20, "five records, each with three fields: {told:?}");
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

/// A container file of one block.
fn container(schema: &str, codec: &str, count: i64, data: &[u8]) -> Vec<u8> {
    let text = |text: &str| [varint(text.len() as i64), text.as_bytes().to_vec()].concat();
    let metadata = [text("avro.schema"), text(schema), text("avro.codec"), text(codec)].concat();
    let block = [varint(count), varint(data.len() as i64), data.to_vec()].concat();
    [b"Obj\x01\x04".to_vec(), metadata, vec![0], vec![7; 16], block, vec![7; 16]].concat()
}

#[test]
fn blocks_are_held_to_what_they_say() {
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
    let lacking = faults(&container(long, "null", 3, b"\x02\x04"));
    assert!(lacking[0].starts_with("$#2 "), "{lacking:?}");
    let nulls = faults(&container("\"null\"", "null", i64::MAX, b""));
    assert!(nulls[0].contains("takes no bytes"), "{nulls:?}");
    let schema = faults(&container("\"no type\"", "null", 1, b"\x02"));
    assert!(schema[0].contains("a schema in the header"), "{schema:?}");
    let packed = faults(&container(long, "deflate", 1, b"\xff\xff"));
    assert!(packed[0].contains("deflate data"), "{packed:?}");
    let mut strange = container(long, "null", 1, b"\x02");
    let last = strange.len() - 1;
    strange[last] = 8;
    let strange = faults(&strange);
    assert!(strange[0].contains("the marker that the header ends with"), "{strange:?}");
}

#[test]
fn a_block_unpacks_to_no_more_than_is_allowed() {
    let mut encoder =
        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    io::Write::write_all(&mut encoder, &vec![2; 32 << 20]).expect("memory");
    let packed = encoder.finish().expect("memory");
    let bytes = container("\"long\"", "deflate", 32 << 20, &packed);
    let form = Form { format: Format::Avro, framing: Framing::Container };
    let (tokens, summary) = walked(form, &bytes, usize::MAX);
    assert_eq!(summary.faults, 1, "{tokens:?}");
    assert_eq!(summary.unread, packed.len());
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
fn what_takes_no_bytes_is_bounded() {
    let mut builder = SchemaBuilder::default();
    let null = builder.add(Type::Null);
    let nulls = builder.add(Type::Array(null));
    let nulls = builder.finish(nulls).expect("a schema");
    let claim = [varint(i64::MAX), vec![0]].concat();
    let found = avro_faults(&nulls, &claim);
    assert!(found[0].contains("takes no bytes"), "{found:?}");
    // 2^40 records in each other, and not a byte.
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
    assert!(found[0].contains("takes no bytes"), "{found:?}");
}
