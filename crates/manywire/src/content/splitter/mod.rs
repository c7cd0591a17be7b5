//! Splits the bytes of a stream into its values while they arrive. Each splitter keeps its
//! position, so no byte is scanned twice: a value that arrives byte by byte costs no more than one
//! that arrives whole.

#[cfg_attr(not(feature = "own-format"), path = "boundaries_disabled.rs")]
mod boundaries;

use std::ops::Range;

pub(super) use boundaries::BoundarySplitter;
use manywire_codec::{Category, Error, Result};
use manywire_format::StreamFraming as Framing;

/// The result of one scan.
#[derive(Debug, PartialEq)]
pub(super) enum Split {
    /// A value, and the number of bytes to consume with its delimiters.
    Value { range: Range<usize>, taken: usize },
    /// A failure that the sender reported, in JSON.
    Failure { problem: Vec<u8> },
    /// The data of an event, joined from its lines.
    Event { data: Vec<u8>, taken: usize },
    /// Bytes between values.
    Filler { taken: usize },
    /// More bytes are needed.
    Incomplete,
    /// The stream ended as it should.
    End,
}

/// A splitter for one framing.
#[derive(Debug)]
pub(super) enum Splitter {
    Terminator(TerminatorSplitter),
    Array(ArraySplitter),
    Events(EventSplitter),
    Cbor(CborSplitter),
    MsgPack(MsgPackSplitter),
    Delimited,
    Boundaries(BoundarySplitter),
}

impl Splitter {
    /// Returns the splitter of a framing. It rejects values nested deeper than `depth` if their
    /// nesting takes memory.
    pub(super) fn new(framing: Framing, depth: usize) -> Self {
        match framing {
            Framing::Lines => Splitter::Terminator(TerminatorSplitter::new(b"\n", true)),
            Framing::Array => Splitter::Array(ArraySplitter::default()),
            Framing::Events => Splitter::Events(EventSplitter::default()),
            Framing::CborSequence => Splitter::Cbor(CborSplitter::new(depth)),
            Framing::MsgPack => Splitter::MsgPack(MsgPackSplitter::default()),
            Framing::Delimited => Splitter::Delimited,
        }
    }

    /// Scans the available bytes. The caller removes the consumed bytes before the next call, or
    /// passes the same bytes followed by more. `has_ended` is true at the end of the stream; the
    /// result is then never [`Split::Incomplete`].
    ///
    /// # Errors
    /// Fails on bytes that are invalid in the framing, and if the stream ends within a value.
    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Result<Split> {
        let found = match self {
            Splitter::Terminator(ended) => Ok(ended.next(bytes, has_ended)),
            Splitter::Array(array) => array.next(bytes, has_ended),
            Splitter::Events(events) => Ok(events.next(bytes)),
            _ if bytes.is_empty() && has_ended => Ok(Split::End),
            Splitter::Cbor(cbor) => cbor.next(bytes),
            Splitter::MsgPack(msgpack) => msgpack.next(bytes),
            Splitter::Delimited => next_message(bytes),
            Splitter::Boundaries(splitter) => splitter.next(bytes, has_ended),
        };
        match found? {
            Split::Incomplete if has_ended && bytes.is_empty() => Ok(Split::End),
            Split::Incomplete if has_ended => Err(truncated(bytes.len())),
            found => Ok(found),
        }
    }
}

#[cold]
fn truncated(at: usize) -> Error {
    Error::new(Category::Eof, "the stream ends within a value").with_offset(at)
}

#[cold]
fn syntax_error(at: usize, message: &str) -> Error {
    Error::new(Category::Syntax, message).with_offset(at)
}

