//! The part of an input that is in memory while the input is walked.

use std::io::{self, Read};

/// The bytes from the position of the walk to the last byte that has been read.
pub(crate) struct Window<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    /// The number of bytes at the front of the buffer that have been walked.
    start: usize,
    /// The offset of the buffer in the input.
    base: usize,
    ended: bool,
    /// The minimum number of bytes to read at once.
    read_size: usize,
}

impl<'r> Window<'r> {
    pub(crate) fn new(reader: &'r mut dyn Read, read_size: usize) -> Self {
        let read_size = read_size.max(1);
        Window { reader, buffer: Vec::new(), start: 0, base: 0, ended: false, read_size }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Returns the offset of the window in the input.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.start
    }

    /// Returns true if the window reaches the end of the input.
    pub(crate) fn is_last(&self) -> bool {
        self.ended
    }

    pub(crate) fn advance(&mut self, length: usize) {
        self.start = self.buffer.len().min(self.start + length);
    }

    /// Reads as many bytes as the window has, and at least `read_size`, so that a value which is
    /// walked again after each read is walked a few times at most. Lengths that the input states do
    /// not matter. Returns `false` at the end of the input.
    pub(crate) fn read_more(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.start);
        self.base += self.start;
        self.start = 0;
        let wanted = self.buffer.len().max(self.read_size);
        let read = (&mut *self.reader).take(wanted as u64).read_to_end(&mut self.buffer)?;
        self.ended |= read < wanted;
        Ok(read > 0)
    }

    /// Reads until the window has `length` bytes. Returns `false` if the input ends before.
    pub(crate) fn fill(&mut self, length: usize) -> io::Result<bool> {
        while self.bytes().len() < length && !self.ended {
            self.read_more()?;
        }
        Ok(self.bytes().len() >= length)
    }
}
