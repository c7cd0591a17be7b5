//! A decoder for bodies in a content coding, which is fed with chunks as they arrive.

use std::collections::VecDeque;
use std::io;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use manywire_codec::Result;
use manywire_format::Coding;

use super::enabled::{RATIO, reader};

/// The number of bytes decoded in one step.
const STEP_BYTES: usize = 16 << 10;

/// Removes content codings from chunks as they arrive. The decoder never blocks, and holds at most
/// one step of decoded bytes, however large a chunk expands.
pub(crate) struct StreamDecoder {
    reader: Box<dyn Read + Send>,
    step: Box<[u8]>,
    queue: Arc<Mutex<InputQueue>>,
    limits: StreamDecoderLimits,
    input_bytes: usize,
    decoded_bytes: usize,
    spent: Duration,
}

/// Limits on the work that a client can cause by decoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamDecoderLimits {
    /// The decoded bytes that one coded byte may expand to, and the number of decoded bytes that
    /// are exempt. `None` disables the check.
    pub(crate) ratio: Option<(usize, usize)>,
    /// The largest coded size, in bytes.
    pub(crate) coded_bytes: usize,
    /// The longest time for decoding everything. If the size is not limited (`is_endless`), the
    /// longest time without any output.
    pub(crate) time: Duration,
    pub(crate) is_endless: bool,
}

impl StreamDecoderLimits {
    /// The ratio limit of whole messages, which bounds the work of a server.
    pub(crate) const RATIO: Option<(usize, usize)> = Some(RATIO);
}

/// The result of one decoding step.
#[derive(Debug)]
pub(crate) enum DecodeStep {
    /// At least one decoded byte.
    Decoded(Bytes),
    /// More input is needed.
    NeedsInput,
    /// The coding ended as it should.
    End,
}

/// The reason why decoding failed.
#[derive(Debug)]
pub(crate) enum DecodeFailure {
    /// The bytes are invalid in this coding, or end early.
    Invalid(String),
    /// A limit was exceeded.
    Limit(String),
}

impl StreamDecoder {
    /// Creates a decoder for these codings, the last applied first.
    ///
    /// # Errors
    /// Fails if a coding is not compiled in.
    pub(crate) fn new(
        codings: impl IntoIterator<Item = Coding>,
        limits: StreamDecoderLimits,
    ) -> Result<StreamDecoder> {
        let queue = Arc::new(Mutex::new(InputQueue::default()));
        let source = QueueReader { queue: Arc::clone(&queue), current: Bytes::new() };
        let mut codings = codings.into_iter();
        let mut decoded: Box<dyn Read + Send> = match codings.next() {
            Some(coding) => reader(coding, source)?,
            None => Box::new(source),
        };
        for coding in codings {
            decoded = reader(coding, BufReader::new(decoded))?;
        }
        Ok(StreamDecoder {
            reader: decoded,
            step: vec![0; STEP_BYTES].into(),
            queue,
            limits,
            input_bytes: 0,
            decoded_bytes: 0,
            spent: Duration::ZERO,
        })
    }

    /// Adds a chunk of input.
    pub(crate) fn feed(&mut self, piece: Bytes) {
        self.input_bytes = self.input_bytes.saturating_add(piece.len());
        if !piece.is_empty() {
            self.queue.lock().unwrap_or_else(PoisonError::into_inner).pieces.push_back(piece);
        }
    }

    /// Marks the end of the input.
    pub(crate) fn end(&mut self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
    }

    /// Decodes at most one step.
    ///
    /// # Errors
    /// Fails on invalid bytes and beyond a limit.
    pub(crate) fn step(&mut self) -> std::result::Result<DecodeStep, DecodeFailure> {
        let StreamDecoderLimits { coded_bytes, is_endless, .. } = self.limits;
        if self.input_bytes > coded_bytes {
            let what = format!("the encoded body exceeds the limit of {coded_bytes} bytes");
            return Err(DecodeFailure::Limit(what));
        }
        let begun = Instant::now();
        let read = loop {
            match self.reader.read(&mut self.step) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.spent += begun.elapsed();
        let inflated = match read {
            Ok(0) => DecodeStep::End,
            Ok(count) => {
                self.decoded_bytes = self.decoded_bytes.saturating_add(count);
                self.check_ratio()?;
                DecodeStep::Decoded(Bytes::copy_from_slice(
                    self.step.get(..count).unwrap_or_default(),
                ))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => DecodeStep::NeedsInput,
            Err(error) => return Err(DecodeFailure::Invalid(error.to_string())),
        };
        self.check_time()?;
        if is_endless && matches!(inflated, DecodeStep::Decoded(_)) {
            self.spent = Duration::ZERO;
        }
        Ok(inflated)
    }

    fn check_ratio(&self) -> std::result::Result<(), DecodeFailure> {
        let Some((ratio, free_bytes)) = self.limits.ratio else { return Ok(()) };
        let allowed = free_bytes.saturating_add(ratio.saturating_mul(self.input_bytes));
        if self.decoded_bytes <= allowed {
            return Ok(());
        }
        Err(DecodeFailure::Limit(format!(
            "the decoded bytes go beyond {ratio} for each coded byte, after the first {free_bytes}"
        )))
    }

    fn check_time(&self) -> std::result::Result<(), DecodeFailure> {
        let time = self.limits.time;
        if self.spent <= time {
            return Ok(());
        }
        Err(DecodeFailure::Limit(format!("decoding took longer than the limit of {time:?}")))
    }
}

/// Input that is not decoded yet.
#[derive(Debug, Default)]
struct InputQueue {
    pieces: VecDeque<Bytes>,
    has_ended: bool,
}

/// A reader over the queue. It returns `WouldBlock` where a blocking reader would wait.
struct QueueReader {
    queue: Arc<Mutex<InputQueue>>,
    current: Bytes,
}

impl BufRead for QueueReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.current.is_empty() {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            match queue.pieces.pop_front() {
                Some(piece) => self.current = piece,
                None if queue.has_ended => {}
                None => return Err(io::ErrorKind::WouldBlock.into()),
            }
        }
        Ok(&self.current)
    }

    fn consume(&mut self, count: usize) {
        self.current.advance(count.min(self.current.len()));
    }
}

impl Read for QueueReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}
