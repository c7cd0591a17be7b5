//! Streams in a coding, on their way in.

use std::collections::VecDeque;
use std::io;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use manywire_codec::Result;
use manywire_format::Coding;

use super::library::{RATIO, reader};

/// How much is decoded at a time, in bytes.
const STEP_BYTES: usize = 16 << 10;

/// Takes codings off pieces as they come. It never waits, and never holds more than one step of
/// what is decoded, however much a piece stands for.
pub(crate) struct StreamDecoder {
    reader: Box<dyn Read + Send>,
    step: Box<[u8]>,
    queue: Arc<Mutex<InputQueue>>,
    limits: StreamDecoderLimits,
    input_bytes: usize,
    decoded_bytes: usize,
    spent: Duration,
}

/// What a client may make a server decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamDecoderLimits {
    /// How many decoded bytes one coded byte may stand for, and from which size on, in bytes, that
    /// counts; nothing where it does not matter.
    pub(crate) ratio: Option<(usize, usize)>,
    /// The most that may come in coded, in bytes.
    pub(crate) coded_bytes: usize,
    /// How long decoding may take in all, or, where nothing limits how much there is, how long
    /// without anything to show for it.
    pub(crate) time: Duration,
    pub(crate) is_endless: bool,
}

impl StreamDecoderLimits {
    /// The ratio of whole messages: at what a client sends, a server works.
    pub(crate) const RATIO: Option<(usize, usize)> = Some(RATIO);
}

/// What there is to say of what came so far.
#[derive(Debug)]
pub(crate) enum DecodeStep {
    /// Decoded bytes: at least one.
    Decoded(Bytes),
    /// More has to come.
    NeedsInput,
    /// The end, in order.
    End,
}

/// Why coded bytes are not decoded.
#[derive(Debug)]
pub(crate) enum DecodeFailure {
    /// They are not of the coding, or end early.
    Invalid(String),
    /// They go beyond a limit.
    Limit(String),
}

impl StreamDecoder {
    /// Takes off these codings, the last applied first.
    ///
    /// # Errors
    /// A coding that was not compiled in.
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

    /// Gives it a piece.
    pub(crate) fn feed(&mut self, piece: Bytes) {
        self.input_bytes = self.input_bytes.saturating_add(piece.len());
        if !piece.is_empty() {
            self.queue.lock().unwrap_or_else(PoisonError::into_inner).pieces.push_back(piece);
        }
    }

    /// Tells it that there are no more.
    pub(crate) fn end(&mut self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
    }

    /// Decodes a step.
    ///
    /// # Errors
    /// Bytes that are not of the coding, or go beyond a limit.
    pub(crate) fn step(&mut self) -> std::result::Result<DecodeStep, DecodeFailure> {
        let StreamDecoderLimits { coded_bytes, is_endless, .. } = self.limits;
        if self.input_bytes > coded_bytes {
            let what = format!("the coded bytes go beyond the limit of {coded_bytes}");
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

/// What came and is not decoded yet.
#[derive(Debug, Default)]
struct InputQueue {
    pieces: VecDeque<Bytes>,
    has_ended: bool,
}

/// What came, to be read from: where there is nothing yet, it says so instead of waiting.
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
