//! Decimal to double, exactly rounded, for the numbers that documents are full of.
//!
//! Two shortcuts, each exact or silent; what they leave goes to the standard library. A mantissa
//! of at most 53 bits and a power of ten that a double holds need one correctly rounded operation
//! (Clinger 1990). A longer mantissa over a power of ten up to 10^27 is multiplied by the
//! reciprocal of the power of five to 128 bits, and the result stands unless the true quotient
//! could lie on the other side of a rounding boundary (after Lemire 2021).

/// Powers of ten that a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The powers of five below 2^64 are those up to 27.
const FIVES: usize = 28;

/// `(bits, floor(2^(127 + bits) / 5^k))` for each `k`, where `bits` is the length of `5^k`: the
/// reciprocal has its highest bit set.
const RECIPROCALS: [(u32, u128); FIVES] = reciprocals();

const fn reciprocals() -> [(u32, u128); FIVES] {
    let mut table = [(1, 1 << 127); FIVES];
    let mut five: u128 = 5;
    let mut k = 1;
    while k < FIVES {
        let bits = 128 - five.leading_zeros();
        // Long division of 2^(127 + bits) in two digits of 64 bits: 2^(63 + bits) fits a u128.
        let numerator = 1u128 << (63 + bits);
        let high = numerator / five;
        let low = ((numerator % five) << 64) / five;
        table[k] = (bits, (high << 64) + low);
        five *= 5;
        k += 1;
    }
    table
}

/// `mantissa * 10^exponent`, correctly rounded, or nothing where only a longer way can tell.
#[inline]
pub(super) fn shortcut(mantissa: u64, exponent: i64) -> Option<f64> {
    if mantissa <= 1 << 53 {
        if let Some(ten) = TENS.get(exponent.unsigned_abs() as usize) {
            let mantissa = mantissa as f64;
            return Some(if exponent < 0 { mantissa / ten } else { mantissa * ten });
        }
        if mantissa == 0 {
            return Some(0.0);
        }
    }
    if exponent < 0 { quotient(mantissa, exponent.unsigned_abs() as usize) } else { None }
}

/// `mantissa / 10^k` for a mantissa other than 0.
#[inline]
fn quotient(mantissa: u64, k: usize) -> Option<f64> {
    let (bits, reciprocal) = *RECIPROCALS.get(k)?;
    let shift = mantissa.leading_zeros();
    let mantissa = u128::from(mantissa << shift);

    // The upper 128 bits of the 192-bit product. Dropping the lower 64 takes less than one off,
    // and so does the remainder that the reciprocal lacks: the true quotient is less than two
    // above `product`, never below it. With its highest bit in place, less than four.
    let high = mantissa * (reciprocal >> 64);
    let low = mantissa * (reciprocal & u128::from(u64::MAX));
    let product = high + (low >> 64);
    let lacking = (product >> 127 == 0) as u32;
    let product = product << lacking;

    // 53 bits are kept; the highest bit of the 75 dropped is worth half of the last one kept.
    let (kept, dropped) = ((product >> 75) as u64, product & ((1 << 75) - 1));
    let half = 1 << 74;
    // Here the true quotient may be below, at or above the boundary.
    if dropped <= half && half - dropped < 4 {
        return None;
    }
    let kept = kept + u64::from(dropped > half);

    // mantissa / 10^k = kept * 2^exponent. The highest of the bits kept is implied in a double,
    // so adding it counts the exponent up by one; rounding up to 2^53 does so once more.
    let exponent = 75 + 64 - 127 - bits as i32 - shift as i32 - lacking as i32 - k as i32;
    Some(f64::from_bits((((exponent + 1074) as u64) << 52) + kept))
}
