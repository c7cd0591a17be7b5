use super::Found;

/// Server-sent events (WHATWG HTML, section 9.2.6): the data of each is a value in JSON. Lines end
/// with a line feed, alone or behind a carriage return.
#[derive(Debug, Default)]
pub(in crate::content) struct Events {
    /// Where the next line begins.
    at: usize,
    /// How far that line was looked at.
    scanned: usize,
    data: Vec<u8>,
    has_data: bool,
    is_error: bool,
}

impl Events {
    pub(super) fn next(&mut self, bytes: &[u8]) -> Found {
        loop {
            let unseen = bytes.get(self.scanned..).unwrap_or_default();
            let Some(end) = unseen.iter().position(|byte| *byte == b'\n') else {
                self.scanned = bytes.len();
                return Found::More;
            };
            let end = self.scanned + end;
            let line = bytes.get(self.at..end).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            (self.at, self.scanned) = (end + 1, end + 1);
            if line.is_empty() {
                return self.dispatch();
            }
            self.field(line);
        }
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => line.split_at(colon),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => self.is_error = value == b"error",
            // A comment, or a field that says nothing of the value.
            _ => {}
        }
    }

    fn dispatch(&mut self) -> Found {
        let Events { at: taken, data, has_data, is_error, .. } = std::mem::take(self);
        match (has_data, is_error) {
            (false, _) => Found::Filler { taken },
            (true, true) => Found::Failure { problem: data },
            (true, false) => Found::Event { data, taken },
        }
    }
}
