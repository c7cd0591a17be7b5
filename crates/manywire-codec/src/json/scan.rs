//! Finds the next significant byte, sixteen bytes at a time.

use wide::u8x16;

/// Returns the end of the plain text that starts at `at`: a quote, a backslash, a control
/// character, or the end of the bytes.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = block(bytes, at) {
        let control = block.min(u8x16::splat(0x1F)).simd_eq(block);
        let special = control | equal(block, b'"') | equal(block, b'\\');
        match special.to_bitmask() {
            0 => at += 16,
            found => return at + found.trailing_zeros() as usize,
        }
    }
    tail_end(bytes, at, |byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F))
}

/// Checks whether a text is plain and shorter than a block, as most keys are. The two words that
/// cover it may overlap.
#[inline]
pub(super) fn is_short_and_plain(bytes: &[u8]) -> bool {
    if bytes.len() >= 16 {
        false
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        special(u64::from_le_bytes(*first)) | special(u64::from_le_bytes(*last)) == 0
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        special(u64::from(first) | u64::from(last) << 32) == 0
    } else {
        bytes.iter().all(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1F))
    }
}

/// Returns nonzero if one of eight bytes must be escaped in a string. Subtracting a bound borrows
/// from the high bit of each smaller byte; bytes above ASCII have that bit themselves.
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & (ONES << 7)
}

/// Returns the end of the white space that starts at `at`.
#[inline]
pub(super) fn space_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(0..=b' ') => space_run_end(bytes, at),
        _ => at,
    }
}

/// Skips a run of white space. Compact text has single spaces, indented text long runs.
#[inline]
fn space_run_end(bytes: &[u8], mut at: usize) -> usize {
    if bytes.get(at) == Some(&b' ') && bytes.get(at + 1).is_some_and(|&next| next > b' ') {
        return at + 1;
    }
    while let Some(block) = block(bytes, at) {
        let space =
            equal(block, b' ') | equal(block, b'\n') | equal(block, b'\r') | equal(block, b'\t');
        match space.to_bitmask() {
            0xFFFF => at += 16,
            found => return at + found.trailing_ones() as usize,
        }
    }
    tail_end(bytes, at, |byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
}

#[inline]
fn block(bytes: &[u8], at: usize) -> Option<u8x16> {
    bytes.get(at..)?.first_chunk().copied().map(u8x16::new)
}

#[inline]
fn equal(block: u8x16, byte: u8) -> u8x16 {
    block.simd_eq(u8x16::splat(byte))
}

/// Returns the first index from `at` whose byte `goes_on` rejects, or the length of `bytes`. Scans
/// byte by byte, because less than a block is left.
#[inline(never)]
fn tail_end(bytes: &[u8], at: usize, goes_on: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !goes_on(*byte)).unwrap_or(rest.len())
}
