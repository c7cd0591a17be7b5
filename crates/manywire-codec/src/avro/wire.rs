//! The primitive encodings: numbers, strings and blocks (specification, "Binary Encoding").

use crate::core::error::{Category, Error, Result};
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::core::reader::{Reader, utf8, valid_up_to};

/// The maximum number of items without bytes in one datum. Nothing else bounds them: a few bytes
/// can claim 2^60 of them.
pub(super) const EMPTY_ITEMS_MAX: u64 = 65_536;

#[inline]
const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

#[inline]
const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Appends a `long`. An `int` has the same encoding.
#[inline]
pub(super) fn write_long(out: &mut Vec<u8>, value: i64) {
    let bits = zigzag(value);
    if bits < 0x80 {
        out.push(bits as u8);
    } else if bits < 0x4000 {
        out.extend_from_slice(&[bits as u8 | 0x80, (bits >> 7) as u8]);
    } else {
        write_long_varint(out, bits);
    }
}

#[inline(never)]
fn write_long_varint(out: &mut Vec<u8>, mut bits: u64) {
    let mut bytes = [0; 10];
    let mut len = 0;
    while bits >= 0x80 {
        bytes[len] = bits as u8 | 0x80;
        bits >>= 7;
        len += 1;
    }
    bytes[len] = bits as u8;
    out.extend_from_slice(&bytes[..=len]);
}

/// Appends a length.
#[inline]
pub(super) fn write_len(out: &mut Vec<u8>, len: usize) {
    write_long(out, len as i64);
}

/// Reads a `long`.
#[inline]
pub(super) fn read_long(reader: &mut Reader<'_>, expected: &'static str) -> Result<i64> {
    match *reader.rest() {
        [byte @ ..0x80, ..] => {
            reader.skip(1, expected)?;
            Ok(unzigzag(byte.into()))
        }
        [low, high @ 1..0x80, ..] => {
            reader.skip(2, expected)?;
            Ok(unzigzag(u64::from(low & 0x7f) | u64::from(high) << 7))
        }
        _ => read_long_varint(reader, expected),
    }
}

/// Reads varints of three bytes and more, and reports faults: a varint that ends in a group of
/// zeros is longer than needed, and one of more than ten bytes is wider than 64 bits.
#[inline(never)]
fn read_long_varint(reader: &mut Reader<'_>, expected: &'static str) -> Result<i64> {
    let start = reader.offset();
    let mut bits = 0;
    for shift in (0..70).step_by(7) {
        let byte = reader.byte(expected)?;
        let group = u64::from(byte & 0x7f);
        if shift == 63 && group > 1 {
            break;
        }
        bits |= group << shift;
        if byte < 0x80 {
            if byte == 0 && shift > 0 {
                return Err(Error::syntax(start, "the varint is longer than its value needs"));
            }
            return Ok(unzigzag(bits));
        }
    }
    Err(Error::syntax(start, "the varint does not fit 64 bits"))
}

/// Reads an `int`.
#[inline]
pub(super) fn read_int(reader: &mut Reader<'_>) -> Result<i32> {
    let start = reader.offset();
    let value = read_long(reader, "an int")?;
    i32::try_from(value)
        .map_err(|_| Error::syntax(start, format_args!("{value} does not fit an int of 32 bits")))
}

/// Reads a length and as many bytes.
#[inline]
pub(super) fn read_bytes<'de>(
    reader: &mut Reader<'de>,
    expected: &'static str,
) -> Result<&'de [u8]> {
    let start = reader.offset();
    let len = read_long(reader, expected)?;
    match usize::try_from(len) {
        Ok(len) => reader.take(len, expected),
        Err(_) => Err(negative(start, len)),
    }
}

/// Reads a length and as many bytes of UTF-8.
#[inline]
pub(super) fn read_text<'de>(reader: &mut Reader<'de>) -> Result<&'de str> {
    let bytes = read_bytes(reader, "a string")?;
    utf8(bytes).ok_or_else(|| key_not_text(reader.offset() - bytes.len(), bytes))
}

