/// What was seen in one place, apart from what it holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    kinds: [u64; Kind::COUNT],
    pub(super) ints: Ints,
    /// Lengths of texts, in bytes.
    pub(super) text: Range,
    /// Lengths of byte strings.
    pub(super) bytes: Range,
    /// Lengths of arrays.
    pub(super) items: Range,
    /// Something here was not looked into, for depth or want of room.
    pub(super) unknown: bool,
}

/// What the integers of a place need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ints {
    /// The least.
    pub(super) min: i64,
    /// The greatest within `i64`.
    pub(super) max: i64,
    /// The greatest above `i64::MAX`; 0 if there was none.
    pub(super) above: u64,
    /// How many are no `f64` exactly.
    pub(super) inexact: u64,
}

impl Default for Ints {
    fn default() -> Self {
        Ints { min: i64::MAX, max: i64::MIN, above: 0, inexact: 0 }
    }
}

/// How long texts, bytes or arrays were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) total: u64,
}

impl Default for Range {
    fn default() -> Self {
        Range { min: u32::MAX, max: 0, total: 0 }
    }
}

impl Range {
    #[inline]
    pub(super) fn count(&mut self, len: usize) {
        self.total += len as u64;
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        self.min = self.min.min(len);
        self.max = self.max.max(len);
    }

    fn tally(&mut self, other: &Range) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.total += other.total;
    }
}

/// Every integer up to this magnitude is an `f64` exactly.
const EXACT_MAX: u64 = 1 << f64::MANTISSA_DIGITS;

/// Whether an `f64` holds this integer exactly.
pub(super) fn is_exact(number: i128) -> bool {
    (number as f64) as i128 == number
}

impl Counts {
    #[inline]
    pub(super) fn of(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    /// How many values were seen, nulls among them.
    pub(super) fn seen(&self) -> u64 {
        self.kinds.iter().sum()
    }

    /// Counts one value of this kind, and says whether it is the first.
    #[inline]
    pub(super) fn bump(&mut self, kind: Kind) -> bool {
        let count = &mut self.kinds[kind as usize];
        *count += 1;
        *count == 1
    }

    /// Counts `n` texts of one length.
    pub(super) fn add_texts(&mut self, len: usize, n: u64) {
        self.kinds[Kind::Str as usize] += n;
        self.text.count(len);
        self.text.total += (n - 1) * len as u64;
    }

    /// Adds the counts of another place.
    pub(super) fn tally(&mut self, other: &Counts) {
        for (count, theirs) in self.kinds.iter_mut().zip(&other.kinds) {
            *count += theirs;
        }
        self.ints.min = self.ints.min.min(other.ints.min);
        self.ints.max = self.ints.max.max(other.ints.max);
        self.ints.above = self.ints.above.max(other.ints.above);
        self.ints.inexact += other.ints.inexact;
        self.text.tally(&other.text);
        self.bytes.tally(&other.bytes);
        self.items.tally(&other.items);
        self.unknown |= other.unknown;
    }
}

impl Ints {
    #[inline]
    pub(super) fn count(&mut self, number: i64) {
        self.min = self.min.min(number);
        self.max = self.max.max(number);
        if number.unsigned_abs() > EXACT_MAX {
            self.inexact += u64::from(!is_exact(number.into()));
        }
    }

    #[cold]
    pub(super) fn count_unsigned(&mut self, number: u64) {
        match i64::try_from(number) {
            Ok(number) => self.count(number),
            Err(_) => {
                self.above = self.above.max(number);
                self.inexact += u64::from(!is_exact(number.into()));
            }
        }
    }

    /// The least and the greatest.
    pub(super) fn range(&self) -> (i128, i128) {
        let signed = self.min <= self.max;
        let min = if signed { self.min.into() } else { self.above.into() };
        let max = if self.above > 0 { self.above.into() } else { self.max.into() };
        (min, max)
    }

    /// Whether any was negative.
    pub(super) fn any_negative(&self) -> bool {
        self.min < 0
    }
}

/// The kinds of value that inference tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// An integer of at most 64 bits.
    Int,
    /// A number beyond 64 bits.
    Number,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// A point in time.
    Timestamp,
    /// A value of one format's own.
    Ext,
    /// An array.
    Array,
    /// An object: a record or a map.
    Map,
}

impl Kind {
    /// How many kinds there are.
    pub(super) const COUNT: usize = 12;

    /// Every kind, in order.
    pub const ALL: [Kind; Kind::COUNT] = [
        Kind::Null,
        Kind::Bool,
        Kind::Int,
        Kind::Number,
        Kind::F32,
        Kind::F64,
        Kind::Str,
        Kind::Bytes,
        Kind::Timestamp,
        Kind::Ext,
        Kind::Array,
        Kind::Map,
    ];

    /// The kind in a word, for messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "boolean",
            Kind::Int => "integer",
            Kind::Number => "number beyond 64 bits",
            Kind::F32 => "32-bit float",
            Kind::F64 => "float",
            Kind::Str => "string",
            Kind::Bytes => "bytes",
            Kind::Timestamp => "timestamp",
            Kind::Ext => "extension",
            Kind::Array => "array",
            Kind::Map => "object",
        }
    }
}
