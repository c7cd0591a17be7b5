//! Payloads of forms that do not say themselves what they hold: kept as CBOR, which does.

use std::fmt;

use manywire_format::{Form, Format, Schema};

use crate::payload::{Halt, Item};

/// What keeps every value as it is: integers beyond 64 bits, floats of 32 bits, bytes, points in
/// time to the nanosecond, keys that are no text.
const KEEPER: Format = Format::Cbor;

/// What a payload was before it was made into something that says itself what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The form that it was read from.
    pub from: Form,
    /// How many bytes it took there, without what framed it.
    pub bytes: u64,
}

/// Whether payloads of a form are kept in the bytes that they came in.
pub fn is_kept(form: Form) -> bool {
    form.format.row().schema == Schema::InBand
}

/// The format that payloads of a form are kept in.
pub fn kept_in(form: Form) -> Format {
    if is_kept(form) { form.format } else { KEEPER }
}

impl Item<'_> {
    /// Appends the bytes that a payload of this form is kept in.
    ///
    /// # Errors
    /// A value that they cannot hold, with the path to it.
    pub fn keep(&self, form: Form, out: &mut Vec<u8>) -> Result<(), Halt> {
        if is_kept(form) {
            out.extend_from_slice(self.bytes);
            return Ok(());
        }
        manywire_codec::write_value(KEEPER, &self.value, out).map_err(|error| Halt::Refused {
            path: error.path_text(),
            message: error.message().to_owned(),
        })
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.fmt(f)
    }
}
