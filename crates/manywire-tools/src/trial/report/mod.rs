//! The report of `trial`: a table for people, JSON (`manywire.trial/1`) for programs.

mod model;
mod table;

pub use model::{
    Capacity, Clock, Library, LinkNote, OpenLoop, PairReport, Placement, Report, Row, RowVerdict,
    SCHEMA, Saving, ServerRow, Status, TransportRow,
};
pub use table::{cost_sentences, table};
