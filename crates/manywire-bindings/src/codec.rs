//! The table of formats, and one value of one format, as `loads` and `dumps` read and write it.

use manywire_codec::Codec;
use manywire_codec::json::ValueReader;
use manywire_format::{FORMATS, Format, SchemaNeeds};
use manywire_shape::{Arena, Value};
use manywire_tools::convert;
use manywire_tools::payload::LIMITS;
use serde::Serialize;

use crate::{Error, Schema};

/// The maximum number of levels that values may nest.
pub const DEPTH_MAX: usize = LIMITS.depth;

/// The names of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FormatNames {
    /// The name, by which the other functions take the format.
    pub name: &'static str,
    /// The title.
    pub title: &'static str,
    /// The media type.
    pub media_type: &'static str,
}

/// Returns the names of all formats, in the order of [`FORMATS`].
pub fn formats() -> Vec<FormatNames> {
    let names = FORMATS.iter().map(|row| FormatNames {
        name: row.name,
        title: row.title,
        media_type: row.media_type,
    });
    names.collect()
}

/// Reads one value of the format with this name. Formats that do not describe themselves need a
/// schema; the others ignore it.
///
/// # Errors
/// Fails for an unknown format, invalid bytes, bytes after the value, levels beyond [`DEPTH_MAX`], and
/// a missing schema.
pub fn read_value<'a>(
    format: &str,
    bytes: &'a [u8],
    schema: Option<&'a Schema>,
    arena: &'a Arena,
) -> Result<Value<'a>, Error> {
    let format = format_named(format)?;
    let read = match codec(format, schema)? {
        Some(codec) => codec.decode_with(bytes, arena, LIMITS),
        None => manywire_codec::read_value(format, bytes, arena, LIMITS),
    };
    read.map_err(|error| Error::of_codec(&error, Some(bytes)))
}

/// Writes one value in the format with this name, so that [`read_value`] gives it back.
///
/// # Errors
/// Fails for an unknown format, for a value that the format or the schema cannot represent, with its
/// path, and for a missing schema.
pub fn write_value(
    format: &str,
    value: &Value<'_>,
    schema: Option<&Schema>,
) -> Result<Vec<u8>, Error> {
    let format = format_named(format)?;
    let written = match (codec(format, schema)?, schema) {
        (Some(codec), Some(schema)) => {
            convert::encode_by_schema(codec, &schema.parsed().shape, schema.is_given(), *value)
        }
        _ => convert::encode_without_schema(format, *value),
    };
    written.map_err(|halt| Error::from(halt).without_lossy())
}

fn format_named(name: &str) -> Result<Format, Error> {
    name.parse().map_err(Error::new)
}

/// Returns the codec of a format that needs a schema, or `None` for any other format.
fn codec(format: Format, schema: Option<&Schema>) -> Result<Option<&Codec>, Error> {
    match (format.row().schema, schema) {
        (SchemaNeeds::InBand, _) => Ok(None),
        (_, Some(schema)) => schema.codec(format).map(Some),
        (_, None) => Err(no_schema(format)),
    }
}

/// Returns the value of a decimal number in JSON's grammar: an integer, a float if one is exactly this
/// number, and else the number as text.
///
/// # Errors
/// Fails for any other text.
pub fn decimal<'a>(text: &str, arena: &'a Arena) -> Result<Value<'a>, Error> {
    let text = arena.alloc_str(text);
    let read = ValueReader::new(LIMITS).with_exact_fractions().read(text.as_bytes(), arena);
    match read {
        Ok(number @ (Value::I64(_) | Value::U64(_) | Value::F64(_) | Value::Number(_))) => {
            Ok(number)
        }
        _ => Err(Error::at("$", format_args!("{text} is not a number of any format"))),
    }
}

#[cold]
fn no_schema(format: Format) -> Error {
    let title = format.row().title;
    Error::new(format_args!(
        "{title} needs a schema: pass `schema`, read from a .proto or an .avsc, or inferred"
    ))
}
