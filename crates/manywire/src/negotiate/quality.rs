use std::fmt;

/// A quality value (RFC 9110, section 12.4.2), in thousandths: from 0, "not acceptable", to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quality(u16);

impl Quality {
    /// Not acceptable.
    pub const ZERO: Quality = Quality(0);
    /// What stands for no quality value: as good as it gets.
    pub const ONE: Quality = Quality(1_000);

    /// In thousandths.
    pub fn thousandths(self) -> u16 {
        self.0
    }

    /// Whether it is above zero.
    pub fn is_acceptable(self) -> bool {
        self.0 != 0
    }

    /// Reads `0`, `1`, or either with a point and up to three digits; above 1 there is nothing.
    #[inline]
    pub(super) fn parse(text: &[u8]) -> Option<Quality> {
        let (whole, digits) = match text {
            [whole] => (*whole, &[][..]),
            [whole, b'.', digits @ ..] if digits.len() <= 3 => (*whole, digits),
            _ => return None,
        };
        let mut thousandths = match whole {
            b'0' => 0,
            b'1' => 1_000,
            _ => return None,
        };
        let mut weight = 100;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            thousandths += u16::from(digit - b'0') * weight;
            weight /= 10;
        }
        (thousandths <= 1_000).then_some(Quality(thousandths))
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1_000, self.0 % 1_000) {
            (whole, 0) => write!(f, "{whole}"),
            (whole, thousandths) => {
                let digits = format!("{thousandths:03}");
                write!(f, "{whole}.{}", digits.trim_end_matches('0'))
            }
        }
    }
}
