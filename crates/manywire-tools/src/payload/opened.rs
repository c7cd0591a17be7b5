//! The bytes of a source while they are read, and how much they may become.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use manywire_codec::coding::stream;
use manywire_format::Coding;

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
        let counted = Counted { input, taken: packed.taken.clone() };
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
struct Counted<R> {
    input: R,
    taken: Arc<AtomicUsize>,
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.taken.fetch_add(count, Ordering::Relaxed);
        self.input.consume(count);
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.taken.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}
