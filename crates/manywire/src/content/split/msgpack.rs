use manywire_codec::Result;

use super::{Found, big_endian, wrong};

/// MessagePack values one behind the other.
#[derive(Debug)]
pub(in crate::content) struct MsgPack {
    /// Where the next marker stands, which may be beyond what is there yet.
    at: usize,
    /// How many values are still to come before the first is whole.
    pending: u64,
}

impl Default for MsgPack {
    fn default() -> Self {
        MsgPack { at: 0, pending: 1 }
    }
}

impl MsgPack {
    pub(super) fn next(&mut self, bytes: &[u8]) -> Result<Found> {
        while self.pending > 0 {
            if !self.marker(bytes)? {
                return Ok(Found::More);
            }
        }
        if self.at > bytes.len() {
            return Ok(Found::More);
        }
        let taken = self.at;
        *self = MsgPack::default();
        Ok(Found::Value { range: 0..taken, taken })
    }

    /// Takes the next marker with what belongs to it; false if it is not there.
    fn marker(&mut self, bytes: &[u8]) -> Result<bool> {
        let at = self.at;
        let Some(marker) = bytes.get(at).copied() else { return Ok(false) };
        let low = u64::from(marker);
        // The width of the length behind the marker, what is there without it, and what the
        // length counts.
        let (width, fixed, counts) = match marker {
            0x00..=0x7F | 0xC0 | 0xC2 | 0xC3 | 0xE0..=0xFF => (0, 0, Counts::Bytes),
            0x80..=0x8F => (0, (low & 0x0F) * 2, Counts::Values),
            0x90..=0x9F => (0, low & 0x0F, Counts::Values),
            0xA0..=0xBF => (0, low & 0x1F, Counts::Bytes),
            0xC1 => return Err(wrong(at, "expected MessagePack, found c1, which is never used")),
            0xC4..=0xC6 => (1 << (marker - 0xC4), 0, Counts::Bytes),
            // The type of an extension is one byte more.
            0xC7..=0xC9 => (1 << (marker - 0xC7), 1, Counts::Bytes),
            0xCA => (0, 4, Counts::Bytes),
            0xCB => (0, 8, Counts::Bytes),
            0xCC..=0xCF => (0, 1 << (marker - 0xCC), Counts::Bytes),
            0xD0..=0xD3 => (0, 1 << (marker - 0xD0), Counts::Bytes),
            0xD4..=0xD8 => (0, 1 + (1 << (marker - 0xD4)), Counts::Bytes),
            0xD9..=0xDB => (1 << (marker - 0xD9), 0, Counts::Bytes),
            0xDC | 0xDD => (2 << (marker - 0xDC), 0, Counts::Values),
            0xDE | 0xDF => (2 << (marker - 0xDE), 0, Counts::Pairs),
        };
        let Some(length) = big_endian(bytes, at + 1, width) else { return Ok(false) };
        self.at = at + 1 + width;
        self.pending -= 1;
        match counts {
            Counts::Bytes => {
                let length = usize::try_from(length.saturating_add(fixed)).unwrap_or(usize::MAX);
                self.at = self.at.saturating_add(length);
            }
            Counts::Values => self.pending = self.pending.saturating_add(length + fixed),
            Counts::Pairs => self.pending = self.pending.saturating_add(length.saturating_mul(2)),
        }
        Ok(true)
    }
}

enum Counts {
    Bytes,
    Values,
    Pairs,
}
