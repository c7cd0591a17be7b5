//! [`Number`]: the numbers of constraints, which compare exactly.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// An integer of up to 128 bits, or a float. Integers and floats compare by their exact values: 2⁵³
/// + 1 is above the float 2⁵³.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(Value);

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Value {
    Integer(i128),
    /// An integer above `i128::MAX`.
    Large(u128),
    Float(f64),
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Number {
            fn from(number: $ty) -> Self {
                Number(Value::Integer(i128::from(number)))
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 i128 u8 u16 u32 u64 }

impl From<u128> for Number {
    fn from(number: u128) -> Self {
        Number(i128::try_from(number).map_or(Value::Large(number), Value::Integer))
    }
}

impl From<isize> for Number {
    fn from(number: isize) -> Self {
        Number::from(number as i64)
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Number::from(number as u64)
    }
}

impl From<f32> for Number {
    fn from(number: f32) -> Self {
        Number::from(f64::from(number))
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Number(Value::Float(number))
    }
}

impl Number {
    /// Returns whether the number is neither infinite nor "not a number".
    pub(super) fn is_finite(self) -> bool {
        !matches!(self.0, Value::Float(number) if !number.is_finite())
    }

    /// Returns whether the number is a multiple of an integer from 1 to 2⁵³. The remainder of two
    /// floats is exact (IEEE 754, section 5.3.1).
    pub(super) fn is_multiple_of(self, divisor: u64) -> bool {
        match self.0 {
            Value::Integer(number) => number % i128::from(divisor) == 0,
            Value::Large(number) => number % u128::from(divisor) == 0,
            Value::Float(number) => number % divisor as f64 == 0.0,
        }
    }
}

/// Writes a finite number in JSON's grammar.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Integer(number) => number.fmt(f),
            Value::Large(number) => number.fmt(f),
            Value::Float(number) => write!(f, "{number:?}"),
        }
    }
}

/// Compares exactly. NaN compares with nothing.
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.0, other.0) {
            (Value::Float(left), Value::Float(right)) => left.partial_cmp(&right),
            (Value::Float(left), _) => other.partial_cmp_float(left).map(Ordering::reverse),
            (_, Value::Float(right)) => self.partial_cmp_float(right),
            (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(&right)),
            (Value::Large(left), Value::Large(right)) => Some(left.cmp(&right)),
            (Value::Integer(_), Value::Large(_)) => Some(Ordering::Less),
            (Value::Large(_), Value::Integer(_)) => Some(Ordering::Greater),
        }
    }
}

impl Number {
    /// Compares an integer with a float.
    fn partial_cmp_float(self, float: f64) -> Option<Ordering> {
        let (is_negative, magnitude) = match self.0 {
            Value::Integer(number) => (number.is_negative(), number.unsigned_abs()),
            Value::Large(number) => (false, number),
            Value::Float(number) => return number.partial_cmp(&float),
        };
        if float.is_nan() {
            return None;
        }
        let (is_below_zero, size) = (float < 0.0, float.abs());
        if is_negative != is_below_zero {
            return Some(match is_negative {
                true => Ordering::Less,
                false => Ordering::Greater,
            });
        }
        // Below 2¹²⁸, the whole part of a float converts to `u128` without rounding.
        let by_size = if size >= 340_282_366_920_938_463_463_374_607_431_768_211_456.0 {
            Ordering::Less
        } else {
            let fraction = if size.fract() > 0.0 { Ordering::Less } else { Ordering::Equal };
            magnitude.cmp(&(size as u128)).then(fraction)
        };
        Some(if is_negative { by_size.reverse() } else { by_size })
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            // NaN is refused as a bound, so it only needs to equal itself.
            (Value::Float(left), Value::Float(right)) if left.is_nan() => {
                left.to_bits() == right.to_bits()
            }
            _ => self.partial_cmp(other) == Some(Ordering::Equal),
        }
    }
}

impl Eq for Number {}

/// Equal numbers have equal hashes: all of them are hashed as floats.
impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let float = match self.0 {
            Value::Integer(number) => number as f64,
            Value::Large(number) => number as f64,
            Value::Float(number) => number,
        };
        // Both zeros are equal.
        (float + 0.0).to_bits().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn numbers_compare_exactly() {
        let two_53 = 1_u64 << 53;
        assert!(Number::from(two_53 + 1) > Number::from(two_53 as f64));
        assert!(Number::from(two_53) == Number::from(two_53 as f64));
        assert!(Number::from(-(two_53 as i64) - 1) < Number::from(-(two_53 as f64)));
        assert!(Number::from(1) < Number::from(1.5));
        assert!(Number::from(-1) > Number::from(-1.5));
        assert!(Number::from(0) == Number::from(-0.0));
        assert!(Number::from(u128::MAX) < Number::from(2_f64.powi(128)));
        assert!(Number::from(u128::MAX) > Number::from(i128::MAX));
        assert!(Number::from(u128::MAX) > Number::from(-1));
        assert!(Number::from(i128::MIN) == Number::from(-(2_f64.powi(127))));
        assert!(Number::from(i128::MIN) > Number::from(f64::NEG_INFINITY));
        assert!(Number::from(1).partial_cmp(&Number::from(f64::NAN)).is_none());
    }

    #[test]
    fn multiples_are_exact() {
        assert!(Number::from(1e300).is_multiple_of(1));
        assert!(!Number::from(0.5).is_multiple_of(1));
        assert!(Number::from(-10).is_multiple_of(5));
        assert!(!Number::from(u128::MAX).is_multiple_of(2));
        assert!(!Number::from(f64::INFINITY).is_multiple_of(1));
    }
}
