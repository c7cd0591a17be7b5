//! The element types of BSON 1.1 (bsonspec.org), and the search for the NUL that ends a key.

use std::borrow::Cow;

pub(super) const DOUBLE: u8 = 0x01;
pub(super) const STRING: u8 = 0x02;
pub(super) const DOCUMENT: u8 = 0x03;
pub(super) const ARRAY: u8 = 0x04;
pub(super) const BINARY: u8 = 0x05;
pub(super) const UNDEFINED: u8 = 0x06;
pub(super) const OBJECT_ID: u8 = 0x07;
pub(super) const BOOLEAN: u8 = 0x08;
pub(super) const DATETIME: u8 = 0x09;
pub(super) const NULL: u8 = 0x0A;
pub(super) const REGEX: u8 = 0x0B;
pub(super) const DB_POINTER: u8 = 0x0C;
pub(super) const CODE: u8 = 0x0D;
pub(super) const SYMBOL: u8 = 0x0E;
pub(super) const CODE_WITH_SCOPE: u8 = 0x0F;
pub(super) const INT32: u8 = 0x10;
pub(super) const TIMESTAMP: u8 = 0x11;
pub(super) const INT64: u8 = 0x12;
pub(super) const DECIMAL128: u8 = 0x13;
pub(super) const MAX_KEY: u8 = 0x7F;
pub(super) const MIN_KEY: u8 = 0xFF;

/// The generic subtype of binary: plain bytes.
pub(super) const GENERIC: u8 = 0x00;

/// The subtype that repeats its length inside. It is deprecated but still in use.
pub(super) const OLD_BINARY: u8 = 0x02;

pub(super) const OBJECT_ID_SIZE: usize = 12;
pub(super) const DECIMAL128_SIZE: usize = 16;

/// Checks whether BSON 1.1 defines this type byte.
#[inline]
pub(super) fn is_known(kind: u8) -> bool {
    matches!(kind, DOUBLE..=DECIMAL128 | MAX_KEY | MIN_KEY)
}

/// Returns the options of a regular expression in alphabetical order, in which BSON stores them
/// (bsonspec.org). Reader and writer both sort, so a value that was read is written unchanged.
pub(super) fn sorted_options(options: &str) -> Cow<'_, str> {
    if options.chars().is_sorted() {
        return Cow::Borrowed(options);
    }
    let mut sorted: Vec<char> = options.chars().collect();
    sorted.sort_unstable();
    Cow::Owned(String::from_iter(sorted))
}

/// Returns the name of a type, for error messages.
pub(super) fn name(kind: u8) -> &'static str {
    match kind {
        DOUBLE => "double",
        STRING => "string",
        DOCUMENT => "document",
        ARRAY => "array",
        BINARY => "binary",
        UNDEFINED => "undefined",
        OBJECT_ID => "ObjectId",
        BOOLEAN => "boolean",
        DATETIME => "UTC datetime",
        NULL => "null",
        REGEX => "regular expression",
        DB_POINTER => "DBPointer",
        CODE => "JavaScript code",
        SYMBOL => "symbol",
        CODE_WITH_SCOPE => "JavaScript code with scope",
        INT32 => "int32",
        TIMESTAMP => "timestamp",
        INT64 => "int64",
        DECIMAL128 => "decimal128",
        MAX_KEY => "max key",
        MIN_KEY => "min key",
        _ => "unknown",
    }
}

// The zero byte that ends a key is searched eight bytes at a time: keys are too short for the setup
// of a wider search to pay off.

const LOW: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Returns the top bits of the zero bytes of a word. Only the lowest one is reliable.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// Checks whether the bytes contain a zero byte.
#[inline]
pub(super) fn contains(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().any(|word| zeros(u64::from_le_bytes(*word)) != 0) || rest.contains(&0)
}

/// Returns the position of the first zero byte, and whether all bytes before it are ASCII.
#[inline]
pub(super) fn find(bytes: &[u8]) -> Option<(usize, bool)> {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0;
    let mut tops = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let zeros = zeros(word);
        if zeros != 0 {
            // All bits below the top bit of the lowest zero byte. The zero byte adds no bits.
            let before = zeros ^ (zeros - 1);
            return Some((
                at + zeros.trailing_zeros() as usize / 8,
                (tops | word & before) & HIGH == 0,
            ));
        }
        tops |= word;
        at += 8;
    }
    for byte in rest {
        if *byte == 0 {
            return Some((at, tops & HIGH == 0));
        }
        tops |= u64::from(*byte);
        at += 1;
    }
    None
}
