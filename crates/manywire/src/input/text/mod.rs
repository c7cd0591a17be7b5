//! Typed values out of plain text and back, through serde: path segments, query parameters, header fields,
//! forms. Text has no types, so the type that is asked for decides how it is read.

mod error;
mod form;
mod list;
mod shape;
mod value;
mod write;
mod write_record;

pub(crate) use error::TextError;
pub(crate) use form::Pairs;
#[cfg(feature = "client")]
pub(crate) use list::member;
#[cfg(feature = "multipart")]
pub(crate) use shape::fault_of as fault_of_text;
pub(crate) use shape::faults_of_pairs;
pub(crate) use value::Texts;
#[cfg(feature = "client")]
pub(crate) use write::texts;
pub(crate) use write_record::pairs;
#[cfg(all(feature = "multipart", feature = "client"))]
pub(crate) use write_record::{Fields, fields};
