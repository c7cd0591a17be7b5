//! What a wire format is, and nothing of how one is read or written.
//!
//! Everything that has to know the list of formats reads [`FORMATS`]: help texts, documentation,
//! the look-up of an extension or a media type, and the tests, which loop over the table so that
//! a new row cannot be forgotten. [`FORMS`] does the same for streams: how values of a format stand
//! behind each other, under one name everywhere. This crate depends on nothing.

mod coding;
mod form;
mod format;
mod media_type;

pub use coding::{Coding, CodingLevel, InvalidCoding};
pub use form::{FORMS, Form, FormRow, Framing, UnknownForm};
pub use format::{FORMATS, Format, Row, Schema, UnknownFormat};
pub use media_type::{InvalidMediaType, MediaType};
