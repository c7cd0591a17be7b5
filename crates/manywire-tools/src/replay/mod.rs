//! Repeats published evaluations of wire formats on this machine, and compares the figures.
//!
//! [`EVALUATIONS`] is the one table: for each published figure it says how to measure it with the
//! versions of then, as far as they can be had, and with those of today. [`replay`] measures one
//! evaluation, through the lanes: by a program of the lane that uses the harness of then
//! ([`crate::weigh::lanes::Replay`]), or by a trial ([`crate::trial`]). The result is a [`Record`],
//! which keeps the estimate of each launch. [`page()`] writes the page of all evaluations from their
//! records alone, so no figure on it was typed by hand.

mod evaluation;
mod finding;
mod measure;
mod page;
mod record;
mod table;

pub use evaluation::{Claim, Evaluation, Published, Source, Trial, TrialFigure, Unit};
pub use measure::{Outcome, ReplayError, ReplayOptions, replay};
pub use page::page;
pub use record::{
    Measured, Record, RecordError, Recorded, RecordedFigure, SCHEMA, newest_records, readme,
};
pub use table::EVALUATIONS;
