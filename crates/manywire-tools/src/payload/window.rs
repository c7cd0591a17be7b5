//! The part of a stream that is in memory, the coding that is taken off it, and how much of it may be
//! held: a limit on the ratio of decoded to coded bytes refuses decompression bombs.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use manywire_codec::coding::stream;
use manywire_codec::json;
use manywire_format::Coding;

use crate::payload::Place;

/// Bytes asked for at a time: enough that system calls do not show, few enough for the cache.
const CHUNK_BYTES: usize = 256 << 10;

/// The part of a stream that is in memory: from the first byte not yet taken to the last one read.
///
/// It grows only where a value does not end in it, and then to twice its size before that value is
/// tried again, so that a value of any length is read in linear time.
pub(crate) struct Window {
    input: Opened,
    // Everything up to its length has been made; what is filled is in `filled`.
    bytes: Vec<u8>,
    filled: Range<usize>,
    ended: bool,
    // What stands before the window.
    offset: u64,
    lines: usize,
    // Characters between the last line feed and the window.
    column: usize,
    // How much was there when it was found to be too little.
    stuck_at: usize,
}

/// Line feeds that were counted up to some byte of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    offset: u64,
    lines: usize,
}

impl Window {
    pub(crate) fn new(input: Opened) -> Self {
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

    /// The bytes that are there.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.filled.clone()]
    }

    /// Whether nothing comes behind them.
    pub(crate) fn is_last(&self) -> bool {
        self.ended
    }

    /// Reads more; `false` once there is nothing left at all. If nothing was taken since the last
    /// time, there are more bytes than before, or the window is the last.
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        let held = self.filled.len();
        // Small windows are tried again with whatever comes, for whoever types it.
        let enough = if held == self.stuck_at && held >= CHUNK_BYTES { 2 * held } else { held + 1 };
        while self.filled.len() < enough && !self.ended {
            self.check_ratio()?;
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

    /// Whether what is held of one value may be from so few coded bytes: a bomb is refused, and a
    /// stream of any length, which is never held, is not.
    fn check_ratio(&self) -> io::Result<()> {
        self.check_held("a value", self.filled.len()).map_err(io::Error::other)
    }

    /// Whether so many bytes may be held of what was read so far.
    pub(crate) fn check_held(&self, what: &str, held: usize) -> Result<(), String> {
        self.input.packed().map_or(Ok(()), |packed| packed.check_held(what, held))
    }

    /// Whether payloads made of what was read so far may be so many bytes: names that a schema has
    /// once are in each of them, and a small file must not fill the memory.
    pub(crate) fn check_made(&self, held: usize) -> Result<(), String> {
        let read = self.offset as usize + self.filled.len();
        let given = self.input.packed().map_or(read, Packed::bytes);
        if may_be_held(held, given) {
            return Ok(());
        }
        Err(format!(
            "payloads made of {given} bytes take more than {held}, more than {RATIO_MAX} to one: if \
             they are meant to, make them one by one with `manywire convert --to cbor-seq` first"
        ))
    }

    /// How many lines stand before the window.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// How many lines stand before a byte of the window, which is behind the one that was asked for
    /// before: what was counted then is not counted again.
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
        *counted = Counted { offset: self.offset + at as u64, lines: counted.lines + newlines };
        counted.lines
    }

    /// All that is left, as long as it may be held.
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

    /// Leaves bytes behind.
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

    /// A place in the whole, by its offset in the window.
    #[cold]
    pub(crate) fn place(&self, at: usize, text: bool) -> Place {
        if !text {
            return Place::Byte(usize::try_from(self.offset).unwrap_or(usize::MAX) + at);
        }
        let position = json::position(self.bytes(), at);
        let mut place = Place::in_text(self.bytes(), at);
        if let Place::Text { line, column, .. } = &mut place {
            *line += self.lines;
            if position.line == 1 {
                *column += self.column;
            }
        }
        place
    }
}

/// How many characters begin in these bytes.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Bytes read from a file at a time where a coding has to be taken off them.
const CODED_BYTES: usize = 64 << 10;

/// What one value may be from coded bytes, however few, in bytes.
const ANY_RATIO_BYTES: usize = 2 << 20;

/// How many bytes of a longer one a coded byte may stand for: real documents stay far below.
pub(crate) const RATIO_MAX: usize = 200;

/// The bytes of a source, without the coding if it has one.
pub struct Opened {
    reader: Box<dyn Read + Send>,
    packed: Option<Packed>,
}

/// The coding that bytes come in, and how many coded ones have been decoded so far.
#[derive(Clone, Debug)]
pub struct Packed {
    coding: Coding,
    taken: Arc<AtomicUsize>,
}

impl Opened {
    /// Bytes as they come.
    pub(crate) fn plain(input: impl Read + Send + 'static) -> Opened {
        Opened { reader: Box::new(input), packed: None }
    }

    /// What is left of bytes when a coding is taken off them.
    ///
    /// # Errors
    /// A coding that was not compiled in.
    pub(crate) fn coded(
        coding: Coding,
        input: impl Read + Send + 'static,
    ) -> manywire_codec::Result<Opened> {
        let packed = Packed { coding, taken: Arc::default() };
        let input = BufReader::with_capacity(CODED_BYTES, input);
        let counted = CountedReader { input, taken: packed.taken.clone() };
        Ok(Opened { reader: stream::reader(coding, counted)?, packed: Some(packed) })
    }

    /// What the bytes are unpacked from, unless they come as they are. It counts on while they are
    /// read.
    pub fn packed(&self) -> Option<&Packed> {
        self.packed.as_ref()
    }
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl Packed {
    /// The coding.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// How many coded bytes have been decoded so far.
    pub fn bytes(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether this many bytes may be held of `what`, such as a value, which come from so few coded
    /// ones: a bomb is refused, and a stream of any length, which is never held, is not.
    ///
    /// # Errors
    /// That they may not: beyond 2 MiB a coded byte stands for 200 at most.
    pub fn check_held(&self, what: &str, held: usize) -> Result<(), String> {
        if may_be_held(held, self.bytes()) {
            return Ok(());
        }
        Err(format!(
            "{what} of more than {held} bytes comes from {} coded ones, more than {RATIO_MAX} to \
             one: if it is meant to, take the coding off first",
            self.bytes()
        ))
    }
}

/// Whether so many bytes may be held that come from so few.
pub(crate) fn may_be_held(held: usize, from: usize) -> bool {
    held <= ANY_RATIO_BYTES || held / RATIO_MAX <= from
}

/// Counts what is taken out of a buffer: what is read ahead has not been decoded.
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
