use manywire_codec::{Category, Error, Result};

use super::{Found, big_endian, wrong};

/// CBOR data items one behind the other (RFC 8742).
#[derive(Debug)]
pub(in crate::content) struct Cbor {
    /// Where the next head stands, which may be beyond what is there yet.
    at: usize,
    /// How many items each open container still has; nothing where a "break" will end it.
    open: Vec<Option<u64>>,
    is_whole: bool,
    depth: usize,
}

impl Cbor {
    pub(super) fn new(depth: usize) -> Self {
        Cbor { at: 0, open: Vec::new(), is_whole: false, depth }
    }

    pub(super) fn next(&mut self, bytes: &[u8]) -> Result<Found> {
        while !self.is_whole {
            if !self.head(bytes)? {
                return Ok(Found::More);
            }
        }
        if self.at > bytes.len() {
            return Ok(Found::More);
        }
        let taken = self.at;
        *self = Cbor::new(self.depth);
        Ok(Found::Value { range: 0..taken, taken })
    }

    /// Takes the next head (RFC 8949, section 3); false if it is not there.
    fn head(&mut self, bytes: &[u8]) -> Result<bool> {
        let at = self.at;
        let Some(first) = bytes.get(at).copied() else { return Ok(false) };
        let (major, info) = (first >> 5, first & 0x1F);
        let is_indefinite = info == 31;
        let width = match info {
            0..=23 | 31 => 0,
            24..=27 => 1 << (info - 24),
            _ => return Err(wrong(at, "expected CBOR, found a reserved head")),
        };
        let Some(argument) = big_endian(bytes, at + 1, width) else { return Ok(false) };
        let argument = if width == 0 { u64::from(info) } else { argument };
        self.at = at + 1 + width;
        match major {
            0 | 1 | 6 if is_indefinite => {
                return Err(wrong(at, "expected CBOR, found an integer or tag without its number"));
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
            // What a tag is put on follows it.
            6 => {}
            7 if is_indefinite => {
                if self.open.pop() != Some(None) {
                    return Err(wrong(at, "expected CBOR, found a break outside a container"));
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

    /// An item has ended, and with it each container whose last it was.
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
