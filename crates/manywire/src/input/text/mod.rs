//! Typed values out of plain text, through serde: path segments, query parameters, header fields,
//! forms. Text has no types, so the type that is asked for decides how it is read.

mod error;
mod form;
mod shape;
mod value;

pub(crate) use form::Pairs;
pub(crate) use shape::faults_of_pairs;
pub(crate) use value::Texts;
