//! Decimal text of a long number, by long division: slow, and plainly right.

/// The decimal digits of a natural number of any length, its most significant byte first.
pub(super) fn digits(bytes: &[u8]) -> String {
    let mut number: Vec<u8> = bytes.to_vec();
    let mut groups = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut remainder = 0_u32;
        for byte in &mut number {
            let part = remainder << 8 | u32::from(*byte);
            *byte = (part / 10_000) as u8;
            remainder = part % 10_000;
        }
        groups.push(remainder);
    }
    let Some(first) = groups.pop() else { return "0".to_owned() };
    let rest = groups.iter().rev().map(|group| format!("{group:04}"));
    first.to_string() + &rest.collect::<String>()
}

/// One more than the number, as -1 minus it has as its magnitude.
pub(super) fn successor(bytes: &[u8]) -> Vec<u8> {
    let mut number = [&[0], bytes].concat();
    for byte in number.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::{digits, successor};

    #[test]
    fn long_numbers_have_their_digits() {
        assert_eq!(digits(&[]), "0");
        assert_eq!(digits(&[0, 0]), "0");
        assert_eq!(digits(&[0x27, 0x10]), "10000");
        assert_eq!(digits(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), "18446744073709551616");
        assert_eq!(digits(&successor(&[0xff; 16])), "340282366920938463463374607431768211456");
    }
}