#[cold]
#[inline(never)]
fn key_not_text(start: usize, bytes: &[u8]) -> Error {
    Error::syntax(start + valid_up_to(bytes), "the string is not UTF-8 here")
}

#[cold]
#[inline(never)]
fn negative(offset: usize, len: i64) -> Error {
    Error::syntax(offset, format_args!("a length of {len} is negative"))
}

/// The position of a reader in the blocks of an array or a map.
pub(super) struct Blocks {
    /// The number of items left in the block.
    remaining: u64,
    /// The number of bytes left after the block, if the block has a size.
    end: Option<usize>,
    /// True once the final block was read.
    done: bool,
}

impl Blocks {
    pub(super) const START: Blocks = Blocks { remaining: 0, end: None, done: false };

    /// Takes the next item, and opens the next block if this one has no items left. Returns false
    /// after the final block. `empties` is the same as for [`open`](Self::open).
    #[inline]
    pub(super) fn advance(
        &mut self,
        reader: &mut Reader<'_>,
        empties: Option<&mut u64>,
    ) -> Result<bool> {
        if self.remaining == 0 && !self.done {
            self.open(reader, empties)?;
        }
        Ok(self.take())
    }

    /// Takes the next item that must be skipped by itself: blocks that have a size, and items
    /// without bytes, are skipped here.
    pub(super) fn advance_skipping(
        &mut self,
        reader: &mut Reader<'_>,
        mut empties: Option<&mut u64>,
    ) -> Result<bool> {
        while self.remaining == 0 && !self.done {
            self.open(reader, empties.as_deref_mut())?;
            if empties.is_some() {
                self.remaining = 0;
            } else if let Some(end) = self.end
                && self.remaining > 0
            {
                reader.skip(reader.remaining().saturating_sub(end), "a block")?;
                self.remaining = 0;
            }
        }
        Ok(self.take())
    }

    /// Takes one item of the block, if there is one.
    #[inline]
    fn take(&mut self) -> bool {
        match self.remaining.checked_sub(1) {
            Some(left) => {
                self.remaining = left;
                true
            }
            None => false,
        }
    }

    /// Reads the head of a block. `empties` is the budget for items without bytes, set if the items
    /// are of that type.
    #[inline(never)]
    pub(super) fn open(
        &mut self,
        reader: &mut Reader<'_>,
        empties: Option<&mut u64>,
    ) -> Result<()> {
        if let Some(end) = self.end.take()
            && end != reader.remaining()
        {
            return Err(Error::syntax(
                reader.offset(),
                "the items of a block do not end at its stated size",
            ));
        }
        let start = reader.offset();
        let count = read_long(reader, "the count of a block")?;
        if count == 0 {
            self.done = true;
            return Ok(());
        }
        if count < 0 {
            let at = reader.offset();
            let size = read_long(reader, "the size of a block")?;
            let end =
                usize::try_from(size).ok().and_then(|size| reader.remaining().checked_sub(size));
            self.end = Some(end.ok_or_else(|| {
                Error::at(
                    Category::Eof,
                    at,
                    format_args!("a block of {size} bytes, but {} are left", reader.remaining()),
                )
            })?);
        }
        self.remaining = count.unsigned_abs();
        match empties {
            Some(budget) => match budget.checked_sub(self.remaining) {
                Some(left) => *budget = left,
                None => {
                    return Err(Error::at(
                        Category::Limit,
                        start,
                        format_args!("more than {EMPTY_ITEMS_MAX} items that take no bytes"),
                    ));
                }
            },
            None if self.remaining > reader.remaining() as u64 => {
                return Err(Error::at(
                    Category::Eof,
                    start,
                    format_args!(
                        "a block claims {} items, but only {} bytes are left",
                        self.remaining,
                        reader.remaining()
                    ),
                ));
            }
            None => {}
        }
        Ok(())
    }

    /// Returns the number of items left in the block, at most [`PREALLOCATED_ITEMS_MAX`].
    #[inline]
    pub(super) fn size_hint(&self) -> Option<usize> {
        Some(self.remaining.min(PREALLOCATED_ITEMS_MAX as u64) as usize)
    }
}