/// Returns the big-endian number of `width` bytes, if they are available.
fn big_endian(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Values that each end with the same bytes, such as JSON texts with a line feed. In text, white
/// space alone is not a value.
#[derive(Debug)]
pub(super) struct TerminatorSplitter {
    end: &'static [u8],
    is_text: bool,
    /// The number of bytes in which no terminator begins.
    scanned: usize,
}

impl TerminatorSplitter {
    pub(super) fn new(end: &'static [u8], is_text: bool) -> Self {
        TerminatorSplitter { end, is_text, scanned: 0 }
    }

    fn next(&mut self, bytes: &[u8], has_ended: bool) -> Split {
        let unseen = bytes.get(self.scanned..).unwrap_or_default();
        let (end, taken) = match find_bytes(unseen, self.end) {
            Some(at) => (self.scanned + at, self.scanned + at + self.end.len()),
            // The last value may lack its terminator.
            None if has_ended => (bytes.len(), bytes.len()),
            None => {
                self.scanned = bytes.len().saturating_sub(self.end.len().saturating_sub(1));
                return Split::Incomplete;
            }
        };
        self.scanned = 0;
        let value = bytes.get(..end).unwrap_or_default();
        match value.is_empty() || self.is_text && value.iter().all(u8::is_ascii_whitespace) {
            true if taken == 0 => Split::End,
            // An empty value is a value in a binary format.
            true if !self.is_text && taken > end => Split::Value { range: 0..0, taken },
            true => Split::Filler { taken },
            false => Split::Value { range: 0..end, taken },
        }
    }
}

/// Returns the position of `searched` in `bytes`. An empty `searched` is not found.
pub(super) fn find_bytes(bytes: &[u8], searched: &[u8]) -> Option<usize> {
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

/// The items of one JSON array. The splitter looks at brackets, quotes and commas only; the decoder
/// checks the items.
#[derive(Debug, Default)]
pub(super) struct ArraySplitter {
    place: ArrayPosition,
    at: usize,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ArrayPosition {
    /// Before the array.
    #[default]
    Before,
    /// After the opening bracket: an item or the end.
    First,
    /// At or in an item.
    Item,
    /// After an item: a comma or the end.
    Behind,
    /// After the array.
    After,
}

impl ArraySplitter {
    fn next(&mut self, bytes: &[u8], has_ended: bool) -> Result<Split> {
        if self.at > 0 {
            return self.item(bytes, has_ended);
        }
        let space = bytes.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        let Some(byte) = bytes.get(space) else {
            return match (has_ended, self.place) {
                (true, ArrayPosition::After) => Ok(Split::End),
                (true, _) => Err(truncated(space)),
                (false, _) if space > 0 => Ok(Split::Filler { taken: space }),
                (false, _) => Ok(Split::Incomplete),
            };
        };
        self.place = match (self.place, byte) {
            (ArrayPosition::Before, b'[') => ArrayPosition::First,
            (ArrayPosition::First | ArrayPosition::Behind, b']') => ArrayPosition::After,
            (ArrayPosition::Behind, b',') => ArrayPosition::Item,
            (ArrayPosition::First | ArrayPosition::Item, _) if space > 0 => {
                return Ok(Split::Filler { taken: space });
            }
            (ArrayPosition::First | ArrayPosition::Item, _) => {
                self.place = ArrayPosition::Item;
                return self.item(bytes, has_ended);
            }
            (ArrayPosition::Before, _) => {
                return Err(syntax_error(space, "expected `[`, which begins the array"));
            }
            (ArrayPosition::Behind, _) => {
                return Err(syntax_error(space, "expected `,` or `]` after an item"));
            }
            (ArrayPosition::After, _) => {
                return Err(syntax_error(space, "expected nothing after the array"));
            }
        };
        Ok(Split::Filler { taken: space + 1 })
    }

    /// Continues in the item that begins with the first byte.
    fn item(&mut self, bytes: &[u8], has_ended: bool) -> Result<Split> {
        while let Some(byte) = bytes.get(self.at) {
            if let Some(end) = self.step(*byte) {
                if end == 0 {
                    return Err(syntax_error(0, "expected a JSON value"));
                }
                *self = ArraySplitter { place: ArrayPosition::Behind, ..ArraySplitter::default() };
                return Ok(Split::Value { range: 0..end, taken: end });
            }
            self.at += 1;
        }
        if has_ended { Err(truncated(bytes.len())) } else { Ok(Split::Incomplete) }
    }

    /// Consumes a byte. Returns the end of the item if this byte determines it.
    #[inline]
    fn step(&mut self, byte: u8) -> Option<usize> {
        if self.is_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.is_string = false;
                    return (self.depth == 0).then_some(self.at + 1);
                }
                _ => {}
            }
            return None;
        }
        match byte {
            b'"' => self.is_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' | b',' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                return Some(self.at);
            }
            b']' | b'}' => {
                self.depth -= 1;
                return (self.depth == 0).then_some(self.at + 1);
            }
            _ => {}
        }
        None
    }
}

