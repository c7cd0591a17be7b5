//! Tests of the table of formats, of media types and of lists of codings.

mod codings;
mod forms;
mod media_type;
mod streams;
mod table;
