use super::Found;

/// JSON texts, each on a line. Empty lines are none.
#[derive(Debug, Default)]
pub(in crate::content) struct Lines {
    /// How far no line feed was found.
    scanned: usize,
}

impl Lines {
    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Found {
        let unseen = bytes.get(self.scanned..).unwrap_or_default();
        let (end, taken) = match unseen.iter().position(|byte| *byte == b'\n') {
            Some(at) => (self.scanned + at, self.scanned + at + 1),
            // The last line need not be ended.
            None if has_ended => (bytes.len(), bytes.len()),
            None => {
                self.scanned = bytes.len();
                return Found::More;
            }
        };
        self.scanned = 0;
        let line = bytes.get(..end).unwrap_or_default();
        match line.iter().all(u8::is_ascii_whitespace) {
            true if taken == 0 => Found::End,
            true => Found::Filler { taken },
            false => Found::Value { range: 0..end, taken },
        }
    }
}
