//! Tests of the table of formats and of media types.

mod forms;
mod media_type;
mod streams;
mod table;
