//! The content codings of a build without a compression library. Its items have the names and
//! signatures of `enabled`.

use std::io::{BufRead, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use manywire_codec::{Category, Error, Result};
use manywire_format::Coding;

use crate::limits::Limits;

/// The decoded bytes that one coded byte may expand to, and the number of decoded bytes that are
/// exempt from this ratio.
pub(super) const RATIO: (usize, usize) = (1, 0);

/// Always fails: no coding is compiled in.
pub(crate) fn decode(coding: Coding, _bytes: &[u8], _limits: &Limits) -> Result<Vec<u8>> {
    Err(not_compiled_in(coding))
}

/// Returns `None`: the response stays uncoded.
pub(crate) fn encode(_coding: Coding, _bytes: &[u8]) -> Option<Vec<u8>> {
    None
}

/// A stream that passes through unchanged, since no coding is ever negotiated.
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

/// Always fails: no coding is compiled in.
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
