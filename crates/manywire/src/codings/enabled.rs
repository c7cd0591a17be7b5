//! Content codings with a compression library: whole messages, and streams that are encoded while
//! they are produced.

use std::cell::RefCell;
use std::io;
use std::io::{BufRead, Read, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_core::Stream;
use manywire_codec::Result;
use manywire_codec::coding::stream::{Writer, reader_within};
use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_format::{Coding, CodingLevel};

use crate::body::BodyError;
use crate::limits::Limits;

// Allocating the working memory of a coding is most of its cost at the size of a response. Each
// thread therefore caches one encoder for each level and one decoder for each coding; a codec in
// use is taken out of the cache.
thread_local! {
    static ENCODERS: RefCell<Vec<Encoder>> = const { RefCell::new(Vec::new()) };
    static DECODERS: RefCell<Vec<(DecodeLimits, Decoder)>> = const { RefCell::new(Vec::new()) };
}

fn encode_into(coding: Coding, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let level = CodingLevel::from(coding);
    let cached = ENCODERS.with_borrow_mut(|encoders| {
        let at = encoders.iter().position(|encoder| encoder.level() == level)?;
        Some(encoders.swap_remove(at))
    });
    let mut encoder = match cached {
        Some(encoder) => encoder,
        None => Encoder::new(level)?,
    };
    encoder.encode(bytes, out)?;
    ENCODERS.with_borrow_mut(|encoders| encoders.push(encoder));
    Ok(())
}

/// Removes one content coding, within limits of size and time.
///
/// # Errors
/// Fails on bytes that are invalid in this coding, and on decoded bytes beyond a limit or the
/// default ratio to the coded bytes.
pub(crate) fn decode(coding: Coding, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let limits =
        DecodeLimits::DEFAULT.with_bytes(limits.decoded_bytes).with_time(limits.inflate_timeout);
    let cached = DECODERS.with_borrow_mut(|decoders| {
        let is_it = |(known, decoder): &(DecodeLimits, Decoder)| {
            *known == limits && decoder.coding() == coding
        };
        let at = decoders.iter().position(is_it)?;
        Some(decoders.swap_remove(at).1)
    });
    let mut decoder = match cached {
        Some(decoder) => decoder,
        None => Decoder::new(coding, limits)?,
    };
    let mut out = Vec::new();
    // A decoder that has failed is not returned to the cache.
    decoder.decode(bytes, &mut out)?;
    DECODERS.with_borrow_mut(|decoders| {
        decoders.retain(|(known, cached)| *known == limits && cached.coding() != coding);
        decoders.push((limits, decoder));
    });
    Ok(out)
}

/// Encodes a response. Returns `None` if the encoder fails.
pub(crate) fn encode(coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() / 2);
    encode_into(coding, bytes, &mut out)
        .inspect_err(|error| tracing::error!(%error, %coding, "a response could not be encoded"))
        .ok()?;
    Some(out)
}

/// The decoded bytes that one coded byte may expand to, and the number of decoded bytes that are
/// exempt from this ratio.
pub(super) const RATIO: (usize, usize) =
    (DecodeLimits::DEFAULT.ratio, DecodeLimits::DEFAULT.ratio_free_bytes);

/// Returns a reader that removes one content coding.
///
/// # Errors
/// Fails if the coding is not compiled in.
pub(super) fn reader(
    coding: Coding,
    input: impl BufRead + Send + 'static,
) -> Result<Box<dyn Read + Send>> {
    reader_within(DecodeLimits::DEFAULT.window_bytes, coding, input)
}

/// The window of a coding in a stream, in bytes. Thousands of streams are open at once, and each
/// has its own window: with the windows of whole messages each stream would take megabytes. Matches
/// further back are rarely worth it, since similar values are close together.
const WINDOW_BYTES: usize = 256 << 10;

/// The number of coded bytes that are sent on before the source pauses.
const CHUNK_BYTES: usize = 16 << 10;

/// The number of bytes that are encoded before other tasks run.
const TURN_BYTES: usize = 64 << 10;

/// The longest time that bytes wait in the encoder while the source keeps producing.
const WAIT: Duration = Duration::from_millis(100);

