//! Choices derived from proptest's generated numbers.

/// The numbers that proptest generated. Failures show the shape and value, not the numbers.
pub(super) struct GeneratedNumbers(pub(super) Vec<u16>);

impl std::fmt::Debug for GeneratedNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} choices", self.0.len())
    }
}

/// Choices derived from proptest's numbers, and zero once they run out, so that proptest can shrink
/// them.
pub(super) struct Choices<'a> {
    pub(super) choices: &'a [u16],
    pub(super) at: usize,
}

impl Choices<'_> {
    pub(super) fn next(&mut self) -> u16 {
        self.at += 1;
        self.choices.get(self.at - 1).copied().unwrap_or(0)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        usize::from(self.next()) % count
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(super) fn wide(&mut self) -> u64 {
        let bits = [0, 1, 7, 8, 14, 31, 32, 63, 64][self.below(9)];
        let all = (0..4).fold(0, |sum, _| sum << 16 | u64::from(self.next()));
        if bits == 0 { 0 } else { all >> (64 - bits) }
    }
}
