//! JSON Lines: an object for each event, as `docs/explain.schema.json` describes it.

use std::fmt;
use std::io::{self, Write};

use manywire_inspect::{Event, Fault, Remark, display};
use manywire_shape::Value;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// An event as a JSON object. The members are sorted by name.
#[derive(Serialize)]
struct EventObject<'e> {
    #[serde(serialize_with = "hex", skip_serializing_if = "Option::is_none")]
    bytes: Option<&'e [u8]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<usize>,
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'e str>,
    offset: usize,
    path: &'e str,
    role: &'e str,
    #[serde(rename = "type")]
    description: fmt::Arguments<'e>,
    #[serde(serialize_with = "notation", skip_serializing_if = "Option::is_none")]
    value: Option<Value<'e>>,
}

/// Writes an event as one line. `number` is the number that the event completes together with
/// earlier ones.
pub(crate) fn write(
    event: &Event<'_>,
    number: Option<&str>,
    writer: &mut dyn Write,
) -> io::Result<()> {
    match event {
        Event::Span(span) => line(
            writer,
            &EventObject {
                bytes: Some(span.bytes),
                inside: span.inside,
                length: span.range.len(),
                number,
                offset: span.range.start,
                path: span.path,
                role: span.role.name(),
                description: span.type_name,
                value: span.value,
            },
        ),
        Event::Fault(Fault { offset, inside, path, expected, .. }) => write_message(
            writer,
            "fault",
            (*offset, *inside),
            path,
            format_args!("expected {expected}"),
        ),
        Event::Remark(Remark { offset, inside, path, message }) => {
            write_message(writer, "remark", (*offset, *inside), path, *message)
        }
    }
}

/// Writes an object for a fault or a remark, which have a position but no bytes.
fn write_message(
    writer: &mut dyn Write,
    role: &str,
    (offset, inside): (usize, Option<usize>),
    path: &str,
    description: fmt::Arguments<'_>,
) -> io::Result<()> {
    let (bytes, length, number, value) = (None, 0, None, None);
    let object =
        EventObject { bytes, inside, length, number, offset, path, role, description, value };
    line(writer, &object)
}

fn line(writer: &mut dyn Write, line: &EventObject<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *writer, line)?;
    writer.write_all(b"\n")
}

fn hex<S: Serializer>(bytes: &Option<&[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&display::hex(bytes.unwrap_or_default(), ""))
}

/// Writes a value in the notation of `vectors/README.md`.
fn notation<S: Serializer>(value: &Option<Value<'_>>, serializer: S) -> Result<S::Ok, S::Error> {
    match *value {
        Some(Value::Bool(truth)) => serializer.serialize_bool(truth),
        Some(Value::I64(number) | Value::Long(number)) => serializer.serialize_i64(number),
        Some(Value::U64(number)) => serializer.serialize_u64(number),
        // A number whose text would change in JSON stays text.
        Some(Value::Number(text)) => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) if number.to_string() == text => number.serialize(serializer),
            _ => tagged(serializer, "$number", text),
        },
        Some(Value::F32(number)) if number.is_finite() => {
            tagged(serializer, "$f32", &f64::from(number))
        }
        Some(Value::F32(number)) => float(f64::from(number), serializer),
        Some(Value::F64(number)) => float(number, serializer),
        Some(Value::Str(text)) => serializer.serialize_str(text),
        Some(Value::Bytes(bytes)) => {
            tagged(serializer, "$bytes", &format_args!("{}", display::hex(bytes, "")))
        }
        Some(Value::Timestamp(time)) => {
            tagged(serializer, "$timestamp", &(time.seconds, time.nanoseconds))
        }
        // Null and a missing value are both `null`. A token has no container or extension as its
        // value.
        Some(Value::Null | Value::Array(_) | Value::Map(_) | Value::Ext(_)) | None => {
            serializer.serialize_unit()
        }
    }
}

fn float<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        _ if number.is_nan() => tagged(serializer, "$f64", "NaN"),
        f64::INFINITY => tagged(serializer, "$f64", "Infinity"),
        f64::NEG_INFINITY => tagged(serializer, "$f64", "-Infinity"),
        _ => serializer.serialize_f64(number),
    }
}

/// Writes a value that JSON cannot represent as an object with a tag.
fn tagged<S: Serializer, T: Serialize + ?Sized>(
    serializer: S,
    mark: &str,
    value: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(mark, value)?;
    map.end()
}
