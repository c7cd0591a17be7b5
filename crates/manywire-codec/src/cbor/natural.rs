//! Natural numbers of any size, between bytes and decimal digits.

/// One decimal limb holds this many digits.
const LIMB_DIGITS: usize = 9;
const LIMB: u64 = 1_000_000_000;

/// A natural number, its least significant 32 bits first, without zeros at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    /// From bytes, the most significant first (RFC 8949, section 3.4.3); zeros in front are
    /// allowed.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let limbs = bytes
            .rchunks(4)
            .map(|chunk| chunk.iter().fold(0, |limb: u32, &byte| limb << 8 | u32::from(byte)));
        Natural(limbs.collect()).trimmed()
    }

    /// To bytes, the most significant first and not zero.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.0.iter().rev().flat_map(|limb| limb.to_be_bytes());
        bytes.skip_while(|&byte| byte == 0).collect()
    }

    /// From decimal digits; anything else among them does not count.
    pub(super) fn from_digits(digits: impl Iterator<Item = u8>) -> Self {
        let digits: Vec<u8> = digits.filter(u8::is_ascii_digit).collect();
        let mut number = Natural(Vec::new());
        // Whole limbs from the end on, so the first is what is left over.
        let (first, rest) = digits.split_at(digits.len() % LIMB_DIGITS);
        for chunk in std::iter::once(first).chain(rest.chunks(LIMB_DIGITS)) {
            let limb = chunk.iter().fold(0, |limb, digit| limb * 10 + u64::from(digit - b'0'));
            number.multiply_add(LIMB, limb);
        }
        number.trimmed()
    }

    /// To decimal digits, `0` for zero.
    pub(super) fn to_digits(&self) -> String {
        let mut number = self.clone();
        let mut limbs = Vec::new();
        while !number.0.is_empty() {
            limbs.push(number.split_limb());
            number = number.trimmed();
        }
        let mut text = limbs.pop().unwrap_or(0).to_string();
        for limb in limbs.iter().rev() {
            text.push_str(&format!("{limb:0LIMB_DIGITS$}"));
        }
        text
    }

    /// The number as a machine integer, if it fits.
    pub(super) fn to_u128(&self) -> Option<u128> {
        if self.0.len() > 4 {
            return None;
        }
        Some(self.0.iter().rev().fold(0, |number, &limb| number << 32 | u128::from(limb)))
    }

    /// One more.
    pub(super) fn successor(mut self) -> Self {
        self.multiply_add(1, 1);
        self
    }

    /// One less; of zero, zero.
    pub(super) fn predecessor(mut self) -> Self {
        for limb in &mut self.0 {
            let (less, borrow) = limb.overflowing_sub(1);
            *limb = less;
            if !borrow {
                return self.trimmed();
            }
        }
        Natural(Vec::new())
    }

    fn multiply_add(&mut self, factor: u64, addend: u64) {
        let mut carry = addend;
        for limb in &mut self.0 {
            carry += u64::from(*limb) * factor;
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Takes a decimal limb off its end. The divisor is a constant, so that the division becomes a
    /// multiplication.
    fn split_limb(&mut self) -> u64 {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let part = remainder << 32 | u64::from(*limb);
            *limb = (part / LIMB) as u32;
            remainder = part % LIMB;
        }
        remainder
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        Natural::from_bytes(&number.to_be_bytes())
    }
}
