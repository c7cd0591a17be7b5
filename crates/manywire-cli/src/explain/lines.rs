//! JSON Lines: an object for each event, as `docs/explain.schema.json` describes it.

use std::fmt;
use std::io::{self, Write};

use manywire_inspect::{Event, Fault, Remark};
use manywire_shape::Value;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::short;

/// An event, its members in the order of their names.
#[derive(Serialize)]
struct Line<'e> {
    #[serde(serialize_with = "hex", skip_serializing_if = "Option::is_none")]
    bytes: Option<&'e [u8]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<usize>,
    length: usize,
    offset: usize,
    path: &'e str,
    role: &'e str,
    #[serde(rename = "type")]
    what: fmt::Arguments<'e>,
    #[serde(serialize_with = "notation", skip_serializing_if = "Option::is_none")]
    value: Option<Value<'e>>,
}

pub(crate) fn write(event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Span(span) => line(
            writer,
            &Line {
                bytes: Some(span.bytes),
                inside: span.inside,
                length: span.range.len(),
                offset: span.range.start,
                path: span.path,
                role: span.role.name(),
                what: span.type_name,
                value: span.value,
            },
        ),
        Event::Fault(Fault { offset, inside, path, expected, .. }) => {
            said(writer, "fault", (*offset, *inside), path, format_args!("expected {expected}"))
        }
        Event::Remark(Remark { offset, inside, path, message }) => {
            said(writer, "remark", (*offset, *inside), path, *message)
        }
    }
}

/// What is said of a place and is no bytes.
fn said(
    writer: &mut dyn Write,
    role: &str,
    (offset, inside): (usize, Option<usize>),
    path: &str,
    what: fmt::Arguments<'_>,
) -> io::Result<()> {
    let (bytes, length, value) = (None, 0, None);
    line(writer, &Line { bytes, inside, length, offset, path, role, what, value })
}

fn line(writer: &mut dyn Write, line: &Line<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *writer, line)?;
    writer.write_all(b"\n")
}

fn hex<S: Serializer>(bytes: &Option<&[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&short::hex(bytes.unwrap_or_default(), ""))
}

/// A value in the notation of `vectors/README.md`.
fn notation<S: Serializer>(value: &Option<Value<'_>>, serializer: S) -> Result<S::Ok, S::Error> {
    match *value {
        Some(Value::Bool(truth)) => serializer.serialize_bool(truth),
        Some(Value::I64(number)) => serializer.serialize_i64(number),
        Some(Value::U64(number)) => serializer.serialize_u64(number),
        // The text decides what a number is: one that comes back otherwise stays text.
        Some(Value::Number(text)) => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) if number.to_string() == text => number.serialize(serializer),
            _ => marked(serializer, "$number", text),
        },
        Some(Value::F32(number)) if number.is_finite() => {
            marked(serializer, "$f32", &f64::from(number))
        }
        Some(Value::F32(number)) => float(f64::from(number), serializer),
        Some(Value::F64(number)) => float(number, serializer),
        Some(Value::Str(text)) => serializer.serialize_str(text),
        Some(Value::Bytes(bytes)) => {
            marked(serializer, "$bytes", &format_args!("{}", short::hex(bytes, "")))
        }
        Some(Value::Timestamp(time)) => {
            marked(serializer, "$timestamp", &(time.seconds, time.nanoseconds))
        }
        // No token is a container or has one.
        Some(Value::Null | Value::Array(_) | Value::Map(_) | Value::Ext(_)) | None => {
            serializer.serialize_unit()
        }
    }
}

fn float<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        _ if number.is_nan() => marked(serializer, "$f64", "NaN"),
        f64::INFINITY => marked(serializer, "$f64", "Infinity"),
        f64::NEG_INFINITY => marked(serializer, "$f64", "-Infinity"),
        _ => serializer.serialize_f64(number),
    }
}

/// What JSON has no word for: an object that says what it is.
fn marked<S: Serializer, T: Serialize + ?Sized>(
    serializer: S,
    mark: &str,
    value: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(mark, value)?;
    map.end()
}
