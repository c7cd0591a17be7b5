//! The buffered part of a stream: decoding of its content coding, growth for long values, and limits.
//!
//! A limit on the ratio of buffered to coded bytes refuses decompression bombs.

use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use manywire_codec::coding::stream;
use manywire_codec::json;
use manywire_format::Coding;

use crate::payload::InputPosition;

/// The number of bytes in each read: large enough to make system calls cheap, small enough for the
/// cache.
const CHUNK_BYTES: usize = 256 << 10;

/// The buffered part of a stream: from the first byte that is not consumed to the last one read.
///
/// The window grows only if a value does not end in it. It then doubles before the value is parsed
/// again, so that a value of any length is read in linear time.
pub(crate) struct Window {
    input: ByteReader,
    // The whole vector is initialised; `filled` is the range of the bytes that were read.
    bytes: Vec<u8>,
    filled: Range<usize>,
    ended: bool,
    // The number of bytes before the window.
    offset: u64,
    lines: usize,
    // Characters between the last line feed and the window.
    column: usize,
    // The length of the window when it was last too short for a value.
    stuck_at: usize,
}

/// The number of line feeds up to an offset of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    offset: u64,
    lines: usize,
}

impl Window {
    pub(crate) fn new(input: ByteReader) -> Self {
        Window {
            input,
            bytes: Vec::new(),
            filled: 0..0,
            ended: false,
            offset: 0,
            lines: 0,
            column: 0,
            stuck_at: 0,
        }
    }

    /// Returns the buffered bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.filled.clone()]
    }

    /// Returns whether the buffered bytes are the last ones.
    pub(crate) fn is_last(&self) -> bool {
        self.ended
    }

    /// Reads more bytes. Returns `false` if no byte is left. If nothing was consumed since the last
    /// call, the window is longer afterwards, or its bytes are the last ones.
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        let held = self.filled.len();
        // Small windows are parsed again after any read, because a user may be typing the input.
        let enough = if held == self.stuck_at && held >= CHUNK_BYTES { 2 * held } else { held + 1 };
        while self.filled.len() < enough && !self.ended {
            // A decompression bomb is refused; a long stream is not, because it is never buffered.
            self.check_buffered("a value", self.filled.len()).map_err(io::Error::other)?;
            self.make_room();
            let room = &mut self.bytes[self.filled.end..];
            match self.input.read(room) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.stuck_at = self.filled.len();
        Ok(!self.filled.is_empty())
    }

    /// Checks that `held` bytes may be buffered, given the coded bytes read so far.
    pub(crate) fn check_buffered(
        &self,
        what: &'static str,
        held: usize,
    ) -> Result<(), RatioExceeded> {
        self.input.coded_input().map_or(Ok(()), |packed| packed.check_buffered(what, held))
    }

    /// Checks that converted payloads may take `held` bytes, given the bytes read so far. Converted
    /// payloads repeat the names that a schema has once, so a small file could fill the memory.
    pub(crate) fn check_made(&self, held: usize) -> Result<(), RatioExceeded> {
        let read = self.offset as usize + self.filled.len();
        let given = self.input.coded_input().map_or(read, CodedInput::bytes);
        if may_be_held(held, given) {
            return Ok(());
        }
        Err(RatioExceeded::Converted { given, held })
    }

    /// Returns the number of lines before the window.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the offset in the stream of the byte at `at`.
    pub(crate) fn stream_offset(&self, at: usize) -> u64 {
        self.offset + at as u64
    }

    /// Returns the number of lines before a byte of the window. The byte must be after that of the
    /// previous call, whose count in `counted` is continued.
    pub(crate) fn lines_before(&self, at: usize, counted: &mut Counted) -> usize {
        let start = match counted.offset.checked_sub(self.offset) {
            Some(start) => start as usize,
            None => {
                counted.lines = self.lines;
                0
            }
        };
        let passed = self.bytes().get(start..at).unwrap_or_default();
        let newlines = memchr::memchr_iter(b'\n', passed).count();
        *counted = Counted { offset: self.stream_offset(at), lines: counted.lines + newlines };
        counted.lines
    }

    /// Reads and returns all remaining bytes, within the limit on the ratio.
    pub(crate) fn into_rest(mut self) -> io::Result<Vec<u8>> {
        while self.fill()? && !self.ended {}
        self.bytes.truncate(self.filled.end);
        self.bytes.drain(..self.filled.start);
        Ok(self.bytes)
    }

    fn make_room(&mut self) {
        if self.bytes.len() - self.filled.end >= CHUNK_BYTES {
            return;
        }
        if self.filled.start > 0 {
            self.bytes.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
        }
        if self.bytes.len() - self.filled.end < CHUNK_BYTES {
            let len = (2 * self.filled.end).max(self.filled.end + 2 * CHUNK_BYTES);
            self.bytes.resize(len, 0);
        }
    }

    /// Consumes bytes.
    pub(crate) fn take(&mut self, count: usize, text: bool) {
        let taken = &self.bytes[self.filled.start..self.filled.start + count];
        if text {
            let newlines = taken.iter().filter(|&&byte| byte == b'\n').count();
            if newlines > 0 {
                self.lines += newlines;
                self.column = 0;
            }
            let line = taken.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            self.column += characters(&taken[line..]);
        }
        self.filled.start += count;
        self.offset += count as u64;
        self.stuck_at = 0;
    }

    /// Converts an offset in the window to a position in the input.
    #[cold]
    pub(crate) fn place(&self, at: usize, text: bool) -> InputPosition {
        if !text {
            return InputPosition::Byte(usize::try_from(self.offset).unwrap_or(usize::MAX) + at);
        }
        let position = json::position(self.bytes(), at);
        let mut place = InputPosition::in_text(self.bytes(), at);
        if let InputPosition::Text { line, column, .. } = &mut place {
            *line += self.lines;
            if position.line == 1 {
                *column += self.column;
            }
        }
        place
    }
}

