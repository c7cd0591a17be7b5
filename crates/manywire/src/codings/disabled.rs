//! No coding was compiled in.

use std::io::{BufRead, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use manywire_codec::{Category, Error, Result};
use manywire_format::Coding;

use crate::server::Limits;

/// How many decoded bytes one coded byte may stand for, beyond how many bytes.
pub(super) const RATIO: (usize, usize) = (1, 0);

/// Content without one coding: there is none that could be taken off.
pub(crate) fn decode(coding: Coding, _bytes: &[u8], _limits: &Limits) -> Result<Vec<u8>> {
    Err(not_compiled_in(coding))
}

/// An answer in a coding: it stays as it is.
pub(crate) fn encode(_coding: Coding, _bytes: &[u8]) -> Option<Vec<u8>> {
    None
}

/// A stream in a coding: it stays as it is, since none is ever agreed on.
pub(crate) struct StreamEncoder<S>(S);

impl<S> StreamEncoder<S> {
    pub(crate) fn new(pieces: S, _coding: Coding) -> Self {
        StreamEncoder(pieces)
    }
}

impl<S: Stream + Unpin> Stream for StreamEncoder<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        Pin::new(&mut self.get_mut().0).poll_next(context)
    }
}

/// A stream without one coding.
pub(super) fn reader(
    coding: Coding,
    _input: impl BufRead + Send + 'static,
) -> Result<Box<dyn Read + Send>> {
    Err(not_compiled_in(coding))
}

#[cold]
fn not_compiled_in(coding: Coding) -> Error {
    let message = format_args!("the content coding {coding} was not compiled in");
    Error::new(Category::Unsupported, message)
}
