//! Points in time, and their text as in RFC 3339.
//!
//! Formats with a type for times write a [`Timestamp`] as that type. JSON and the other formats
//! write text: `2023-11-14T22:13:20Z`. [`extension`](crate::extension) implements serde's traits of
//! [`Timestamp`].

use std::fmt;
use std::str::FromStr;

/// A point in time: seconds since 1970-01-01T00:00:00Z plus nanoseconds.
///
/// Its text is that of RFC 3339, in UTC, with as many decimals as needed. Years of more than four
/// digits and years before 0 have a sign, as in ISO 8601.
///
/// ```
/// use manywire_shape::Timestamp;
///
/// let time = Timestamp { seconds: 1_700_000_000, nanoseconds: 500_000_000 };
/// assert_eq!(time.to_string(), "2023-11-14T22:13:20.5Z");
/// assert_eq!("2023-11-14T23:13:20.5+01:00".parse(), Ok(time));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    pub nanoseconds: u32,
}

const SECONDS_PER_DAY: i64 = 86_400;
const DAYS_PER_ERA: i64 = 146_097;
/// The days from 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

impl Timestamp {
    /// Returns a timestamp, or `None` if the nanoseconds make a second or more.
    pub fn new(seconds: i64, nanoseconds: u32) -> Option<Self> {
        (nanoseconds < 1_000_000_000).then_some(Timestamp { seconds, nanoseconds })
    }
}

/// Writes the text of RFC 3339.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.seconds.div_euclid(SECONDS_PER_DAY);
        let seconds = self.seconds.rem_euclid(SECONDS_PER_DAY);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        match year {
            0..=9_999 => write!(f, "{year:04}")?,
            _ => write!(f, "{year:+07}")?,
        }
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if self.nanoseconds > 0 {
            let decimals = format!("{:09}", self.nanoseconds);
            write!(f, ".{}", decimals.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

/// Returns the date of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Internally
/// years begin on 1 March, so that the leap day is the last day of a year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, day) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year + carry, month, day)
}

/// Returns the day of a date, counted from 1970-01-01: the inverse of [`civil`].
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = (153 * month + 2) / 5 + day - 1;
    era * DAYS_PER_ERA + year * 365 + year / 4 - year / 100 + day - DAYS_TO_1970
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The error for text that is not a time as in RFC 3339.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimestampError {
    expected: &'static str,
    offset: usize,
}

impl fmt::Display for ParseTimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseTimestampError { expected, offset } = self;
        write!(
            f,
            "invalid time: expected {expected} at byte {offset}; \
             write times as in RFC 3339, such as 2023-11-14T22:13:20Z"
        )
    }
}

impl std::error::Error for ParseTimestampError {}

/// Reads the text of RFC 3339, with any offset from UTC and up to nine decimals. A leap second (`:60`)
/// is an error, because seconds since 1970 do not count it.
impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, ParseTimestampError> {
        let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
        let year = cursor.year()?;
        cursor.one_of(b"-", "-")?;
        let month = cursor.pair(1..=12, "a month from 01 to 12")?;
        cursor.one_of(b"-", "-")?;
        let day = cursor.pair(1..=days_in_month(year, month), "a day of the month")?;
        cursor.one_of(b"Tt ", "T")?;
        let hour = cursor.pair(0..=23, "an hour from 00 to 23")?;
        cursor.one_of(b":", ":")?;
        let minute = cursor.pair(0..=59, "a minute from 00 to 59")?;
        cursor.one_of(b":", ":")?;
        let second = cursor.pair(0..=59, "a second from 00 to 59")?;
        let nanoseconds = cursor.decimals()?;
        let offset = cursor.offset_from_utc()?;
        if cursor.at < cursor.bytes.len() {
            return Err(cursor.expected("the end"));
        }
        let of_day = hour * 3_600 + minute * 60 + second - offset;
        let seconds = i128::from(days_of(year, month, day)) * i128::from(SECONDS_PER_DAY)
            + i128::from(of_day);
        let seconds = i64::try_from(seconds).map_err(|_| ParseTimestampError {
            expected: "a year within 64-bit seconds",
            offset: 0,
        })?;
        Ok(Timestamp { seconds, nanoseconds })
    }
}

