//! JSON Lines: an object for each event, as `docs/explain.schema.json` describes it.

use std::io::{self, Write};

use manywire_inspect::Event;
use serde_json::{Map, Value as Json, json};

use manywire_shape::Value;

use super::short;

pub(crate) fn write(event: &Event<'_>, writer: &mut dyn Write) -> io::Result<()> {
    let mut line = Map::new();
    let mut member = |name: &str, value: Json| drop(line.insert(name.to_owned(), value));
    match event {
        Event::Span(span) => {
            member("offset", span.range.start.into());
            member("length", span.range.len().into());
            member("bytes", short::hex(span.bytes, "").to_string().into());
            if let Some(inside) = span.inside {
                member("inside", inside.into());
            }
            member("role", span.role.name().into());
            member("path", span.path.into());
            member("type", span.type_name.to_string().into());
            if let Some(value) = span.value {
                member("value", notation(value));
            }
        }
        Event::Fault(fault) => {
            member("offset", fault.offset.into());
            member("length", 0.into());
            if let Some(inside) = fault.inside {
                member("inside", inside.into());
            }
            member("role", "fault".into());
            member("path", fault.path.into());
            member("type", format!("expected {}", fault.expected).into());
        }
        Event::Remark(remark) => {
            member("offset", remark.offset.into());
            member("length", 0.into());
            if let Some(inside) = remark.inside {
                member("inside", inside.into());
            }
            member("role", "remark".into());
            member("path", remark.path.into());
            member("type", remark.message.to_string().into());
        }
    }
    serde_json::to_writer(&mut *writer, &line)?;
    writer.write_all(b"\n")
}

/// A value in the notation of `vectors/README.md`.
fn notation(value: Value<'_>) -> Json {
    let float = |number: f64| match number {
        _ if number.is_nan() => json!({"$f64": "NaN"}),
        f64::INFINITY => json!({"$f64": "Infinity"}),
        f64::NEG_INFINITY => json!({"$f64": "-Infinity"}),
        _ => json!(number),
    };
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => truth.into(),
        Value::I64(number) => number.into(),
        Value::U64(number) => number.into(),
        // The text decides what a number is: one that comes back otherwise stays text.
        Value::Number(text) => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) if number.to_string() == text => number.into(),
            _ => json!({"$number": text}),
        },
        Value::F32(number) if number.is_finite() => json!({"$f32": number}),
        Value::F32(number) => float(f64::from(number)),
        Value::F64(number) => float(number),
        Value::Str(text) => text.into(),
        Value::Bytes(bytes) => json!({"$bytes": short::hex(bytes, "").to_string()}),
        Value::Timestamp(time) => json!({"$timestamp": [time.seconds, time.nanoseconds]}),
        // No token is a container or has one.
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => Json::Null,
    }
}
