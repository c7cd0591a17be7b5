//! Protocol Buffers: the walker reads the wire format without a schema, the codec with one.
//!
//! The comparison covers the wire format: the boundaries, numbers and wire types of fields. Only
//! the schema gives the type of length-delimited content, so the codec alone can find a fault
//! there.

use std::ops::Range;

use manywire_codec::{Category, Limits};
use manywire_format::Format;
use manywire_inspect::{Event, Options, Role, walk};
use manywire_shape::{Arena, Value, ValueSeed};

use crate::everything::everything_plan;
use crate::target::{CheckResult, Violation, ensure};

pub(crate) fn protobuf(bytes: &[u8]) -> CheckResult {
    let arena = Arena::new();
    let wire = wire(bytes);
    let plan = everything_plan();
    let value = plan.decode_seed(&mut ValueSeed::new(&arena), bytes, Limits::DEFAULT);
    let error = match (value, &wire.fault) {
        (Ok(value), None) => return numbers(&wire, &value),
        (Ok(value), Some((at, expected))) => {
            return Err(Violation(format!(
                "the codec reads {value:?}, the walker expects {expected} at {at}"
            )));
        }
        (Err(error), _) => error,
    };
    let Some(at) = error.offset() else {
        return Err(Violation(format!("the codec error has no offset: {error}")));
    };
    let malformed = matches!(error.category(), Category::Syntax | Category::Eof);
    let inside = wire.inside.iter().any(|content| content.contains(&at) || content.end == at);
    match &wire.fault {
        // The walker has no schema, so only the codec finds a wrong type or a missing field.
        _ if !malformed => Ok(()),
        None => {
            ensure!(inside, "the codec fails, the walker does not: {error}");
            Ok(())
        }
        Some((fault, expected)) => {
            ensure!(
                *fault == at || (inside && at < *fault),
                "the codec fails at {at}: {error}; the walker at {fault}: expected {expected}"
            );
            Ok(())
        }
    }
}

/// The facts that the wire format gives without a schema.
#[derive(Default)]
struct WireFacts {
    fault: Option<(usize, String)>,
    /// The ranges of length-delimited content and of groups.
    inside: Vec<Range<usize>>,
    /// The varints of the outermost message, with the numbers of their fields.
    varints: Vec<(u64, u64)>,
}

fn wire(bytes: &[u8]) -> WireFacts {
    let mut wire = WireFacts::default();
    let mut field = None;
    let mut content_from = None;
    let options = Options { depth_max: usize::MAX, ..Options::DEFAULT };
    walk(Format::Protobuf, bytes, options, &mut |event| match event {
        Event::Fault(fault) if wire.fault.is_none() => {
            wire.fault = Some((fault.offset, fault.expected.to_string()));
        }
        Event::Span(span) if span.depth == 1 && span.role == Role::Key => {
            if let Some(from) = content_from.take() {
                wire.inside.push(from..span.range.start);
            }
            field = match span.value {
                Some(Value::I64(number)) => Some(number.cast_unsigned()),
                _ => None,
            };
            let kind = first_tag(bytes, span.range.clone());
            if matches!(kind, 2 | 3) {
                content_from = Some(span.range.end);
            } else if kind != 0 {
                field = None;
            }
        }
        Event::Span(span) if span.depth == 1 && span.role == Role::Value => {
            let number = match span.value {
                Some(Value::I64(number)) => Some(number.cast_unsigned()),
                Some(Value::U64(number)) => Some(number),
                _ => None,
            };
            if let (Some(field), Some(number), None) = (field, number, content_from) {
                wire.varints.push((field, number));
            }
        }
        _ => {}
    });
    if let Some(from) = content_from {
        wire.inside.push(from..bytes.len());
    }
    wire
}

/// Returns the wire type of the field whose tag is at `range`.
fn first_tag(bytes: &[u8], range: Range<usize>) -> u8 {
    bytes.get(range.start).map_or(0, |first| first & 7)
}

/// Compares the last varint of each field with the codec's value.
fn numbers(wire: &WireFacts, value: &Value<'_>) -> CheckResult {
    type Interpret = fn(u64) -> Value<'static>;
    let fields: [(u64, &str, Interpret); 4] = [
        (1, "int64", |varint| Value::I64(varint.cast_signed())),
        (2, "uint32", |varint| Value::I64(i64::from(varint as u32))),
        (3, "sint64", |varint| {
            Value::I64((varint >> 1).cast_signed() ^ -(varint & 1).cast_signed())
        }),
        (4, "truth", |varint| Value::Bool(varint != 0)),
    ];
    for (number, name, interpret) in fields {
        let last = wire.varints.iter().rev().find(|(field, _)| *field == number);
        if let (Some((_, varint)), Some(found)) = (last, value.get(name)) {
            let expected = interpret(*varint);
            ensure!(found == expected, "the codec reads {found:?} from the varint {varint}");
        }
    }
    Ok(())
}
