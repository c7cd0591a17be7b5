//! The wire types and primitive encodings.

/// A varint.
pub(super) const VARINT: u8 = 0;
/// Eight bytes, little-endian.
pub(super) const I64: u8 = 1;
/// A length and that many bytes.
pub(super) const LEN: u8 = 2;
/// The start of a group, a message between two tags in proto2 and by a feature of editions.
pub(super) const START_GROUP: u8 = 3;
/// The end of a group.
pub(super) const END_GROUP: u8 = 4;
/// Four bytes, little-endian.
pub(super) const I32: u8 = 5;
/// No wire type: the field is absent.
pub(super) const ABSENT: u8 = 0xff;

/// The longest varint in bytes: 64 bits, seven a byte.
pub(super) const VARINT_BYTES_MAX: usize = 10;

/// Writes a varint to the front of a buffer and returns its length.
#[inline]
pub(super) fn put_varint(buffer: &mut [u8], mut value: u64) -> usize {
    let mut len = 0;
    for byte in buffer {
        len += 1;
        if value < 0x80 {
            *byte = value as u8;
            break;
        }
        *byte = value as u8 | 0x80;
        value >>= 7;
    }
    len
}

/// Maps small magnitudes to small numbers: 0, -1, 1, -2 … become 0, 1, 2, 3 …
#[inline]
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The inverse of [`zigzag`].
#[inline]
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}
