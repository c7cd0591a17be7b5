//! Lanes: the libraries of other languages, on the same scale.
//!
//! A lane is a folder under `lanes/`, described in `lanes/CONTRACT.md`: a native project that
//! encodes, decodes and times batches when told to. Here is who tells it. [`all`] finds the lanes,
//! [`Lane::build`] builds one in a cache folder named by its content, and a session launches its
//! process and asks. The order of batches, launches, statistics and verdicts are the same as for
//! our own worker: both are driven by the same code.

mod build;
mod check;
mod digest;
mod given;
mod http;
mod lane;
mod manifest;
mod measure;
mod session;
mod source;
mod toolchain;
mod typed;

use std::sync::atomic::AtomicBool;

pub use build::{Cleaned, clean};
pub use check::{Agreement, Check, Disagreement, check};
pub use digest::digest;
pub use given::{Given, write_documents};
pub use http::{Fetch, Fetched, Http, Offer, Served};
pub use lane::{
    Built, Lane, Muster, Readiness, Selection, Standing, all, carried, muster, standings,
};
pub use manifest::{Failure, Library, Manifest, Subject, Tool};
pub use measure::{Examined, Matter, Round, Timed, examine, time};
pub use session::{Answer, Ran, Session};
pub use toolchain::Found;
pub use typed::{Content, File, Fitted, Language, NoTypes, Typed};

/// For what nobody can interrupt.
static NEVER: AtomicBool = AtomicBool::new(false);
