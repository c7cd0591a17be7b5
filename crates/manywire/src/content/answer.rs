use manywire_codec::Result;

use super::{Content, Encode, Encoding};
use crate::server::Body;

/// Content that a server can answer with: all that can be written, and streams, which only the
/// server writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be answered with",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Answer: Content {
    /// Writes a value as was agreed on.
    ///
    /// # Errors
    /// When the format has no place for the value.
    fn answer(value: Self::Value, to: &mut Encoding<'_>) -> Result<Body>;
}

impl<C: Encode> Answer for C {
    #[inline]
    fn answer(value: C::Value, to: &mut Encoding<'_>) -> Result<Body> {
        C::encode(value, to).map(Body::new)
    }
}
