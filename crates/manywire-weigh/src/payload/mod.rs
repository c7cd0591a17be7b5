//! What comes in: the user's own payloads.

mod file;
mod load;

pub(crate) use file::{Division, holds_lines, kind_of};
pub use file::{Payload, divide_stdin, read};
pub(crate) use load::place;
pub use load::{Corpus, Sample, check};
pub(crate) use manywire_payload::LIMITS;
pub use manywire_payload::{InputError, Place};
