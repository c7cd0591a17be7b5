use super::Found;

/// Values that the same bytes end: of JSON texts on lines, a line feed. In text, what is empty but
/// for white space is none.
#[derive(Debug)]
pub(in crate::content) struct Ended {
    end: &'static [u8],
    is_text: bool,
    /// How far no end begins.
    scanned: usize,
}

impl Ended {
    pub(super) fn by(end: &'static [u8], is_text: bool) -> Self {
        Ended { end, is_text, scanned: 0 }
    }

    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Found {
        let unseen = bytes.get(self.scanned..).unwrap_or_default();
        let (end, taken) = match position(unseen, self.end) {
            Some(at) => (self.scanned + at, self.scanned + at + self.end.len()),
            // The last value need not be ended.
            None if has_ended => (bytes.len(), bytes.len()),
            None => {
                self.scanned = bytes.len().saturating_sub(self.end.len().saturating_sub(1));
                return Found::More;
            }
        };
        self.scanned = 0;
        let value = bytes.get(..end).unwrap_or_default();
        match value.is_empty() || self.is_text && value.iter().all(u8::is_ascii_whitespace) {
            true if taken == 0 => Found::End,
            // Bytes may say something by being none.
            true if !self.is_text && taken > end => Found::Value { range: 0..0, taken },
            true => Found::Filler { taken },
            false => Found::Value { range: 0..end, taken },
        }
    }
}

/// Where some bytes stand first within others; nowhere if they are none.
pub(in crate::content) fn position(bytes: &[u8], searched: &[u8]) -> Option<usize> {
    let (first, rest) = searched.split_first()?;
    let mut from = 0;
    loop {
        let at = from + bytes.get(from..)?.iter().position(|byte| byte == first)?;
        if bytes.get(at + 1..)?.starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
}
