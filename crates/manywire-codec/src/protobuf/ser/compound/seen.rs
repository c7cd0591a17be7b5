//! Which fields of a dynamic value have been seen.
/// Which fields of a record were written: a bit each.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) first: u64,
    more: Vec<u64>,
}

impl Seen {
    /// Notes a field, and says whether it was noted before.
    #[inline]
    pub(super) fn insert(&mut self, index: usize) -> bool {
        let word = match index / 64 {
            0 => &mut self.first,
            word => {
                if self.more.len() < word {
                    self.more.resize(word, 0);
                }
                &mut self.more[word - 1]
            }
        };
        let bit = 1 << (index % 64);
        let before = *word & bit != 0;
        *word |= bit;
        before
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        let word = match index / 64 {
            0 => self.first,
            word => self.more.get(word - 1).copied().unwrap_or(0),
        };
        word & 1 << (index % 64) != 0
    }
}
