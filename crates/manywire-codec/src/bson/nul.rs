//! The zero byte that ends a key, looked for eight bytes at a time: keys are too short for the
//! set-up of a wider search to pay.

const LOW: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// The top bits of the zero bytes of a word; those above the lowest are not to be trusted.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// Whether there is a zero byte.
#[inline]
pub(super) fn contains(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().any(|word| zeros(u64::from_le_bytes(*word)) != 0) || rest.contains(&0)
}

/// Where the first zero byte is, and whether all before it are ASCII.
#[inline]
pub(super) fn find(bytes: &[u8]) -> Option<(usize, bool)> {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0;
    let mut tops = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let zeros = zeros(word);
        if zeros != 0 {
            // All bits below the lowest zero byte's top bit: that byte adds none.
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
