//! The first byte of every data item: a major type in its high three bits and additional
//! information in the low five (RFC 8949, section 3).

/// Unsigned integers.
pub(super) const UNSIGNED: u8 = 0;
/// Negative integers: -1 minus the argument.
pub(super) const NEGATIVE: u8 = 1;
/// Byte strings.
pub(super) const BYTES: u8 = 2;
/// Text strings.
pub(super) const TEXT: u8 = 3;
/// Arrays.
pub(super) const ARRAY: u8 = 4;
/// Maps.
pub(super) const MAP: u8 = 5;
/// Tags.
pub(super) const TAG: u8 = 6;
/// Simple values and floats.
pub(super) const SIMPLE: u8 = 7;

/// Arguments less than this are in the first byte itself.
pub(super) const DIRECT: u8 = 24;
/// The argument is in the next byte. The following values stand for two, four and eight bytes.
pub(super) const ONE_BYTE: u8 = 24;
/// The argument is in the next eight bytes.
pub(super) const EIGHT_BYTES: u8 = 27;
/// The length is unknown: items follow until [`BREAK`].
pub(super) const INDEFINITE: u8 = 31;

/// `false`.
pub(super) const FALSE: u8 = SIMPLE << 5 | 20;
/// `true`.
pub(super) const TRUE: u8 = SIMPLE << 5 | 21;
/// `null`.
pub(super) const NULL: u8 = SIMPLE << 5 | 22;
/// `undefined`.
pub(super) const UNDEFINED: u8 = SIMPLE << 5 | 23;
/// A simple value in the next byte.
pub(super) const SIMPLE_BYTE: u8 = SIMPLE << 5 | 24;
/// A half-precision float.
pub(super) const F16: u8 = SIMPLE << 5 | 25;
/// A single-precision float.
pub(super) const F32: u8 = SIMPLE << 5 | 26;
/// A double-precision float.
pub(super) const F64: u8 = SIMPLE << 5 | 27;
/// Ends an item without a length.
pub(super) const BREAK: u8 = SIMPLE << 5 | INDEFINITE;
/// An array without a length.
pub(super) const ARRAY_INDEFINITE: u8 = ARRAY << 5 | INDEFINITE;
/// A map without a length.
pub(super) const MAP_INDEFINITE: u8 = MAP << 5 | INDEFINITE;

/// The least simple value in a second byte (section 3.3). The values 24 to 31 are reserved.
pub(super) const SIMPLE_BYTE_MIN: u8 = 32;

/// Describes an item by its first byte, for error messages.
pub(super) fn describe(initial: u8) -> &'static str {
    match initial {
        FALSE | TRUE => return "a boolean",
        NULL => return "null",
        UNDEFINED => return "undefined",
        F16 | F32 | F64 => return "a float",
        BREAK => return "a break",
        _ => {}
    }
    match initial >> 5 {
        UNSIGNED | NEGATIVE => "an integer",
        BYTES => "bytes",
        TEXT => "a string",
        ARRAY => "an array",
        MAP => "a map",
        TAG => "a tag",
        _ => "a simple value",
    }
}

/// The tags that this codec interprets.
pub(super) mod tag {
    /// Seconds since 1970 (RFC 8949, section 3.4.2).
    pub(in crate::cbor) const EPOCH: u64 = 1;
    /// An unsigned integer in bytes (section 3.4.3).
    pub(in crate::cbor) const BIGNUM: u64 = 2;
    /// -1 minus an unsigned integer in bytes.
    pub(in crate::cbor) const NEGATIVE_BIGNUM: u64 = 3;
    /// An array of an exponent of ten and a mantissa (section 3.4.4).
    pub(in crate::cbor) const DECIMAL: u64 = 4;
    /// A map of seconds since 1970 and fractions of a second (RFC 9581, section 3).
    pub(in crate::cbor) const EXTENDED_TIME: u64 = 1001;
    /// The key of the seconds in [`EXTENDED_TIME`].
    pub(in crate::cbor) const SECONDS: i64 = 1;
    /// The key of the nanoseconds in [`EXTENDED_TIME`]; -3 and -6 are milli- and microseconds.
    pub(in crate::cbor) const NANOSECONDS: i64 = -9;
}
