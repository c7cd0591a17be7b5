//! The list of wire formats, media types and content codings, without any code that reads or writes
//! them.
//!
//! Code that needs the list of formats reads [`FORMATS`]: help texts, documentation, the lookup of
//! an extension or a media type, and the tests, which loop over the table so that a new row cannot
//! be forgotten. Each row lists the forms that the format has in files. A form is the format with a
//! framing of its values, and has a name. [`FORMS`] lists the forms of all rows. [`STREAMS`] is the
//! table of the bodies of HTTP messages. This crate has no dependencies.

mod coding;
mod format;
mod forms;
mod media_type;
mod stream;

pub use coding::{Coding, CodingLevel, InvalidCoding};
pub use format::{
    Capabilities, FORMATS, Form, FormRow, Format, FormatRow, Framing, IntegerRange, Recognition,
    RecordLayout, SchemaNeeds, TimePrecision, UnknownFormat,
};
pub use forms::{FORMS, UnknownForm};
pub use media_type::{InvalidMediaType, MediaType};
pub use stream::{STREAMS, StreamFraming, StreamRow};
