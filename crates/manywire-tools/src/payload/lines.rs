use std::io;

use crate::payload::InputError;
use crate::payload::window::Window;

/// Lines of a source, unread: for whoever reads them on several threads.
pub struct Lines {
    name: String,
    window: Window,
}

impl Lines {
    pub(crate) fn new(name: String, window: Window) -> Lines {
        Lines { name, window }
    }

    /// The next whole lines, some hundred kilobytes of them or one that is longer; the last may end
    /// without a line feed. Beside them, how many lines stand before; `None` at the end.
    ///
    /// # Errors
    /// A source that cannot be read any further, or a line that is too long for the coded bytes
    /// that it comes from.
    pub fn next(&mut self, lines: &mut Vec<u8>) -> Result<Option<usize>, InputError> {
        lines.clear();
        let before = self.window.lines();
        loop {
            let unreadable = |error: io::Error| InputError::unreadable(&self.name, &error);
            // What is too little to take makes the window longer.
            if !self.window.fill().map_err(unreadable)? {
                return Ok(None);
            }
            let bytes = self.window.bytes();
            let end = match memchr::memrchr(b'\n', bytes) {
                Some(newline) => newline + 1,
                None if self.window.is_last() => bytes.len(),
                None => continue,
            };
            lines.extend_from_slice(&bytes[..end]);
            self.window.take(end, true);
            return Ok(Some(before));
        }
    }

    /// What they are called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}
