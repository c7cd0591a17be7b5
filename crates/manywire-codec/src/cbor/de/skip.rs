//! Skipping a value without looking at what it means.

use super::{Deserializer, Length};
use crate::cbor::head::*;
use crate::{Category, Error, Result};

/// What a container that has been entered still waits for.
///
/// A count of items, a key and its value being two; or one of three marks above all counts, as a
/// container without a length ends where its break is.
type Left = u64;

const ITEMS: Left = Left::MAX;
const KEY: Left = Left::MAX - 1;
const VALUE: Left = Left::MAX - 2;

/// What is waited for when one of the items has begun.
#[inline]
fn less_one(left: Left) -> Left {
    match left {
        ITEMS => ITEMS,
        KEY => VALUE,
        VALUE => KEY,
        count => count - 1,
    }
}

/// How long an item is if its first byte says that alone: integers, floats, simple values, and
/// strings whose length is in that byte. 0 for all others, and for what is malformed.
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
    /// Leaves the next item behind if its first byte says how long it is and it is all there.
    #[inline]
    pub(super) fn skip_whole(&mut self) -> bool {
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

    /// Leaves the next item behind. Without recursion; it must be well formed and as deep as the
    /// limit allows, so whether bytes are accepted does not depend on who asks for what.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut outer: Vec<Left> = Vec::new();
        let mut left: Left = 1;
        loop {
            while left == 0 {
                match outer.pop() {
                    Some(container) => left = container,
                    None => return Ok(()),
                }
            }
            if self.skip_whole() {
                left = less_one(left);
                continue;
            }
            let initial = self.initial()?;
            if initial == BREAK && matches!(left, ITEMS | KEY) {
                left = 0;
                continue;
            }
            left = less_one(left);
            if let Some(inner) = self.skip_into(initial, outer.len())? {
                if outer.len() >= self.depth {
                    return Err(self.too_deep());
                }
                outer.push(left);
                left = inner;
            }
        }
    }

    /// Skips an item that holds no others; of a container says what it waits for.
    #[inline]
    fn skip_into(&mut self, mut initial: u8, outer: usize) -> Result<Option<Left>> {
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
                    Length::Definite(count) => count as Left,
                    Length::Indefinite => ITEMS,
                }));
            }
            MAP => {
                return Ok(Some(match self.map_length(initial)? {
                    Length::Definite(count) => count as Left * 2,
                    Length::Indefinite => KEY,
                }));
            }
            _ => self.skip_simple(initial)?,
        }
        Ok(None)
    }

    /// Skips tags up to what they are around, and returns its first byte.
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
            initial = self.reader.byte("what a tag is around")?;
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

    /// The simple value in the byte after the first.
    pub(super) fn simple_byte(&mut self) -> Result<u8> {
        match self.reader.byte("a simple value")? {
            value @ SIMPLE_BYTE_MIN.. => Ok(value),
            value => Err(self.reserved_simple(value)),
        }
    }

    #[cold]
    fn reserved_simple(&self, value: u8) -> Error {
        Error::at(
            Category::Syntax,
            self.reader.offset() - 2,
            format_args!("the simple value {value} cannot be written in two bytes"),
        )
    }
}
