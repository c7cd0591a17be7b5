//! What comes in: the user's own payloads, read from wherever they are by [`manywire_payload`].

mod load;

pub(crate) use load::LIMITS;
pub use load::{Corpus, Sample, check};
pub use manywire_payload::payload::{Reader, check_form, open};
pub use manywire_payload::{Carried, Found, InputError, Made, Payload, Place, find};
