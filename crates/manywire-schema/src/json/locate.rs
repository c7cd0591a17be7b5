//! Where in a text a value stands. Only errors ask, so the text is walked again, not remembered.

use super::Step;

/// The offset of the value that a path leads to. The text is known to be JSON; where the path
/// leads nowhere, the offset is that of the last value on it that exists.
pub(super) fn offset(text: &str, path: &[Step]) -> usize {
    let mut walk = Walk { bytes: text.as_bytes(), at: 0 };
    walk.space();
    for step in path {
        let start = walk.at;
        let found = match step {
            Step::Key(key) => walk.enter(b'{') && walk.member(key),
            Step::Index(index) => walk.enter(b'[') && walk.item(*index),
        };
        if !found {
            return start;
        }
    }
    walk.at
}

struct Walk<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Walk<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
    }

    fn enter(&mut self, bracket: u8) -> bool {
        let entered = self.peek() == bracket;
        self.at += usize::from(entered);
        self.space();
        entered
    }

    /// Goes to the value under a key of the object that was entered.
    fn member(&mut self, key: &str) -> bool {
        while self.peek() == b'"' {
            let start = self.at;
            self.string();
            let name: Option<String> = serde_json::from_slice(&self.bytes[start..self.at]).ok();
            self.space();
            if name.as_deref() == Some(key) {
                return true;
            }
            self.value();
            self.space();
        }
        false
    }

    /// Goes to the item at an index of the array that was entered.
    fn item(&mut self, index: usize) -> bool {
        for _ in 0..index {
            if matches!(self.peek(), b']' | 0) {
                return false;
            }
            self.value();
            self.space();
        }
        !matches!(self.peek(), b']' | 0)
    }

    /// Skips a value: to its closing bracket, counting them, or to the end of a scalar.
    fn value(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                0 => return,
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => self.at += 1,
                _ => {
                    while !matches!(
                        self.peek(),
                        0 | b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b']' | b'}'
                    ) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        loop {
            match self.peek() {
                0 if self.at >= self.bytes.len() => return,
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
    }
}
