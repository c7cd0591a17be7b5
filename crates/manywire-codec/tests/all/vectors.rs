//! The golden vectors of `vectors/`: each is read, written, or rejected as declared.

use crate::support::golden::Meaning;
use crate::support::{avsc, golden, protobuf_peer};
use manywire_codec::{Category, Limits, Result, avro, bson, cbor, json, msgpack, protobuf};
use manywire_shape::{Arena, Value, ValueSeed};

/// The functions of a format that read and write the values of its vectors, for one schema.
struct Codec {
    format: &'static str,
    read: for<'a> fn(&'a [u8], Option<&str>, &'a Arena) -> Result<Value<'a>>,
    write: fn(&Value<'_>, Option<&str>) -> Result<Vec<u8>>,
}

const CODECS: &[Codec] = &[
    Codec {
        format: "avro",
        read: |bytes, schema, arena| {
            // Names are borrowed from the plan, so it must live as long as the value.
            let plan = arena.alloc(avro_plan(schema));
            plan.decode_seed(&mut ValueSeed::new(arena), bytes, Limits::DEFAULT)
        },
        write: |value, schema| {
            let mut out = Vec::new();
            avro_plan(schema).encode(value, &mut out).map(|()| out)
        },
    },
    Codec {
        format: "bson",
        read: |bytes, _, arena| {
            let mut seed = ValueSeed::new(arena);
            bson::from_slice_seed(&mut seed, bytes, bson::TopLevel::Document, Limits::DEFAULT)
        },
        write: |value, _| bson::to_vec(value),
    },
    Codec {
        format: "cbor",
        read: |bytes, _, arena| {
            cbor::from_slice_seed(&mut ValueSeed::new(arena), bytes, Limits::DEFAULT)
        },
        write: |value, _| cbor::to_vec(value),
    },
    Codec {
        format: "json",
        read: |bytes, _, arena| json::read_value(bytes, arena, Limits::DEFAULT),
        write: |value, _| {
            let mut out = Vec::new();
            json::write_value(value, &mut out).map(|()| out)
        },
    },
    Codec {
        format: "msgpack",
        read: |bytes, _, arena| {
            msgpack::from_slice_seed(
                &mut ValueSeed::new(arena),
                bytes,
                msgpack::ExtraItems::Skipped,
                Limits::DEFAULT,
            )
        },
        write: |value, _| msgpack::to_vec(value),
    },
    Codec {
        format: "protobuf",
        read: |bytes, schema, arena| {
            let plan = arena.alloc(protobuf_plan(schema));
            plan.decode_seed(&mut ValueSeed::new(arena), bytes, Limits::DEFAULT)
        },
        write: |value, schema| {
            let mut out = Vec::new();
            protobuf_plan(schema).encode(value, &mut out).map(|()| out)
        },
    },
];

/// Compiles a plan for the first message of the `.proto`.
fn protobuf_plan(schema: Option<&str>) -> protobuf::Plan {
    let pool = protobuf_peer::compile(schema.expect("vectors of Protocol Buffers have schemas"));
    let file = pool.get_file_by_name("test.proto").expect("the file");
    let root = file.messages().next().expect("a message");
    protobuf::Plan::new(&protobuf_peer::schema_of(&root)).expect("a plan")
}

fn avro_plan(schema: Option<&str>) -> avro::Plan {
    let schema = schema.expect("vectors of Avro have schemas");
    avro::Plan::new(&avsc::read(schema).expect("a schema")).expect("a plan")
}

#[test]
fn every_vector_passes() {
    for codec in CODECS {
        let arena = Arena::new();
        for file in golden::files(codec.format, &arena) {
            for vector in &file.vectors {
                let place = format!("{}/{}: {}", codec.format, file.name, vector.name);
                let schema = vector.schema.or(file.schema);
                check(codec, schema, vector, &place);
            }
            println!("{}/{}: {} vectors", codec.format, file.name, file.vectors.len());
        }
    }
}

fn check(codec: &Codec, schema: Option<&str>, vector: &golden::Vector<'_>, place: &str) {
    let arena = Arena::new();
    let read = (codec.read)(&vector.bytes, schema, &arena);
    match &vector.meaning {
        Meaning::Value { value, written } => {
            match read {
                Ok(read) => assert!(read == *value, "{place}: read {read:?}"),
                Err(error) => panic!("{place}: {error:?}"),
            }
            let bytes = (codec.write)(value, schema).unwrap_or_else(|e| panic!("{place}: {e:?}"));
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
            assert_eq!(error.format().map(|format| format.name()), Some(codec.format), "{place}");
        }
    }
}

#[test]
fn every_folder_of_vectors_has_a_test() {
    for entry in std::fs::read_dir(golden::folder()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            let run = CODECS.iter().any(|codec| codec.format == name);
            assert!(run, "vectors/{name} has no codec in this test");
        }
    }
}
