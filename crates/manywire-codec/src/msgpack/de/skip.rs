//! Values nobody asked for.

use super::Deserializer;
use crate::msgpack::marker::*;
use crate::{Category, Error, Result};

impl Deserializer<'_> {
    /// Leaves the next value behind, whatever it is and however deep: only the number of values
    /// still to be skipped is kept, so nesting costs no stack and needs no limit. Text is not
    /// looked into.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut pending: u64 = 1;
        while pending > 0 {
            pending -= 1;
            let marker = self.marker()?;
            let bytes = match marker {
                0..=FIXINT_MAX | NIL | FALSE | TRUE | NEGATIVE_FIXINT.. => continue,
                FIXSTR..=FIXSTR_MAX => usize::from(marker & 0x1f),
                FIXMAP..=FIXMAP_MAX => {
                    pending += 2 * u64::from(marker & 0x0f);
                    continue;
                }
                FIXARRAY..=FIXARRAY_MAX => {
                    pending += u64::from(marker & 0x0f);
                    continue;
                }
                U8 | I8 => 1,
                U16 | I16 => 2,
                U32 | I32 | F32 => 4,
                U64 | I64 | F64 => 8,
                STR8 | BIN8 => usize::from(self.u8()?),
                STR16 | BIN16 => usize::from(self.u16()?),
                STR32 | BIN32 => self.u32()? as usize,
                // One byte more than the content: the type.
                FIXEXT1..=FIXEXT16 => 1 + (1 << (marker - FIXEXT1)),
                EXT8 => 1 + usize::from(self.u8()?),
                EXT16 => 1 + usize::from(self.u16()?),
                EXT32 => 1 + self.u32()? as usize,
                ARRAY16 => {
                    pending += u64::from(self.u16()?);
                    continue;
                }
                ARRAY32 => {
                    pending += u64::from(self.u32()?);
                    continue;
                }
                MAP16 => {
                    pending += 2 * u64::from(self.u16()?);
                    continue;
                }
                MAP32 => {
                    pending += 2 * u64::from(self.u32()?);
                    continue;
                }
                NEVER_USED => return Err(self.never_used()),
            };
            self.reader.skip(bytes, "a value to be skipped")?;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn never_used(&self) -> Error {
        Error::at(Category::Syntax, self.reader.offset() - 1, "the byte 0xc1 begins no value")
    }
}
