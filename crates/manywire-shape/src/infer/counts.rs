//! The statistics of one profile: counts by kind, ranges of integers, lengths.

use crate::fit::is_exact;
use crate::{Int, IntEncoding};

/// The statistics of the values of one path, without those of their contents.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    kinds: [u64; SampleKind::COUNT],
    pub(super) ints: IntegerStats,
    /// Lengths of texts, in bytes.
    pub(super) text: Lengths,
    /// Lengths of byte strings.
    pub(super) bytes: Lengths,
    /// Lengths of arrays.
    pub(super) items: Lengths,
    /// True if some value was not profiled, because of its depth or for lack of budget.
    pub(super) unknown: bool,
}

/// The range of the integers of a profile.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntegerStats {
    /// The smallest integer within `i64`.
    pub(super) min: i64,
    /// The largest integer within `i64`.
    pub(super) max: i64,
    /// The largest integer above `i64::MAX`; 0 if there was none.
    pub(super) above: u64,
    /// The number of integers that no `f64` holds exactly.
    pub(super) inexact: u64,
}

impl Default for IntegerStats {
    fn default() -> Self {
        IntegerStats { min: i64::MAX, max: i64::MIN, above: 0, inexact: 0 }
    }
}

/// The lengths of texts, byte strings or arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest length; lengths beyond 2³² - 1 count as 2³² - 1.
    pub min: u32,
    /// The longest length; lengths beyond 2³² - 1 count as 2³² - 1.
    pub max: u32,
    /// The sum of all lengths.
    pub total: u64,
}

impl Default for Lengths {
    fn default() -> Self {
        Lengths { min: u32::MAX, max: 0, total: 0 }
    }
}

impl Lengths {
    #[inline]
    pub(super) fn count(&mut self, len: usize) {
        self.total += len as u64;
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        self.min = self.min.min(len);
        self.max = self.max.max(len);
    }

    fn merge(&mut self, other: &Lengths) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.total += other.total;
    }
}

/// The end of the range in which an `f64` represents every integer exactly.
const EXACT_MAX: u64 = 1 << f64::MANTISSA_DIGITS;

impl Counts {
    #[inline]
    pub(super) fn get(&self, kind: SampleKind) -> u64 {
        self.kinds[kind as usize]
    }

    /// Returns the number of values, including nulls.
    pub(super) fn total(&self) -> u64 {
        self.kinds.iter().sum()
    }

    /// Counts one value of this kind and returns whether it is the first.
    #[inline]
    pub(super) fn increment(&mut self, kind: SampleKind) -> bool {
        let count = &mut self.kinds[kind as usize];
        *count += 1;
        *count == 1
    }

    /// Counts `n` texts of one length.
    pub(super) fn add_texts(&mut self, len: usize, n: u64) {
        self.kinds[SampleKind::Str as usize] += n;
        self.text.count(len);
        self.text.total += (n - 1) * len as u64;
    }

    /// Adds the counts of another profile.
    pub(super) fn merge(&mut self, other: &Counts) {
        for (count, theirs) in self.kinds.iter_mut().zip(&other.kinds) {
            *count += theirs;
        }
        self.ints.min = self.ints.min.min(other.ints.min);
        self.ints.max = self.ints.max.max(other.ints.max);
        self.ints.above = self.ints.above.max(other.ints.above);
        self.ints.inexact += other.ints.inexact;
        self.text.merge(&other.text);
        self.bytes.merge(&other.bytes);
        self.items.merge(&other.items);
        self.unknown |= other.unknown;
    }
}

impl IntegerStats {
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

    /// Returns the smallest and the largest integer.
    pub(super) fn range(&self) -> (i128, i128) {
        let signed = self.min <= self.max;
        let min = if signed { self.min.into() } else { self.above.into() };
        let max = if self.above > 0 { self.above.into() } else { self.max.into() };
        (min, max)
    }

    /// Returns the integer type that holds every integer seen.
    pub(super) fn int_type(&self) -> Int {
        // An integer above `i64::MAX` takes ten bytes as a varint and eight at full width, which
        // also tells Avro that its `long` does not suffice.
        let (signed, bits, encoding) = match (self.above > 0, self.min < 0) {
            (false, false) => (true, 64, IntEncoding::Varint),
            (false, true) => (true, 64, IntEncoding::Zigzag),
            (true, false) => (false, 64, IntEncoding::Fixed),
            (true, true) => (true, 128, IntEncoding::Zigzag),
        };
        Int { signed, bits, encoding }
    }
}

/// The kinds of values that inference distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SampleKind {
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// An integer of at most 64 bits.
    Int,
    /// A number that no 64-bit type holds: an integer, a fraction, or one beyond every double.
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
    /// A value that only one format has.
    Ext,
    /// An array.
    Array,
    /// An object: a record or a map.
    Map,
}

impl SampleKind {
    /// The number of kinds.
    pub(super) const COUNT: usize = 12;

    /// Every kind, in order.
    pub const ALL: [SampleKind; SampleKind::COUNT] = [
        SampleKind::Null,
        SampleKind::Bool,
        SampleKind::Int,
        SampleKind::Number,
        SampleKind::F32,
        SampleKind::F64,
        SampleKind::Str,
        SampleKind::Bytes,
        SampleKind::Timestamp,
        SampleKind::Ext,
        SampleKind::Array,
        SampleKind::Map,
    ];

    /// Returns the name of the kind, for messages.
    pub fn word(self) -> &'static str {
        match self {
            SampleKind::Null => "null",
            SampleKind::Bool => "boolean",
            SampleKind::Int => "integer",
            SampleKind::Number => "number that no 64-bit type holds",
            SampleKind::F32 => "32-bit float",
            SampleKind::F64 => "float",
            SampleKind::Str => "string",
            SampleKind::Bytes => "bytes",
            SampleKind::Timestamp => "timestamp",
            SampleKind::Ext => "extension",
            SampleKind::Array => "array",
            SampleKind::Map => "object",
        }
    }
}
