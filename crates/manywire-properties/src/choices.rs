//! Choices for generators: from a seed, or from bytes that a fuzzer can change one by one.

/// A source of choices. When the bytes run out, every choice is the first, so generation ends.
#[derive(Debug)]
pub struct Choices<'b> {
    source: Source<'b>,
}

#[derive(Debug)]
enum Source<'b> {
    /// The state of SplitMix64 (Steele, Lea and Flood, 2014).
    Seed(u64),
    Bytes(&'b [u8]),
}

impl<'b> Choices<'b> {
    /// Returns an unlimited source of choices that a number determines.
    pub fn from_seed(seed: u64) -> Self {
        Choices { source: Source::Seed(seed) }
    }

    /// Returns the choices that the bytes represent.
    pub fn from_bytes(bytes: &'b [u8]) -> Self {
        Choices { source: Source::Bytes(bytes) }
    }

    /// Returns any byte.
    pub fn byte(&mut self) -> u8 {
        match &mut self.source {
            Source::Seed(_) => (self.word() >> 56) as u8,
            Source::Bytes(bytes) => match bytes.split_first() {
                Some((&first, rest)) => {
                    *bytes = rest;
                    first
                }
                None => 0,
            },
        }
    }

    /// Returns any 64 bits.
    pub fn word(&mut self) -> u64 {
        match &mut self.source {
            Source::Seed(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = *state;
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ (mixed >> 31)
            }
            Source::Bytes(_) => (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte())),
        }
    }

    /// Returns a number below `bound`, which is from 1 to 256.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) * bound / 256
    }

    /// Returns true once in `times`, at most 256.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// Returns one element of a list that is not empty.
    pub fn pick<'c, T: ?Sized>(&mut self, list: &[&'c T]) -> &'c T {
        list[self.below(list.len())]
    }

    /// Returns a number of any width with equal probability, and often the lowest or highest of its
    /// width.
    pub fn number(&mut self) -> u64 {
        let shift = self.below(64);
        match self.below(8) {
            0 => 1 << shift,
            1 => (1 << shift) - 1,
            2 => u64::MAX >> shift,
            _ => self.word() >> shift,
        }
    }

    /// Returns any double, a short fraction, a small integer or a special value.
    pub fn double(&mut self) -> f64 {
        match self.below(4) {
            0 => f64::from_bits(self.word()),
            1 => (self.word() >> 40) as f64 / 64.0,
            2 => f64::from(self.byte()),
            _ => [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e300, 0.1, -1.5]
                [self.below(8)],
        }
    }

    /// Returns text, mostly short and plain.
    pub fn text(&mut self) -> String {
        const PIECES: [&str; 16] = [
            "",
            "a",
            "id",
            "name",
            "value",
            "0",
            "1",
            "é",
            "☃",
            "\u{10ffff}",
            "\"",
            "\\",
            "\n",
            "\0",
            "a.b",
            "x y",
        ];
        match self.below(12) {
            0 => "k".repeat(self.below(80)),
            1 => (0..self.below(6)).map(|_| self.pick(&PIECES)).collect(),
            _ => self.pick(&PIECES).to_owned(),
        }
    }

    /// Returns bytes, mostly few.
    pub fn bytes(&mut self) -> Vec<u8> {
        let length = if self.one_in(10) { self.below(80) } else { self.below(10) };
        (0..length).map(|_| self.byte()).collect()
    }
}

/// The maximum nesting of generated values.
pub(crate) const DEPTH: usize = 5;

/// Returns the number of items of a container: few, and sometimes enough for a wider head.
pub(crate) fn count(choices: &mut Choices<'_>, depth: usize) -> usize {
    match depth {
        0 => 0,
        _ if choices.one_in(40) => choices.below(40),
        _ => choices.below(5),
    }
}