/// Server-sent events (WHATWG HTML, section 9.2.6), whose data are JSON values. Lines end with LF
/// or CR LF.
#[derive(Debug, Default)]
pub(super) struct EventSplitter {
    /// The position of the next line.
    at: usize,
    /// The position up to which the next line was scanned.
    scanned: usize,
    data: Vec<u8>,
    has_data: bool,
    is_error: bool,
}

impl EventSplitter {
    fn next(&mut self, bytes: &[u8]) -> Split {
        loop {
            let unseen = bytes.get(self.scanned..).unwrap_or_default();
            let Some(end) = unseen.iter().position(|byte| *byte == b'\n') else {
                self.scanned = bytes.len();
                return Split::Incomplete;
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
            // A comment, or a field that does not affect the value.
            _ => {}
        }
    }

    fn dispatch(&mut self) -> Split {
        let EventSplitter { at: taken, data, has_data, is_error, .. } = std::mem::take(self);
        match (has_data, is_error) {
            (false, _) => Split::Filler { taken },
            (true, true) => Split::Failure { problem: data },
            (true, false) => Split::Event { data, taken },
        }
    }
}

/// A CBOR sequence (RFC 8742).
#[derive(Debug)]
pub(super) struct CborSplitter {
    /// The position of the next head, which may be beyond the available bytes.
    at: usize,
    /// The number of remaining items of each open container; `None` if a "break" ends it.
    open: Vec<Option<u64>>,
    is_whole: bool,
    depth: usize,
}

impl CborSplitter {
    fn new(depth: usize) -> Self {
        CborSplitter { at: 0, open: Vec::new(), is_whole: false, depth }
    }

    fn next(&mut self, bytes: &[u8]) -> Result<Split> {
        while !self.is_whole {
            if !self.head(bytes)? {
                return Ok(Split::Incomplete);
            }
        }
        if self.at > bytes.len() {
            return Ok(Split::Incomplete);
        }
        let taken = self.at;
        *self = CborSplitter::new(self.depth);
        Ok(Split::Value { range: 0..taken, taken })
    }

    /// Consumes the next head (RFC 8949, section 3). Returns false if it is not available.
    fn head(&mut self, bytes: &[u8]) -> Result<bool> {
        let at = self.at;
        let Some(first) = bytes.get(at).copied() else { return Ok(false) };
        let (major, info) = (first >> 5, first & 0x1F);
        let is_indefinite = info == 31;
        let width = match info {
            0..=23 | 31 => 0,
            24..=27 => 1 << (info - 24),
            _ => return Err(syntax_error(at, "expected CBOR, found a reserved head")),
        };
        let Some(argument) = big_endian(bytes, at + 1, width) else { return Ok(false) };
        let argument = if width == 0 { u64::from(info) } else { argument };
        self.at = at + 1 + width;
        match major {
            0 | 1 | 6 if is_indefinite => {
                return Err(syntax_error(
                    at,
                    "expected CBOR, found an integer or tag without its number",
                ));
            }
            2..=5 if is_indefinite => self.open(None, at)?,
            2 | 3 => {
                let length = usize::try_from(argument).unwrap_or(usize::MAX);
                self.at = self.at.saturating_add(length);
                self.ended();
            }
            4 | 5 if argument > 0 => {
                let items = argument.saturating_mul(if major == 5 { 2 } else { 1 });
                self.open(Some(items), at)?;
            }
            // The tagged item follows.
            6 => {}
            7 if is_indefinite => {
                if self.open.pop() != Some(None) {
                    return Err(syntax_error(
                        at,
                        "expected CBOR, found a break outside a container",
                    ));
                }
                self.ended();
            }
            _ => self.ended(),
        }
        Ok(true)
    }

    fn open(&mut self, items: Option<u64>, at: usize) -> Result<()> {
        if self.open.len() >= self.depth {
            let message = format_args!("nested deeper than the limit of {}", self.depth);
            return Err(Error::new(Category::Limit, message).with_offset(at));
        }
        self.open.push(items);
        Ok(())
    }

