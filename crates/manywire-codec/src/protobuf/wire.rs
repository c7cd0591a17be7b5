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

/// Returns the varint at the start of `bytes` without its bits beyond 64, and the bytes after it.
/// Returns `None` if the varint is cut off or longer than ten bytes.
pub(super) fn split_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (index, byte) in bytes.iter().enumerate().take(VARINT_BYTES_MAX) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
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
