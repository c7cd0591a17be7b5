//! The golden vectors of `vectors/`: each is read, written, or rejected as declared.

use crate::support::golden::Meaning;
use crate::support::{golden, protobuf_peer, read_avro};
use manywire_codec::{Category, Limits, Result, avro, protobuf, read_value, write_value};
use manywire_format::{FORMATS, Format};
use manywire_shape::{Arena, Value, ValueSeed};

/// Returns the formats with vectors: all but records as arrays, which have the bytes of MessagePack.
fn formats() -> impl Iterator<Item = Format> {
    FORMATS.iter().map(|row| row.format).filter(|format| *format != Format::MsgPackArray)
}

/// Reads the bytes of a vector, by its schema if the format needs one.
fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    schema: Option<&str>,
    arena: &'a Arena,
) -> Result<Value<'a>> {
    let mut seed = ValueSeed::new(arena);
    match format {
        // Names are borrowed from the plan, so it must live as long as the value.
        Format::Protobuf => {
            arena.alloc(protobuf_plan(schema)).decode_seed(&mut seed, bytes, Limits::DEFAULT)
        }
        Format::Avro => {
            arena.alloc(avro_plan(schema)).decode_seed(&mut seed, bytes, Limits::DEFAULT)
        }
        _ => read_value(format, bytes, arena, Limits::DEFAULT),
    }
}

/// Writes the value of a vector, by its schema if the format needs one.
fn write(format: Format, value: &Value<'_>, schema: Option<&str>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match format {
        Format::Protobuf => protobuf_plan(schema).encode(value, &mut out)?,
        Format::Avro => avro_plan(schema).encode(value, &mut out)?,
        _ => write_value(format, value, &mut out)?,
    }
    Ok(out)
}

/// Compiles a plan for the first message of the `.proto`.
fn protobuf_plan(schema: Option<&str>) -> protobuf::Plan {
    let pool = protobuf_peer::compile(schema.expect("vectors of Protocol Buffers have schemas"));
    let file = pool.get_file_by_name("test.proto").expect("the file");
    let root = file.messages().next().expect("a message");
    protobuf::Plan::new(&protobuf_peer::schema_of(&root)).expect("a plan")
}

fn avro_plan(schema: Option<&str>) -> avro::Plan {
    let schema = schema.expect("vectors of Avro have schemas");
    avro::Plan::new(&read_avro(schema).expect("a schema")).expect("a plan")
}

#[test]
fn every_vector_passes() {
    for format in formats() {
        let arena = Arena::new();
        for file in golden::files(format.name(), &arena) {
            for vector in &file.vectors {
                let place = format!("{format}/{}: {}", file.name, vector.name);
                let schema = vector.schema.or(file.schema);
                check(format, schema, vector, &place);
            }
            println!("{format}/{}: {} vectors", file.name, file.vectors.len());
        }
    }
}

fn check(format: Format, schema: Option<&str>, vector: &golden::Vector<'_>, place: &str) {
    let arena = Arena::new();
    let read = read(format, &vector.bytes, schema, &arena);
    match &vector.meaning {
        Meaning::Value { value, written } => {
            match read {
                Ok(read) => assert!(read == *value, "{place}: read {read:?}"),
                Err(error) => panic!("{place}: {error:?}"),
            }
            let bytes = write(format, value, schema).unwrap_or_else(|e| panic!("{place}: {e:?}"));
            assert_eq!(bytes == vector.bytes, *written, "{place}: wrote {bytes:02x?}");
        }
        Meaning::Error { category, offset } => {
            let error = match read {
                Ok(read) => panic!("{place}: read {read:?}"),
                Err(error) => error,
            };
            let expected = match *category {
                "eof" => Category::Eof,
                "syntax" => Category::Syntax,
                "data" => Category::Data,
                "limit" => Category::Limit,
                other => panic!("{place}: no category is called {other}"),
            };
            assert_eq!(error.category(), expected, "{place}: {error:?}");
            if offset.is_some() {
                assert_eq!(error.offset(), *offset, "{place}: {error:?}");
            }
            assert_eq!(error.format(), Some(format), "{place}");
        }
    }
}

#[test]
fn every_folder_of_vectors_has_a_format() {
    for entry in std::fs::read_dir(golden::folder()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            let has_format = formats().any(|format| format.name() == name);
            assert!(has_format, "vectors/{name} has the name of no format with vectors");
        }
    }
}
