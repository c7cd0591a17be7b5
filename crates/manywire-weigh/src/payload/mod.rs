//! What comes in: the user's own payloads.

mod error;
mod file;
mod load;

pub use error::{InputError, Place};
pub use file::{Payload, read};
pub(crate) use load::LIMITS;
pub use load::{Corpus, Sample, check};