/// A stream of bytes in a content coding.
///
/// The encoder is flushed as soon as the source has no more data ready, so a single value is not
/// delayed until the next one. Values that are ready together are encoded together.
pub(crate) struct StreamEncoder<S> {
    pieces: S,
    level: CodingLevel,
    /// The encoder, created with the first chunk, so that a HEAD request creates none.
    writer: Option<Writer<Vec<u8>>>,
    /// The time since which bytes are buffered in the encoder.
    pending_since: Option<Instant>,
    state: State,
}

enum State {
    Open,
    /// The stream failed; the bytes written before the failure are sent first.
    Failing(BodyError),
    Failed(BodyError),
    Ended,
}

impl<S> StreamEncoder<S> {
    pub(crate) fn new(pieces: S, coding: Coding) -> Self {
        let level = CodingLevel::from(coding);
        StreamEncoder { pieces, level, writer: None, pending_since: None, state: State::Open }
    }

    fn writer(&mut self) -> io::Result<&mut Writer<Vec<u8>>> {
        match &mut self.writer {
            Some(writer) => Ok(writer),
            none => {
                let writer = Writer::with_window(WINDOW_BYTES, self.level, Vec::new());
                Ok(none.insert(writer.map_err(io::Error::other)?))
            }
        }
    }

    /// Takes the encoded bytes that are available.
    fn take(&mut self) -> Bytes {
        self.writer
            .as_mut()
            .map(|writer| std::mem::take(writer.get_mut()))
            .unwrap_or_default()
            .into()
    }

    fn coded_bytes(&mut self) -> usize {
        self.writer.as_mut().map_or(0, |writer| writer.get_mut().len())
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.writer()?.write_all(piece)?;
        self.pending_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Flushes the encoder, so that the other end can decode everything written so far.
    fn flush(&mut self) -> io::Result<Bytes> {
        if self.pending_since.take().is_some() {
            self.writer()?.flush()?;
        }
        Ok(self.take())
    }

    /// Ends the coding and returns the remaining bytes. An empty stream has an end marker, too.
    fn finish(&mut self) -> io::Result<Bytes> {
        self.writer()?;
        self.pending_since = None;
        match self.writer.take() {
            Some(writer) => Ok(writer.finish()?.into()),
            None => Ok(Bytes::new()),
        }
    }

    /// Returns whether the buffered bytes have waited long enough.
    fn is_due(&self) -> bool {
        self.pending_since.is_some_and(|since| since.elapsed() >= WAIT)
    }

    #[cold]
    fn failed(&mut self, error: &io::Error) -> BodyError {
        tracing::error!(%error, level = %self.level, "a stream could not be encoded");
        self.state = State::Ended;
        BodyError::new("the stream could not be encoded")
    }
}

impl<S> Stream for StreamEncoder<S>
where
    S: Stream<Item = std::result::Result<Bytes, BodyError>> + Unpin,
{
    type Item = std::result::Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut taken = 0;
        loop {
            match this.state {
                State::Open => {}
                State::Failing(error) => {
                    this.state = State::Failed(error);
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                State::Failed(error) => {
                    this.state = State::Ended;
                    return Poll::Ready(Some(Err(error)));
                }
                State::Ended => return Poll::Ready(None),
            }
            let coded = match Pin::new(&mut this.pieces).poll_next(context) {
                Poll::Ready(Some(Ok(piece))) => {
                    taken += piece.len();
                    match this.write(&piece) {
                        Ok(()) if this.is_due() => this.flush(),
                        Ok(()) if this.coded_bytes() >= CHUNK_BYTES => Ok(this.take()),
                        Ok(()) if taken < TURN_BYTES => continue,
                        Ok(()) => {
                            context.waker().wake_by_ref();
                            return Poll::Pending;
                        }
                        Err(error) => Err(error),
                    }
                }
                // The other end receives what was written before the failure. The coding is left
                // without its end, so that the stream is not taken for complete.
                Poll::Ready(Some(Err(error))) => {
                    this.state = State::Failing(error);
                    this.flush()
                }
                Poll::Ready(None) => {
                    this.state = State::Ended;
                    this.finish()
                }
                Poll::Pending => match this.flush() {
                    Ok(coded) if coded.is_empty() => return Poll::Pending,
                    coded => coded,
                },
            };
            match coded {
                Ok(coded) if coded.is_empty() => {}
                Ok(coded) => return Poll::Ready(Some(Ok(coded))),
                Err(error) => return Poll::Ready(Some(Err(this.failed(&error)))),
            }
        }
    }
}
