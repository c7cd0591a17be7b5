//! The beginning of every item.

use crate::cbor::head::{DIRECT, EIGHT_BYTES, ONE_BYTE};

/// Writes a first byte and its argument in the shortest form (RFC 8949, section 4.1).
#[inline]
pub(super) fn write(out: &mut Vec<u8>, major: u8, argument: u64) {
    if argument < u64::from(DIRECT) {
        out.push(major << 5 | argument as u8);
    } else {
        write_long(out, major, argument);
    }
}

/// Writes a first byte and an argument of one, two, four or eight bytes, each in one store.
#[inline]
fn write_long(out: &mut Vec<u8>, major: u8, argument: u64) {
    let initial = major << 5 | ONE_BYTE;
    if let Ok(byte) = u8::try_from(argument) {
        out.extend_from_slice(&[initial, byte]);
    } else if let Ok(short) = u16::try_from(argument) {
        let [a, b] = short.to_be_bytes();
        out.extend_from_slice(&[initial + 1, a, b]);
    } else if let Ok(word) = u32::try_from(argument) {
        let [a, b, c, d] = word.to_be_bytes();
        out.extend_from_slice(&[initial + 2, a, b, c, d]);
    } else {
        let [a, b, c, d, e, f, g, h] = argument.to_be_bytes();
        out.extend_from_slice(&[major << 5 | EIGHT_BYTES, a, b, c, d, e, f, g, h]);
    }
}
