use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use manywire_codec::Result;

use super::{Each, Values};
use crate::content::Encoding;
use crate::problem::Problem;
use crate::server::BodyError;

/// Writes one value.
pub(super) type Encoder<T> = fn(&T, Encoding<'_>, &mut Vec<u8>) -> Result<()>;

/// How many values are taken before what is written of them is handed on.
const VALUES_MAX: usize = 16;

/// Enough bytes to be worth handing on, however few the values.
const CHUNK_BYTES: usize = 16 << 10;

/// A stream of values as a stream of bytes.
pub(super) struct Written<T> {
    values: Values<T>,
    each: Each,
    state: State,
    encode: Encoder<T>,
}

impl<T> Written<T> {
    pub(super) fn new(values: Values<T>, each: Each, encode: Encoder<T>) -> Self {
        Written { values, each, state: State::Begun, encode }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No value was written yet.
    Begun,
    /// There were some.
    Within,
    /// There are no more; what is left is to say how it ended.
    Failed,
    /// What was written before is on its way.
    Broken,
    Ended,
}

impl<T> Written<T> {
    fn write(&mut self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let is_first = self.state == State::Begun;
        self.state = State::Within;
        let Each { framing, representation, codecs } = &self.each;
        let (representation, codecs) = (*representation, codecs.as_ref());
        let to = Encoding { representation, codecs, capacity_bytes: 0 };
        let start = out.len();
        let written = framing.write(is_first, |out| (self.encode)(value, to, out), out);
        written.inspect_err(|_| out.truncate(start))
    }

    /// Ends with a failure: in words where the framing has a place for them.
    #[cold]
    fn fail(&mut self, problem: &Problem, out: &mut Vec<u8>) {
        self.state = match self.each.framing.failure(problem, out) {
            true => State::Ended,
            false => State::Failed,
        };
    }
}

impl<T> Stream for Written<T> {
    type Item = std::result::Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut out = Vec::new();
        let mut values = 0;
        loop {
            match this.state {
                State::Ended if out.is_empty() => return Poll::Ready(None),
                // A connection that breaks off sends nothing more: it is let go of what it has.
                State::Failed if out.is_empty() => {
                    this.state = State::Broken;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                State::Broken => {
                    this.state = State::Ended;
                    return Poll::Ready(Some(Err(BodyError::new("the stream failed"))));
                }
                // What was written before goes out first.
                State::Ended | State::Failed => return Poll::Ready(Some(Ok(out.into()))),
                State::Begun | State::Within => {}
            }
            if values == VALUES_MAX || out.len() >= CHUNK_BYTES {
                return Poll::Ready(Some(Ok(out.into())));
            }
            match this.values.as_mut().poll_next(context) {
                Poll::Pending if out.is_empty() => return Poll::Pending,
                Poll::Pending => return Poll::Ready(Some(Ok(out.into()))),
                Poll::Ready(None) => {
                    this.each.framing.end(this.state == State::Begun, &mut out);
                    this.state = State::Ended;
                }
                Poll::Ready(Some(Err(problem))) => this.fail(&problem, &mut out),
                Poll::Ready(Some(Ok(value))) => {
                    values += 1;
                    if let Err(error) = this.write(&value, &mut out) {
                        this.fail(&Problem::internal(error), &mut out);
                    }
                }
            }
        }
    }
}
