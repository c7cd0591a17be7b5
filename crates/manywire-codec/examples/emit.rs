//! Writes documents as Protocol Buffers and Avro, with their schemas, so that other implementations
//! can read them.
//!
//! Usage: `emit FOLDER FILE…`. Each file is `.json`, or `.ndjson` with one payload a line. From
//! `events.ndjson` the program writes `events.proto` and `events.avsc`, and for each payload
//! `events.0.json`, `events.0.pb` and `events.0.avro`.

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use manywire_codec::{Codec, Limits, json};
use manywire_format::Format;
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Shape, Value, avro, proto};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().ok_or("usage: emit FOLDER FILE…")?;
    for file in arguments {
        emit(Path::new(&folder), Path::new(&file))?;
    }
    Ok(())
}

fn emit(folder: &Path, file: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let name = file.file_stem().and_then(OsStr::to_str).ok_or("the file has no name")?;
    let payloads: Vec<&str> = match file.extension() {
        Some(extension) if extension == "ndjson" => text.lines().collect(),
        _ => vec![&text],
    };
    let arena = Arena::new();
    let mut inference = Inference::new();
    let mut values = Vec::new();
    for payload in &payloads {
        let value = json::read_value(payload.as_bytes(), &arena, Limits::DEFAULT)?;
        inference.add(&value);
        values.push(value);
    }
    let shape = inference.shape();
    // Each document has its own package: readers register all messages of a process by name.
    let schema = proto::Schema::from_shape(&shape)?.to_proto(&name.replace('-', "_"));
    fs::write(folder.join(format!("{name}.proto")), schema)?;
    let schema = avro::Schema::from_shape(&shape)?.to_string();
    fs::write(folder.join(format!("{name}.avsc")), schema)?;
    for (index, (payload, value)) in payloads.iter().zip(&values).enumerate() {
        let path = |extension: &str| folder.join(format!("{name}.{index}.{extension}"));
        fs::write(path("json"), payload)?;
        fs::write(path("pb"), encode(Format::Protobuf, &shape, value)?)?;
        fs::write(path("avro"), encode(Format::Avro, &shape, value)?)?;
    }
    Ok(())
}

fn encode(format: Format, shape: &Shape, value: &Value<'_>) -> manywire_codec::Result<Vec<u8>> {
    let mut out = Vec::new();
    Codec::new(format, shape)?.encode(value, &mut out)?;
    Ok(out)
}
