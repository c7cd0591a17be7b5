//! What comes in: the user's own payloads.

mod error;
mod file;
mod load;

pub use error::{InputError, Place};
pub(crate) use file::{Division, holds_lines, kind_of};
pub use file::{Payload, read};
pub use load::{Corpus, Sample, check};
pub(crate) use load::{LIMITS, place};