    /// Ends an item, and each container whose last item it was.
    fn ended(&mut self) {
        while let Some(open) = self.open.last_mut() {
            let Some(left) = open else { return };
            *left -= 1;
            if *left > 0 {
                return;
            }
            self.open.pop();
        }
        self.is_whole = true;
    }
}

/// Concatenated MessagePack values.
#[derive(Debug)]
pub(super) struct MsgPackSplitter {
    /// The position of the next marker, which may be beyond the available bytes.
    at: usize,
    /// The number of values, nested ones included, that are still to be scanned before the current
    /// value is complete.
    pending: u64,
}

impl Default for MsgPackSplitter {
    fn default() -> Self {
        MsgPackSplitter { at: 0, pending: 1 }
    }
}

impl MsgPackSplitter {
    fn next(&mut self, bytes: &[u8]) -> Result<Split> {
        while self.pending > 0 {
            if !self.marker(bytes)? {
                return Ok(Split::Incomplete);
            }
        }
        if self.at > bytes.len() {
            return Ok(Split::Incomplete);
        }
        let taken = self.at;
        *self = MsgPackSplitter::default();
        Ok(Split::Value { range: 0..taken, taken })
    }

    /// Consumes the next marker with its payload. Returns false if it is not available.
    fn marker(&mut self, bytes: &[u8]) -> Result<bool> {
        let at = self.at;
        let Some(marker) = bytes.get(at).copied() else { return Ok(false) };
        let low = u64::from(marker);
        // The width of the length field, the fixed part of the length, and the unit that the length
        // counts.
        let (width, fixed, counts) = match marker {
            0x00..=0x7F | 0xC0 | 0xC2 | 0xC3 | 0xE0..=0xFF => (0, 0, LengthUnit::Bytes),
            0x80..=0x8F => (0, (low & 0x0F) * 2, LengthUnit::Values),
            0x90..=0x9F => (0, low & 0x0F, LengthUnit::Values),
            0xA0..=0xBF => (0, low & 0x1F, LengthUnit::Bytes),
            0xC1 => {
                return Err(syntax_error(
                    at,
                    "expected MessagePack, found c1, which is never used",
                ));
            }
            0xC4..=0xC6 => (1 << (marker - 0xC4), 0, LengthUnit::Bytes),
            // The type of an extension takes one more byte.
            0xC7..=0xC9 => (1 << (marker - 0xC7), 1, LengthUnit::Bytes),
            0xCA => (0, 4, LengthUnit::Bytes),
            0xCB => (0, 8, LengthUnit::Bytes),
            0xCC..=0xCF => (0, 1 << (marker - 0xCC), LengthUnit::Bytes),
            0xD0..=0xD3 => (0, 1 << (marker - 0xD0), LengthUnit::Bytes),
            0xD4..=0xD8 => (0, 1 + (1 << (marker - 0xD4)), LengthUnit::Bytes),
            0xD9..=0xDB => (1 << (marker - 0xD9), 0, LengthUnit::Bytes),
            0xDC | 0xDD => (2 << (marker - 0xDC), 0, LengthUnit::Values),
            0xDE | 0xDF => (2 << (marker - 0xDE), 0, LengthUnit::Pairs),
        };
        let Some(length) = big_endian(bytes, at + 1, width) else { return Ok(false) };
        self.at = at + 1 + width;
        self.pending -= 1;
        match counts {
            LengthUnit::Bytes => {
                let length = usize::try_from(length.saturating_add(fixed)).unwrap_or(usize::MAX);
                self.at = self.at.saturating_add(length);
            }
            LengthUnit::Values => self.pending = self.pending.saturating_add(length + fixed),
            LengthUnit::Pairs => {
                self.pending = self.pending.saturating_add(length.saturating_mul(2))
            }
        }
        Ok(true)
    }
}

enum LengthUnit {
    Bytes,
    Values,
    Pairs,
}

/// A varint has at most ten bytes.
const VARINT_BYTES_MAX: usize = 10;

/// Scans the next length-prefixed Protocol Buffers message.
fn next_message(bytes: &[u8]) -> Result<Split> {
    let mut length = 0_u64;
    for (index, byte) in bytes.iter().take(VARINT_BYTES_MAX).enumerate() {
        let bits = u64::from(byte & 0x7F);
        if index == VARINT_BYTES_MAX - 1 && bits > 1 {
            break;
        }
        length |= bits << (7 * index);
        if byte & 0x80 == 0 {
            let start = index + 1;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let end = start.saturating_add(length);
            return Ok(match end <= bytes.len() {
                true => Split::Value { range: start..end, taken: end },
                false => Split::Incomplete,
            });
        }
    }
    if bytes.len() < VARINT_BYTES_MAX {
        return Ok(Split::Incomplete);
    }
    Err(syntax_error(0, "expected the length of a message, a varint of at most ten bytes"))
}
