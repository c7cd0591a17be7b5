//! Choices: from a seed, or from bytes that a fuzzer may change one by one.

/// A source of choices. Out of bytes, everything is the first choice, so what is generated ends.
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
    /// As many choices as are asked for, all of them determined by a number.
    pub fn from_seed(seed: u64) -> Self {
        Choices { source: Source::Seed(seed) }
    }

    /// The choices that these bytes spell.
    pub fn from_bytes(bytes: &'b [u8]) -> Self {
        Choices { source: Source::Bytes(bytes) }
    }

    /// Any byte.
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

    /// Any 64 bits.
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

    /// A number below `bound`, which is at most 256 and not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) * bound / 256
    }

    /// Once in `times`, at most 256.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of these, of which there is at least one.
    pub fn of<'c, T: ?Sized>(&mut self, list: &[&'c T]) -> &'c T {
        list[self.below(list.len())]
    }

    /// A number whose width is as likely to be any: both ends of each are met.
    pub fn number(&mut self) -> u64 {
        let shift = self.below(64);
        match self.below(8) {
            0 => 1 << shift,
            1 => (1 << shift) - 1,
            2 => u64::MAX >> shift,
            _ => self.word() >> shift,
        }
    }

    /// The bits of a double: any, or of a number that people write.
    pub fn double(&mut self) -> f64 {
        match self.below(4) {
            0 => f64::from_bits(self.word()),
            1 => (self.word() >> 40) as f64 / 64.0,
            2 => f64::from(self.byte()),
            _ => [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e300, 0.1, -1.5]
                [self.below(8)],
        }
    }

    /// Text, mostly short and plain.
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
            1 => (0..self.below(6)).map(|_| self.of(&PIECES)).collect(),
            _ => self.of(&PIECES).to_owned(),
        }
    }

    /// Bytes, mostly few.
    pub fn bytes(&mut self) -> Vec<u8> {
        let length = if self.one_in(10) { self.below(80) } else { self.below(10) };
        (0..length).map(|_| self.byte()).collect()
    }
}

/// How deep generated values nest.
pub(crate) const DEPTH: usize = 5;

/// How many items a container has: few, and now and then enough for a wider head.
pub(crate) fn count(choices: &mut Choices<'_>, depth: usize) -> usize {
    match depth {
        0 => 0,
        _ if choices.one_in(40) => choices.below(40),
        _ => choices.below(5),
    }
}
