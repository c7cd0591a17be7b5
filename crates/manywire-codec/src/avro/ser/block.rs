//! Writes the blocks of arrays and maps.

use super::Writer;
use crate::avro::wire::write_len;

/// The head of a block, written before its items with their announced number and corrected at the
/// end if the number was wrong.
pub(super) struct Block {
    start: usize,
    head_len: usize,
    claimed: usize,
    pub(super) count: usize,
}

impl Block {
    #[inline]
    pub(super) fn open(writer: &mut Writer, claimed: Option<usize>) -> Self {
        let start = writer.bytes.len();
        // An unknown number is written as 1. Any number up to 63 takes one byte as well, so
        // `fix_count` then only replaces that byte.
        let claimed = claimed.unwrap_or(1);
        if claimed > 0 {
            writer.len(claimed);
        }
        Block { start, head_len: writer.bytes.len() - start, claimed, count: 0 }
    }

    #[inline]
    pub(super) fn close(self, writer: &mut Writer) {
        if self.count != self.claimed {
            self.fix_count(writer);
        }
        writer.byte(0);
    }

    #[cold]
    #[inline(never)]
    fn fix_count(&self, writer: &mut Writer) {
        let mut head = Vec::new();
        if self.count > 0 {
            write_len(&mut head, self.count);
        }
        writer.bytes.splice(self.start..self.start + self.head_len, head);
    }

    /// Returns the start of the items.
    pub(super) fn items_start(&self) -> usize {
        self.start + self.head_len
    }
}
