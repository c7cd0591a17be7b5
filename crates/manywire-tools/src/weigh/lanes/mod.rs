//! Lanes: the libraries of other languages, on the same scale.
//!
//! A lane is a folder under `lanes/`, described in `lanes/CONTRACT.md`: a native project that
//! encodes, decodes and times batches when told to. Here is who tells it. [`all`] finds the lanes,
//! [`Lane::build`] builds one in a cache folder named by its content, and a session launches its
//! process and asks. The order of batches, launches, statistics and verdicts are the same as for
//! our own worker: both are driven by the same code.

mod build;
mod cache;
mod check;
mod command;
mod digest;
mod documents;
mod examine;
mod given;
mod http;
mod known;
mod lane;
mod manifest;
mod model;
mod muster;
mod session;
mod source;
mod time;
mod toolchain;
mod typed;

use std::sync::atomic::AtomicBool;

pub use cache::{Cleaned, clean};
pub use check::{Agreement, Check, Disagreement, check};
pub use digest::digest;
pub use documents::write_documents;
pub use examine::{Examined, Matter, examine};
pub use given::Given;
pub use http::{Fetch, Fetched, Http, Offer, Served};
pub use known::Failure;
pub use lane::{Built, Lane, Readiness, Standing, all, carried, standings};
pub use manifest::{Library, Manifest, Subject, Tool};
pub use muster::{Muster, Selection, muster};
pub use session::{Answer, Ran, Session};
pub use time::{Round, Timed, time};
pub use toolchain::Found;
pub use typed::{Content, File, Fitted, Language, NoTypes, Typed};

/// For what nobody can interrupt.
static NEVER: AtomicBool = AtomicBool::new(false);
