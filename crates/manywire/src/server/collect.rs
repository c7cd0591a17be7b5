use bytes::{Buf, Bytes};

/// A body while it comes in. A body in one piece is taken as it is, without a copy.
#[derive(Debug, Default)]
pub(super) struct Collected {
    first: Bytes,
    all: Vec<u8>,
}

impl Collected {
    /// Adds a piece; false if that is more than the limit.
    pub(super) fn add(&mut self, mut piece: impl Buf, limit: usize) -> bool {
        let length = self.len().saturating_add(piece.remaining());
        if length > limit {
            return false;
        }
        if self.len() == 0 {
            self.first = piece.copy_to_bytes(piece.remaining());
            return true;
        }
        if self.all.is_empty() {
            // Twice what is there: the pieces to come are not known, so the room doubles.
            self.all.reserve((length * 2).min(limit));
            self.all.extend_from_slice(&self.first);
            self.first = Bytes::new();
        }
        while piece.has_remaining() {
            let chunk = piece.chunk();
            let count = chunk.len();
            self.all.extend_from_slice(chunk);
            piece.advance(count);
        }
        true
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() + self.all.len()
    }

    /// The whole.
    pub(super) fn take(&mut self) -> Bytes {
        if self.all.is_empty() {
            return std::mem::take(&mut self.first);
        }
        std::mem::take(&mut self.all).into()
    }
}
