//! Whether a double says all that a decimal text said.

/// Decimals of at most this many digits come back from a double of the normal range as they were.
const DIGITS_SAFE: usize = 15;

/// Below this power of ten of the last digit, doubles may be subnormal and hold fewer digits.
const EXPONENT_SAFE: i64 = -300;

/// No double has more significant digits than this in its exact expansion (it is 767).
const DIGITS_MAX: usize = 800;

/// Whether a decimal of so many digits and this exponent might lose some of them.
#[inline]
pub(super) fn is_doubtful(digits: usize, exponent: i64) -> bool {
    digits > DIGITS_SAFE || exponent < EXPONENT_SAFE
}

/// Whether the double nearest to a number gives all its digits back: its shortest text, or itself
/// rounded to as many digits as the text has, is the text again. So `-65.613616999999977` is a double although a shorter
/// text would do, and `0.1234567890123456789` is more than one.
#[cold]
#[inline(never)]
pub(super) fn is_double(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    let significant = significant(text);
    if significant.is_empty() {
        return true;
    }
    if !number.is_finite() || number == 0.0 || significant.len() > DIGITS_MAX {
        return false;
    }
    // The shortest text of a double need not be the nearest of its length, where two are as near.
    self::significant(&format!("{number:e}")) == significant
        || self::significant(&format!("{:.*e}", significant.len() - 1, number)) == significant
}

/// The digits from the first to the last that is not zero, without sign, point and exponent.
fn significant(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_a_double_gives_back() {
        for text in [
            "0.1",
            "-65.613616999999977",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "4.9e-324",
            "0.1000000000000000055511151231257827",
            "0.0000000000000000000000",
            "1.5000000000000000000000000000",
            "9007199254740992.0",
            "2.2250738585072014E-308",
            "5.960464477539063e-8",
        ] {
            assert!(is_double(text), "{text}");
        }
        for text in [
            "0.1234567890123456789",
            "9007199254740993.0",
            "1e-400",
            "1.2345678e-320",
            "1e400",
            "0.1000000000000000055511151231257828",
            "3.14159265358979323846264338327950288",
        ] {
            assert!(!is_double(text), "{text}");
        }
        assert!(!is_double(&format!("0.{}", "1".repeat(100_000))));
    }
}
