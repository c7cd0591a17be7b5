//! Streams in a coding, on their way out.

use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_core::Stream;
use manywire_codec::coding::stream::Writer;
use manywire_format::{Coding, CodingLevel};

use crate::server::BodyError;

/// What a coding looks back on in a stream, in bytes. Thousands of streams are open at once, and
/// each keeps its own: with the windows of whole messages each would take megabytes. What is found
/// further back than this is seldom worth it, since values that are alike stand close together.
const WINDOW_BYTES: usize = 256 << 10;

/// Enough coded bytes to be worth handing on before the source pauses.
const CHUNK_BYTES: usize = 16 << 10;

/// How many bytes are coded before other work has its turn.
const TURN_BYTES: usize = 64 << 10;

/// How long bytes may wait for more to be coded with them, where the source never pauses.
const WAIT: Duration = Duration::from_millis(100);

/// A stream of pieces in a coding.
///
/// Whatever was written is on its way as soon as the source has nothing more at hand, so that a
/// value that comes alone is not held back for the next; values that come together are coded
/// together.
pub(crate) struct Coded<S> {
    pieces: S,
    level: CodingLevel,
    /// Made with the first piece: who asks for the head alone pays for no more.
    writer: Option<Writer<Vec<u8>>>,
    /// Since when bytes wait in the coding.
    waiting: Option<Instant>,
    state: State,
}

enum State {
    Open,
    /// What was written before the failure goes out first.
    Breaking(BodyError),
    Broken(BodyError),
    Ended,
}

impl<S> Coded<S> {
    pub(crate) fn new(pieces: S, coding: Coding) -> Self {
        let level = CodingLevel::from(coding);
        Coded { pieces, level, writer: None, waiting: None, state: State::Open }
    }

    fn writer(&mut self) -> io::Result<&mut Writer<Vec<u8>>> {
        match &mut self.writer {
            Some(writer) => Ok(writer),
            none => {
                let writer = Writer::within(WINDOW_BYTES, self.level, Vec::new());
                Ok(none.insert(writer.map_err(io::Error::other)?))
            }
        }
    }

    /// What is coded by now.
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
        self.waiting.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// All that was written, so that the other end can read it.
    fn flush(&mut self) -> io::Result<Bytes> {
        if self.waiting.take().is_some() {
            self.writer()?.flush()?;
        }
        Ok(self.take())
    }

    /// The rest, with what ends the coding: a stream of nothing has that, too.
    fn finish(&mut self) -> io::Result<Bytes> {
        self.writer()?;
        self.waiting = None;
        match self.writer.take() {
            Some(writer) => Ok(writer.finish()?.into()),
            None => Ok(Bytes::new()),
        }
    }

    /// Whether what was written has waited long enough.
    fn is_due(&self) -> bool {
        self.waiting.is_some_and(|since| since.elapsed() >= WAIT)
    }

    #[cold]
    fn failed(&mut self, error: &io::Error) -> BodyError {
        tracing::error!(%error, level = %self.level, "a stream could not be coded");
        self.state = State::Ended;
        BodyError::new("the stream could not be coded")
    }
}

impl<S> Stream for Coded<S>
where
    S: Stream<Item = Result<Bytes, BodyError>> + Unpin,
{
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut taken = 0;
        loop {
            match this.state {
                State::Open => {}
                State::Breaking(error) => {
                    this.state = State::Broken(error);
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                State::Broken(error) => {
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
                // What was written before the failure is the other end's to read. The coding has
                // no end, so that nobody takes it for complete.
                Poll::Ready(Some(Err(error))) => {
                    this.state = State::Breaking(error);
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
