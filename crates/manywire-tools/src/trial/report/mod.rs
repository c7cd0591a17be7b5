//! What goes out: a table for people, `manywire.trial/1` for programs.

mod model;
mod table;

pub use model::{
    Capacity, Library, LinkNote, OpenLoop, PairReport, PayloadNote, Placement, Report, Row, SCHEMA,
};
pub use table::table;
