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
            [whole, b'.', digits @ ..] => (*whole, digits),
            _ => return None,
        };
        let Quality(thousandths) = Quality::of_digits(&mut digits.iter())?;
        match whole {
            b'0' => Some(Quality(thousandths)),
            b'1' if thousandths == 0 => Some(Quality::ONE),
            _ => None,
        }
    }

    /// Reads up to three digits behind the point, and the comma that ends a member unless the text
    /// ends before it.
    #[inline(always)]
    pub(super) fn of_digits(text: &mut std::slice::Iter<'_, u8>) -> Option<Quality> {
        let mut thousandths = 0;
        for weight in [100, 10, 1] {
            match text.next() {
                None | Some(b',') => return Some(Quality(thousandths)),
                Some(digit @ b'0'..=b'9') => thousandths += u16::from(digit - b'0') * weight,
                Some(_) => return None,
            }
        }
        matches!(text.next(), None | Some(b',')).then_some(Quality(thousandths))
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
