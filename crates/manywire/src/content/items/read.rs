use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use futures_core::Stream;
use http::StatusCode;
use manywire_codec::{Category, Error, Limits, Result, json};

use super::Each;
use crate::content::arriving::{Arriving, Bounds, Sender};
use crate::content::split::{Found, Splitter};
use crate::content::{Decoding, Framing};
use crate::problem::{Fault, Problem};

/// Reads one value.
pub(super) type Decoder<T> = fn(&[u8], Decoding<'_>) -> Result<T>;

/// Values out of content that comes in piece by piece, one for each time that one is asked for.
pub(super) struct Arrived<T> {
    arriving: Arriving,
    splitter: Splitter,
    each: Each,
    limits: Limits,
    decode: Decoder<T>,
    /// What came of the next value; never more than the value and one piece.
    bytes: BytesMut,
    has_ended: bool,
    is_done: bool,
    /// How many values there were, and how many bytes and lines they took.
    index: usize,
    offset: u64,
    lines: u64,
}

impl<T> Arrived<T> {
    pub(super) fn new(arriving: Arriving, each: Each, limits: Limits, decode: Decoder<T>) -> Self {
        Arrived {
            arriving,
            splitter: each.framing.splitter(limits.depth),
            each,
            limits,
            decode,
            bytes: BytesMut::new(),
            has_ended: false,
            is_done: false,
            index: 0,
            offset: 0,
            lines: 0,
        }
    }

    /// What can be said without more bytes: the next value, the end, or nothing yet.
    fn step(&mut self) -> Poll<Option<std::result::Result<T, Problem>>> {
        loop {
            let found = match self.splitter.next(&self.bytes, self.has_ended) {
                Ok(found) => found,
                Err(error) => return Poll::Ready(Some(Err(self.wrong(error, &[], 0)))),
            };
            let limit = self.arriving.bounds().value_bytes;
            let (value, taken) = match found {
                Found::Filler { taken } => {
                    self.take(taken);
                    continue;
                }
                Found::More if self.bytes.len() <= limit => return Poll::Pending,
                Found::More => return Poll::Ready(Some(Err(self.too_large()))),
                Found::End => return Poll::Ready(None),
                Found::Failure { problem } => return Poll::Ready(Some(Err(self.told(&problem)))),
                Found::Event { data, taken } => (self.value(&data, 0), taken),
                Found::Value { range, taken } if range.len() <= limit => {
                    let value = self.bytes.get(range.clone()).unwrap_or_default();
                    (self.value(value, range.start), taken)
                }
                Found::Value { .. } => return Poll::Ready(Some(Err(self.too_large()))),
            };
            self.take(taken);
            self.index += 1;
            return Poll::Ready(Some(value));
        }
    }

    /// The value in these bytes, which begin `start` bytes behind what was taken.
    #[inline]
    fn value(&self, bytes: &[u8], start: usize) -> std::result::Result<T, Problem> {
        let Each { representation, codecs, .. } = &self.each;
        let (representation, codecs) = (*representation, codecs.as_ref());
        let decoded =
            (self.decode)(bytes, Decoding { representation, codecs, limits: self.limits });
        decoded.map_err(|error| self.wrong(error, bytes, start))
    }

    /// Whether each value has a line.
    fn has_lines(&self) -> bool {
        self.each.framing.built_in() == Some(Framing::Lines)
    }

    fn take(&mut self, taken: usize) {
        if self.has_lines() {
            let gone = self.bytes.get(..taken).unwrap_or_default();
            self.lines += gone.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
        self.bytes.advance(taken.min(self.bytes.len()));
        self.offset += taken as u64;
    }

    /// What is wrong with a value: which it is, and where.
    #[cold]
    fn wrong(&self, error: Error, bytes: &[u8], start: usize) -> Problem {
        let status = match (self.arriving.bounds().sender, error.category()) {
            (Sender::Server, _) => StatusCode::BAD_GATEWAY,
            (Sender::Client, Category::Data) => StatusCode::UNPROCESSABLE_ENTITY,
            (Sender::Client, _) => StatusCode::BAD_REQUEST,
        };
        let line = self.has_lines().then_some(self.lines + 1);
        let fault = Fault::of_item(error, bytes, self.index, self.offset + start as u64, line);
        Problem::new(status).with_errors(vec![fault])
    }

    #[cold]
    fn too_large(&self) -> Problem {
        let Bounds { value_bytes, sender, .. } = self.arriving.bounds();
        let status = match sender {
            Sender::Client => StatusCode::PAYLOAD_TOO_LARGE,
            Sender::Server => StatusCode::BAD_GATEWAY,
        };
        let index = self.index;
        let detail = format!("item {index} goes beyond the limit of {value_bytes} bytes");
        Problem::new(status).with_detail(detail)
    }

    /// The failure that the sender told of.
    #[cold]
    fn told(&self, problem: &[u8]) -> Problem {
        let told = json::from_slice_with(problem, self.limits);
        told.unwrap_or_else(|_| {
            let detail = "the stream failed, and did not say why";
            Problem::new(StatusCode::BAD_GATEWAY).with_detail(detail)
        })
    }
}

impl<T> Stream for Arrived<T> {
    type Item = std::result::Result<T, Problem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_done {
            return Poll::Ready(None);
        }
        loop {
            if let Poll::Ready(item) = this.step() {
                // Behind what is wrong nothing can be trusted to begin where it should.
                this.is_done = !matches!(item, Some(Ok(_)));
                return Poll::Ready(item);
            }
            match ready!(this.arriving.poll_piece(context)) {
                None => this.has_ended = true,
                Some(Ok(piece)) => this.bytes.extend_from_slice(&piece),
                Some(Err(problem)) => {
                    this.is_done = true;
                    return Poll::Ready(Some(Err(problem)));
                }
            }
        }
    }
}
