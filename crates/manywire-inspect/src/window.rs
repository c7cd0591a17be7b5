//! What is held of an input while it is walked.

use std::io::{self, Read};

/// The bytes from where the walk stands on, as far as they have been read.
pub(crate) struct Window<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    /// How much of the buffer lies behind the walk.
    start: usize,
    /// Where the buffer begins in the input.
    base: usize,
    ended: bool,
    /// How much is read at once, at least.
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

    /// Where the window begins in the input.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.start
    }

    /// Whether the window reaches to the end of the input.
    pub(crate) fn is_last(&self) -> bool {
        self.ended
    }

    pub(crate) fn pass(&mut self, length: usize) {
        self.start = self.buffer.len().min(self.start + length);
    }

    /// Reads as much again as there is, so that a value which needs it all is looked at a few
    /// times at most. What the input claims of itself has no say in it. `false` at the end.
    pub(crate) fn extend(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.start);
        self.base += self.start;
        self.start = 0;
        let wanted = self.buffer.len().max(self.read_size);
        let read = (&mut *self.reader).take(wanted as u64).read_to_end(&mut self.buffer)?;
        self.ended |= read < wanted;
        Ok(read > 0)
    }

    /// Reads until there are as many bytes; `false` if the input ends before.
    pub(crate) fn reach(&mut self, length: usize) -> io::Result<bool> {
        while self.bytes().len() < length && !self.ended {
            self.extend()?;
        }
        Ok(self.bytes().len() >= length)
    }
}
