//! What comes in: the user's own payloads.

mod file;
mod load;

pub use file::{Payload, check_form, divide_body, divide_content, read};
pub(crate) use file::{kind_of, with_lines};
pub(crate) use load::place;
pub use load::{Corpus, Sample, check};
pub(crate) use manywire_payload::LIMITS;
pub use manywire_payload::{InputError, Place};
