//! The element types of BSON 1.1 (bsonspec.org), and what the small ones look like.

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

/// The subtype of binary that means nothing but bytes.
pub(super) const GENERIC: u8 = 0x00;

/// The subtype that repeats its length inside: deprecated, but still a current type.
pub(super) const OLD_BINARY: u8 = 0x02;

pub(super) const OBJECT_ID_SIZE: usize = 12;
pub(super) const DECIMAL128_SIZE: usize = 16;

/// Whether BSON 1.1 gives this byte a meaning.
#[inline]
pub(super) fn is_known(kind: u8) -> bool {
    matches!(kind, DOUBLE..=DECIMAL128 | MAX_KEY | MIN_KEY)
}

/// The name of a type, for messages.
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
