use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// The body of an answer.
#[derive(Debug, Default)]
pub struct Body {
    content: Bytes,
    /// For an answer to HEAD: what would have been sent.
    size_bytes: Option<u64>,
}

/// What can go wrong while an answer is sent: nothing.
pub type BodyError = Infallible;

impl Body {
    /// The content, whole.
    pub fn new(content: Bytes) -> Self {
        Body { content, size_bytes: None }
    }

    /// No content, though there would be: the answer to HEAD.
    pub(crate) fn only_size(content: &Bytes) -> Self {
        Body { content: Bytes::new(), size_bytes: Some(content.len() as u64) }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let content = std::mem::take(&mut self.content);
        Poll::Ready((!content.is_empty()).then(|| Ok(Frame::data(content))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.size_bytes.unwrap_or(self.content.len() as u64))
    }
}

impl From<Bytes> for Body {
    fn from(content: Bytes) -> Self {
        Body::new(content)
    }
}
