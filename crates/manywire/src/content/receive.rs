use manywire_codec::{Category, Error, Result};

use super::{Content, Decode, Decoding, Received};
use crate::problem::Fault;

/// Content that can be taken in: all that can be read whole, and streams, which are read as they
/// come.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read out of a message",
    label = "not content that can be read",
    note = "derive it: #[derive(Deserialize, Shaped)]",
    note = "a type that borrows from the body (`&str`, `&[u8]`) is taken as `Lent<…>`, which owns it"
)]
pub trait Receive: Content {
    /// Takes a message's content, which came as `from` says.
    ///
    /// # Errors
    /// When the bytes are not of the format, or their value not of the type.
    fn receive(content: Received, from: Decoding<'_>) -> Result<Self::Value>;

    /// All that is wrong with content that could not be read: the error, unless more is known.
    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        vec![Fault::of_body(error, bytes)]
    }
}

impl<C: Decode> Receive for C {
    #[inline]
    fn receive(content: Received, from: Decoding<'_>) -> Result<C::Value> {
        match content {
            Received::Whole(bytes) => C::decode(bytes, from),
            Received::Arriving(_) => Err(not_whole()),
        }
    }

    #[cold]
    fn faults(error: &Error, bytes: &[u8]) -> Vec<Fault> {
        C::faults(error, bytes)
    }
}

#[cold]
fn not_whole() -> Error {
    Error::new(Category::Unsupported, "this content is read whole, and came piece by piece")
}
