//! The list of wire formats, media types and content codings, without any code that reads or writes
//! them.
//!
//! Code that needs the list of formats reads [`FORMATS`]: help texts, documentation, the lookup of
//! an extension or a media type, and the tests, which loop over the table so that a new row cannot
//! be forgotten. [`FORMS`] is the same table for files and streams: a format with the framing of
//! its values, under one name. This crate has no dependencies.

mod coding;
mod form;
mod format;
mod media_type;

pub use coding::{Coding, CodingLevel, InvalidCoding};
pub use form::{FORMS, Form, FormRow, Framing, UnknownForm};
pub use format::{FORMATS, Format, FormatRow, SchemaNeeds, UnknownFormat};
pub use media_type::{InvalidMediaType, MediaType};
