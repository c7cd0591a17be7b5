use http::HeaderValue;
use manywire_codec::Result;

use super::{Content, Encode, Encoding};
use crate::server::Body;

/// Content that can be sent: all that can be written whole, and streams, which are written as they
/// are read.
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

    /// What this value says it is, where that is more than its format.
    #[inline]
    fn content_type(_value: &Self::Value) -> Option<HeaderValue> {
        None
    }

    /// [`Answer::answer`] of a value that may have to be sent again; nothing if it was one that cannot be.
    ///
    /// # Errors
    /// As [`Answer::answer`].
    fn answer_again(
        value: &mut Option<Self::Value>,
        to: &mut Encoding<'_>,
    ) -> Result<Option<Body>> {
        value.take().map(|value| Self::answer(value, to)).transpose()
    }
}

impl<C: Encode> Answer for C {
    #[inline]
    fn answer(value: C::Value, to: &mut Encoding<'_>) -> Result<Body> {
        C::encode(value, to).map(Body::new)
    }

    fn answer_again(value: &mut Option<C::Value>, to: &mut Encoding<'_>) -> Result<Option<Body>> {
        value.as_ref().map(|value| C::encode_ref(value, to).map(Body::new)).transpose()
    }
}