/// The text of a time, and the offset of the next byte.
struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn expected(&self, expected: &'static str) -> ParseTimestampError {
        ParseTimestampError { expected, offset: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn one_of(
        &mut self,
        accepted: &[u8],
        expected: &'static str,
    ) -> Result<u8, ParseTimestampError> {
        let byte = self.peek().filter(|byte| accepted.contains(byte));
        let byte = byte.ok_or_else(|| self.expected(expected))?;
        self.at += 1;
        Ok(byte)
    }

    fn digit(&mut self) -> Option<i64> {
        let digit = self.peek().filter(u8::is_ascii_digit)?;
        self.at += 1;
        Some(i64::from(digit - b'0'))
    }

    /// Reads a number of two digits.
    fn pair(
        &mut self,
        range: std::ops::RangeInclusive<i64>,
        expected: &'static str,
    ) -> Result<i64, ParseTimestampError> {
        let error = self.expected(expected);
        match (self.digit(), self.digit()) {
            (Some(tens), Some(ones)) if range.contains(&(tens * 10 + ones)) => Ok(tens * 10 + ones),
            _ => Err(error),
        }
    }

    /// Reads a year of four digits, or a sign and six to twelve digits.
    fn year(&mut self) -> Result<i64, ParseTimestampError> {
        let error = self.expected("a year of four digits");
        let sign = self.peek().filter(|byte| b"+-".contains(byte));
        self.at += usize::from(sign.is_some());
        let (mut year, start) = (0, self.at);
        let (least, most) = if sign.is_some() { (6, 12) } else { (4, 4) };
        while self.at - start < most
            && let Some(digit) = self.digit()
        {
            year = year * 10 + digit;
        }
        if self.at - start < least {
            return Err(error);
        }
        Ok(if sign == Some(b'-') { -year } else { year })
    }

    /// Reads the decimals of a second, if there are any, in nanoseconds.
    fn decimals(&mut self) -> Result<u32, ParseTimestampError> {
        if self.peek() != Some(b'.') {
            return Ok(0);
        }
        self.at += 1;
        let start = self.at;
        let mut nanoseconds = 0;
        while let Some(digit) = self.digit() {
            match self.at - start {
                1..=9 => nanoseconds = nanoseconds * 10 + digit as u32,
                _ if digit == 0 => {}
                _ => {
                    return Err(ParseTimestampError {
                        expected: "at most nine decimals",
                        offset: start + 9,
                    });
                }
            }
        }
        match self.at - start {
            0 => Err(self.expected("a decimal")),
            count => Ok(nanoseconds * 10_u32.pow(9_u32.saturating_sub(count as u32))),
        }
    }

    /// Reads `Z` or an offset, in seconds.
    fn offset_from_utc(&mut self) -> Result<i64, ParseTimestampError> {
        let sign = match self.one_of(b"Zz+-", "Z or an offset such as +01:00")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Ok(0),
        };
        let hours = self.pair(0..=23, "an offset of 00 to 23 hours")?;
        self.one_of(b":", ":")?;
        let minutes = self.pair(0..=59, "an offset of 00 to 59 minutes")?;
        Ok(sign * (hours * 3_600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_and_reads_rfc_3339() {
        let known = [
            (0, 0, "1970-01-01T00:00:00Z"),
            (-1, 999_000_000, "1969-12-31T23:59:59.999Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (1_709_251_199, 1, "2024-02-29T23:59:59.000000001Z"),
            (-2_203_891_200, 0, "1900-03-01T00:00:00Z"),
            (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
            (-62_167_219_201, 0, "-000001-12-31T23:59:59Z"),
            (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
            (253_402_300_800, 0, "+010000-01-01T00:00:00Z"),
            (i64::MAX, 999_999_999, "+292277026596-12-04T15:30:07.999999999Z"),
            (i64::MIN, 0, "-292277022657-01-27T08:29:52Z"),
        ];
        for (seconds, nanoseconds, text) in known {
            let time = Timestamp { seconds, nanoseconds };
            assert_eq!(time.to_string(), text);
            assert_eq!(text.parse(), Ok(time), "{text}");
        }
        // Every day of eight centuries, days far away, and the bounds of 64 bits in seconds.
        let far = (-400..=400).map(|step| step * 266_876_672_983);
        let bounds = [-106_751_991_167_300, 106_751_991_167_300];
        for days in (-150_000..150_000).chain(far).chain(bounds) {
            let time = Timestamp { seconds: days * 86_400, nanoseconds: 5 };
            assert_eq!(time.to_string().parse(), Ok(time));
        }
    }

    #[test]
    fn reads_every_form_of_rfc_3339() {
        for (text, seconds, nanoseconds) in [
            ("1985-04-12T23:20:50.52Z", 482_196_050, 520_000_000),
            ("1996-12-19T16:39:57-08:00", 851_042_397, 0),
            ("1996-12-20t00:39:57z", 851_042_397, 0),
            ("1996-12-20 00:39:57.0000000000Z", 851_042_397, 0),
            ("1937-01-01T12:00:27.87+00:20", -1_041_337_173, 870_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Timestamp { seconds, nanoseconds }), "{text}");
        }
    }

    #[test]
    fn rejects_other_text_with_its_position() {
        for (text, expected, offset) in [
            ("", "a year of four digits", 0),
            ("999-01-01T00:00:00Z", "a year of four digits", 0),
            ("+9999-01-01T00:00:00Z", "a year of four digits", 0),
            ("20231114T221320Z", "-", 4),
            ("2023-13-01T00:00:00Z", "a month from 01 to 12", 5),
            ("2023-02-29T00:00:00Z", "a day of the month", 8),
            ("2023-02-01", "T", 10),
            ("2023-02-01T24:00:00Z", "an hour from 00 to 23", 11),
            ("2016-12-31T23:59:60Z", "a second from 00 to 59", 17),
            ("2023-02-01T00:00:00.Z", "a decimal", 20),
            ("2023-02-01T00:00:00.0000000001Z", "at most nine decimals", 29),
            ("2023-02-01T00:00:00", "Z or an offset such as +01:00", 19),
            ("2023-02-01T00:00:00+25:00", "an offset of 00 to 23 hours", 20),
            ("2023-02-01T00:00:00Z ", "the end", 20),
            ("+999999999999-01-01T00:00:00Z", "a year within 64-bit seconds", 0),
        ] {
            let error = text.parse::<Timestamp>().expect_err(text);
            assert_eq!(error, ParseTimestampError { expected, offset }, "{text}");
        }
    }
}
