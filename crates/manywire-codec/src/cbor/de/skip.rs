//! Skips values without interpreting them.

use super::{Deserializer, Length};
use crate::cbor::head::*;
use crate::{Error, Result};

/// The items that an open container still needs.
///
/// A count of items, where a key and its value are two, or one of the three constants below, for a
/// container without a length, which ends at its break. The constants are above all counts.
type Remaining = u64;

const ITEMS: Remaining = Remaining::MAX;
const KEY: Remaining = Remaining::MAX - 1;
const VALUE: Remaining = Remaining::MAX - 2;

/// Returns the remaining items after one has begun.
#[inline]
fn minus_one(left: Remaining) -> Remaining {
    match left {
        ITEMS => ITEMS,
        KEY => VALUE,
        VALUE => KEY,
        count => count - 1,
    }
}

/// The length of an item if its first byte determines it: integers, floats, simple values, and
/// strings whose length is in that byte. 0 for all others, and for malformed bytes.
const WHOLE: [u8; 256] = {
    let mut whole = [0; 256];
    let mut initial = 0;
    while initial < 256 {
        let (major, low) = ((initial >> 5) as u8, (initial & 0x1f) as u8);
        whole[initial] = match (major, low) {
            (UNSIGNED | NEGATIVE | SIMPLE, direct) if direct < DIRECT => 1,
            (BYTES | TEXT, direct) if direct < DIRECT => 1 + direct,
            (UNSIGNED | NEGATIVE, ONE_BYTE) => 2,
            (UNSIGNED | NEGATIVE | SIMPLE, 25) => 3,
            (UNSIGNED | NEGATIVE | SIMPLE, 26) => 5,
            (UNSIGNED | NEGATIVE | SIMPLE, EIGHT_BYTES) => 9,
            _ => 0,
        };
        initial += 1;
    }
    whole
};

impl Deserializer<'_> {
    /// Skips the next item if its first byte determines its length and all of it is there.
    #[inline]
    pub(super) fn skip_if_simple(&mut self) -> bool {
        let rest = self.reader.rest();
        let length = rest.first().map_or(0, |&initial| usize::from(WHOLE[usize::from(initial)]));
        match rest.get(length..) {
            Some(after) if length > 0 => {
                self.reader.resume(after);
                true
            }
            _ => false,
        }
    }

    /// Skips the next item, without recursion. The item must be well formed and within the depth
    /// limit, so that acceptance of the bytes does not depend on the target type.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut outer: Vec<Remaining> = Vec::new();
        let mut left: Remaining = 1;
        loop {
            while left == 0 {
                match outer.pop() {
                    Some(container) => left = container,
                    None => return Ok(()),
                }
            }
            if self.skip_if_simple() {
                left = minus_one(left);
                continue;
            }
            let initial = self.initial()?;
            if initial == BREAK && matches!(left, ITEMS | KEY) {
                left = 0;
                continue;
            }
            left = minus_one(left);
            if let Some(inner) = self.skip_into(initial, outer.len())? {
                if outer.len() >= self.depth {
                    return Err(self.too_deep());
                }
                outer.push(left);
                left = inner;
            }
        }
    }

    /// Skips an item without nested items. For a container, returns the number of items it needs.
    #[inline]
    fn skip_into(&mut self, mut initial: u8, outer: usize) -> Result<Option<Remaining>> {
        if initial >> 5 == TAG {
            initial = self.skip_tags(initial, outer)?;
        }
        match initial >> 5 {
            UNSIGNED | NEGATIVE => {
                self.argument(initial)?;
            }
            major @ (BYTES | TEXT) if initial & 0x1f == INDEFINITE => {
                while self.chunk(major)?.is_some() {}
            }
            BYTES | TEXT => {
                self.definite(initial)?;
            }
            ARRAY => {
                return Ok(Some(match self.array_length(initial)? {
                    Length::Definite(count) => count as Remaining,
                    Length::Indefinite => ITEMS,
                }));
            }
            MAP => {
                return Ok(Some(match self.map_length(initial)? {
                    Length::Definite(count) => count as Remaining * 2,
                    Length::Indefinite => KEY,
                }));
            }
            _ => self.skip_simple(initial)?,
        }
        Ok(None)
    }

    /// Skips tags and returns the first byte of the tagged item.
    #[cold]
    #[inline(never)]
    pub(super) fn skip_tags(&mut self, mut initial: u8, outer: usize) -> Result<u8> {
        let mut depth = outer;
        while initial >> 5 == TAG {
            if depth >= self.depth {
                return Err(self.too_deep());
            }
            depth += 1;
            self.argument(initial)?;
            initial = self.reader.byte("the content of a tag")?;
        }
        Ok(initial)
    }

    fn skip_simple(&mut self, initial: u8) -> Result<()> {
        match initial {
            SIMPLE_BYTE => {
                self.simple_byte()?;
            }
            F16 => self.reader.skip(2, "a float of 2 bytes")?,
            F32 => self.reader.skip(4, "a float of 4 bytes")?,
            F64 => self.reader.skip(8, "a float of 8 bytes")?,
            ..SIMPLE_BYTE => {}
            _ => return Err(self.malformed(initial)),
        }
        Ok(())
    }

    /// Reads the simple value in the byte after the first.
    pub(super) fn simple_byte(&mut self) -> Result<u8> {
        match self.reader.byte("a simple value")? {
            value @ SIMPLE_BYTE_MIN.. => Ok(value),
            value => Err(self.reserved_simple(value)),
        }
    }

    #[cold]
    fn reserved_simple(&self, value: u8) -> Error {
        Error::syntax(
            self.reader.offset() - 2,
            format_args!("the simple value {value} cannot be written in two bytes"),
        )
    }
}
