//! Reads payloads from files, standard input and archives, with the position of each error.
//!
//! An [`Input`] is a stream of values in a [`Form`](manywire_format::Form): a format and the framing
//! of its values. It may have a content coding. [`Input::each`] visits the values one by one, in the
//! memory of the longest. [`find`] finds the files of a command's arguments. A [`reader::Reader`]
//! keeps every value in memory: with its own bytes, or as CBOR if those need a schema.

mod error;
mod files;
pub mod har;
mod input;
mod path;
pub mod reader;
mod schema;
mod source;
pub mod text;
mod values;
mod window;

pub use error::{Halt, InputError, InputPosition};
pub use files::{PayloadSource, RecordedBody, find, holds_lines};
pub use input::{BYTE_ORDER_MARK, Input, Item, Lines, Take};
pub use path::{InvalidPath, PathStep, PayloadPath};
pub use reader::{EmbeddedSchema, Origin, Payload, is_stored_as_is, stored_format};
pub use schema::Schema;
pub use source::{STDIN, Source};
pub use window::{ByteReader, CodedInput};

use manywire_codec::Limits;
use manywire_codec::json::ValueReader;
use manywire_format::Format;
use manywire_shape::fidelity::{Loss, with_doubles};
use manywire_shape::{Arena, Value};

/// The limits for reading. Files are the user's own, so only the stack limits their depth.
pub const LIMITS: Limits = Limits::DEFAULT.with_depth(512);

/// Reads one value of a format that needs no schema, with doubles for the fractions of JSON, as
/// programs read it. Returns the fractions that are
/// [not exact](manywire_shape::fidelity::is_exact_double) as doubles as losses.
pub(crate) fn read_with_doubles<'a>(
    format: Format,
    bytes: &'a [u8],
    arena: &'a Arena,
) -> manywire_codec::Result<(Value<'a>, Vec<Loss>)> {
    if format != Format::Json {
        return Ok((manywire_codec::read_value(format, bytes, arena, LIMITS)?, Vec::new()));
    }
    let value = ValueReader::new(LIMITS).with_exact_fractions().read(bytes, arena)?;
    Ok(with_doubles(value, arena))
}
