//! Reads payloads from files, standard input and archives, with the position of each error.
//!
//! An [`Input`] is a stream of values in a [`Form`](manywire_format::Form): a format and the
//! framing of its values. The source may have a content coding. [`Input::each`] visits the values
//! one by one, so only the longest value must fit in memory. [`find`] finds the files of a
//! command's arguments. A [`reader::Reader`] keeps every value in memory: in its own bytes, or as
//! CBOR if these bytes need a schema.

mod error;
mod files;
pub mod har;
mod input;
mod path;
mod proto_json;
pub mod reader;
mod schema;
mod source;
pub mod text;
mod values;
mod window;

pub use error::{Halt, InputError, InputPosition};
pub(crate) use files::holds_lines;
pub use files::{PayloadSource, RecordedBody, find, framing_of_json};
pub use input::{BYTE_ORDER_MARK, Input, Item, Lines, Take};
pub use path::{InvalidPath, PathStep, PayloadPath};
pub(crate) use proto_json::ProtoJson;
pub use proto_json::ProtoJsonRules;
pub use reader::{EmbeddedSchema, Origin, Payload, is_stored_as_is, stored_format};
pub use schema::Schema;
pub use source::{InputCoding, STDIN, Source};
pub(crate) use window::Counted;
pub use window::{ByteReader, CodedInput, RatioExceeded};

use manywire_codec::Limits;

/// The limits for reading. The depth is greater than the default, because files are the user's own:
/// only the size of the stack limits it.
pub const LIMITS: Limits = Limits::DEFAULT.with_depth(512);
