use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// The body of an answer.
#[derive(Debug, Default)]
pub struct Body(Kind);

#[derive(Debug)]
enum Kind {
    Content(Bytes),
    /// The answer to HEAD: what would have been sent, in bytes.
    OnlySize(u64),
}

impl Default for Kind {
    fn default() -> Self {
        Kind::Content(Bytes::new())
    }
}

/// What can go wrong while an answer is sent: nothing.
pub type BodyError = Infallible;

impl Body {
    /// The content, whole.
    pub fn new(content: Bytes) -> Self {
        Body(Kind::Content(content))
    }

    /// No content, though there would be.
    pub(crate) fn only_size(content: &Bytes) -> Self {
        Body(Kind::OnlySize(content.len() as u64))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let content = match &mut self.0 {
            Kind::Content(content) => std::mem::take(content),
            Kind::OnlySize(_) => Bytes::new(),
        };
        Poll::Ready((!content.is_empty()).then(|| Ok(Frame::data(content))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Content(content) => content.is_empty(),
            Kind::OnlySize(_) => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match &self.0 {
            Kind::Content(content) => content.len() as u64,
            Kind::OnlySize(bytes) => *bytes,
        })
    }
}

impl From<Bytes> for Body {
    fn from(content: Bytes) -> Self {
        Body::new(content)
    }
}
