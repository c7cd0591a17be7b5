use http::HeaderValue;
use manywire_codec::Result;

use super::{Answer, Content, Encoding};
use crate::server::Body;

/// Content that a client can send: all that can be answered with, and forms of parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent by a client",
    label = "not content that can be written",
    note = "derive it: #[derive(Serialize, Shaped)]"
)]
pub trait Submit: Content {
    /// Writes a value as was agreed on; nothing if it was sent before and cannot be sent again.
    ///
    /// # Errors
    /// When the format has no place for the value.
    fn submit(value: &mut Option<Self::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>>;

    /// What this value says it is, where that is more than its format.
    fn content_type(_value: &Self::Value) -> Option<HeaderValue> {
        None
    }
}

impl<C: Answer> Submit for C {
    #[inline]
    fn submit(value: &mut Option<C::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        C::answer_again(value, to)
    }

    fn content_type(value: &C::Value) -> Option<HeaderValue> {
        C::content_type(value)
    }
}
