//! The walker of Avro, Apache Avro 1.12, <https://avro.apache.org/docs/1.12.0/specification/>.
//!
//! Avro data do not describe themselves; the schema gives every type. Nulls and records take no
//! bytes, and the walk reports a zero-length span for each.

mod compression;
mod container;
mod datum;

use manywire_shape::Value;
use manywire_shape::avro::Schema;

use crate::reporter::{Reporter, WalkResult};
use crate::{Options, Role};

pub(crate) use container::{Container, MAGIC};
use datum::{ZeroSizeBudget, datum};

/// The marker of single-object encoding. The fingerprint of the schema follows.
const SINGLE_OBJECT: [u8; 2] = [0xc3, 0x01];

/// Returns true if the bytes begin with the header of a single object.
pub(crate) fn is_single_object(bytes: &[u8]) -> bool {
    bytes.starts_with(&SINGLE_OBJECT) && bytes.len() >= SINGLE_OBJECT.len() + 8
}

/// Walks a datum with or without the header of single-object encoding.
pub(crate) fn walk(
    bytes: &[u8],
    schema: Option<&Schema>,
    options: Options<'_>,
    reporter: &mut Reporter<'_>,
) -> WalkResult {
    let header = bytes.strip_prefix(&SINGLE_OBJECT).and_then(|rest| rest.first_chunk());
    let fingerprint = header.map(|bytes| u64::from_le_bytes(*bytes));
    let Some(schema) = schema else {
        return Err(match fingerprint {
            Some(fingerprint) => {
                single_object(fingerprint, reporter);
                let expected = format_args!("the schema with the fingerprint {fingerprint:016x}");
                reporter.fault(10, expected)
            }
            None => reporter
                .fault(0, format_args!("a schema, because Avro data do not describe themselves")),
        });
    };
    // A datum may begin with the two marker bytes, but a matching fingerprint after them is no
    // coincidence.
    let start = match fingerprint {
        Some(fingerprint) if fingerprint == schema.fingerprint() => {
            single_object(fingerprint, reporter);
            10
        }
        _ => 0,
    };
    let mut zero_size = ZeroSizeBudget::new(options);
    zero_size.allow(bytes.len());
    datum(bytes, start, schema, &mut zero_size, reporter)
}

fn single_object(fingerprint: u64, reporter: &mut Reporter<'_>) {
    reporter.head(0..2, Role::Head, format_args!("single-object encoding"), None);
    let name = format_args!("fingerprint of the schema, {fingerprint:016x}");
    reporter.head(2..10, Role::Head, name, None::<Value<'_>>);
}
