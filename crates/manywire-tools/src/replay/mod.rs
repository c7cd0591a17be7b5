//! Repeats published evaluations of wire formats on this machine, and compares the figures.
//!
//! [`EVALUATIONS`] is the one table: for each published figure it says how to measure this figure
//! with the versions of the publication, as far as they are available, and with those of today.
//! [`replay`] measures one evaluation, through the lanes: by a program of the lane that uses the
//! harness of the publication ([`crate::weigh::lanes::Replay`]), or by a trial ([`crate::trial`]).
//! The result is a [`Record`], which keeps the estimate of each launch. [`page()`] writes the page
//! of all evaluations from their records alone, so no figure of this machine on the page was typed
//! by hand.

mod evaluation;
mod finding;
mod measure;
mod page;
mod record;
mod table;

pub use evaluation::{Evaluation, Measurement, Published, Source, Trial, TrialFigure, Unit};
pub use measure::{Outcome, ReplayError, ReplayOptions, replay};
pub use page::page;
pub use record::{
    Measured, Record, RecordError, Recorded, RecordedFigure, SCHEMA, newest_records, readme,
};
pub use table::EVALUATIONS;
