//! What comes in: the user's own payloads, read from wherever they are by [`crate::payload`].

mod load;

pub use crate::payload::reader::{Reader, check_form, open};
pub use crate::payload::{Carried, Found, InputError, Made, Payload, Place, find};
pub(crate) use load::LIMITS;
pub use load::{Corpus, Sample, check};