/// Returns the number of characters that begin in these bytes.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// The number of bytes in each read of a file with a content coding.
const CODED_BYTES: usize = 64 << 10;

/// The maximum size in bytes of a value that may come from any number of coded bytes.
const ANY_RATIO_BYTES: usize = 2 << 20;

/// The maximum ratio of decoded to coded bytes for longer values. The ratio of real documents is
/// far lower.
const RATIO_MAX: usize = 200;

/// A reader of the bytes of a source, without its content coding.
pub struct ByteReader {
    reader: Box<dyn Read + Send>,
    packed: Option<CodedInput>,
}

/// The content coding of a source, with a count of the coded bytes that have been decoded.
#[derive(Clone, Debug)]
pub struct CodedInput {
    coding: Coding,
    /// True if the coding was detected by the first bytes, because neither the extension nor the
    /// caller named it.
    is_detected: bool,
    taken: Arc<AtomicUsize>,
}

impl ByteReader {
    /// Returns a reader of uncompressed bytes.
    pub(crate) fn plain(input: impl Read + Send + 'static) -> ByteReader {
        ByteReader { reader: Box::new(input), packed: None }
    }

    /// Returns a reader that decodes a content coding.
    ///
    /// # Errors
    /// Fails for a coding that is not compiled in.
    pub(crate) fn coded(
        coding: Coding,
        input: impl Read + Send + 'static,
    ) -> manywire_codec::Result<ByteReader> {
        let packed = CodedInput { coding, is_detected: false, taken: Arc::default() };
        let input = BufReader::with_capacity(CODED_BYTES, input);
        let counted = CountedReader { input, taken: packed.taken.clone() };
        let reader = stream::reader(coding, counted)?;
        Ok(ByteReader { reader, packed: Some(packed) })
    }

    /// Notes that the coding was detected by the first bytes, so that an error says how to read the
    /// input without a coding.
    pub(crate) fn with_detected_coding(mut self) -> ByteReader {
        if let Some(input) = &mut self.packed {
            input.is_detected = true;
        }
        self
    }

    /// Returns the content coding of the bytes, if there is one. [`CodedInput::bytes`] grows while
    /// bytes are read.
    pub fn coded_input(&self) -> Option<&CodedInput> {
        self.packed.as_ref()
    }
}

impl Read for ByteReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).map_err(|error| match (&self.packed, error.kind()) {
            (Some(input), ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
                if input.is_detected =>
            {
                detected_wrongly(&error, input.coding)
            }
            _ => error,
        })
    }
}

#[cold]
fn detected_wrongly(error: &io::Error, coding: Coding) -> io::Error {
    let message = format!(
        "{error}; the first bytes are those of {coding}: if they are not compressed, `explain` and \
         `convert` read them with --from-coding none"
    );
    io::Error::new(error.kind(), message)
}

impl CodedInput {
    /// Returns the coding.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Returns the number of coded bytes that have been decoded so far.
    pub fn bytes(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Checks that `held` bytes of `what`, such as a value, may be buffered, given the coded bytes so far.
    ///
    /// # Errors
    /// Fails if `held` is more than 2 MiB and more than 200 bytes for each coded byte.
    pub fn check_buffered(&self, what: &'static str, held: usize) -> Result<(), RatioExceeded> {
        if may_be_held(held, self.bytes()) {
            return Ok(());
        }
        Err(RatioExceeded::Decoded { what, coded: self.bytes(), held })
    }
}

/// The error for an input that takes too much memory in relation to its size, as a decompression bomb
/// does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RatioExceeded {
    /// Decoded bytes.
    Decoded {
        /// The name of the data that the bytes are, such as `a value`.
        what: &'static str,
        /// The number of coded bytes.
        coded: usize,
        /// The number of decoded bytes.
        held: usize,
    },
    /// Converted payloads.
    Converted {
        /// The number of bytes in the input.
        given: usize,
        /// The number of bytes of the payloads.
        held: usize,
    },
}

impl fmt::Display for RatioExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RatioExceeded::Decoded { what, coded, held } => write!(
                f,
                "{what} of more than {held} bytes comes from {coded} coded ones, more than \
                 {RATIO_MAX} to one: if it is meant to, take the coding off first"
            ),
            RatioExceeded::Converted { given, held } => write!(
                f,
                "payloads made of {given} bytes take more than {held}, more than {RATIO_MAX} to \
                 one: if they are meant to, make them one by one with `manywire convert --to \
                 cbor-seq` first"
            ),
        }
    }
}

impl std::error::Error for RatioExceeded {}

/// Returns whether `held` bytes in memory may come from `from` bytes of input.
fn may_be_held(held: usize, from: usize) -> bool {
    held <= ANY_RATIO_BYTES || held / RATIO_MAX <= from
}

/// Counts the bytes that a decoder consumes from a buffer. Bytes that are only read ahead do not count.
struct CountedReader<R> {
    input: R,
    taken: Arc<AtomicUsize>,
}

impl<R: BufRead> BufRead for CountedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.taken.fetch_add(count, Ordering::Relaxed);
        self.input.consume(count);
    }
}

impl<R: BufRead> Read for CountedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.taken.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}
