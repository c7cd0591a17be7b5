//! [`Constraints`]: bounds on a value beyond its type, as a plain value.
//!
//! A constraint is declared once, on a field by `#[shaped(min = 1)]` or on a node of a shape by
//! [`ShapeBuilder::constrain`](crate::ShapeBuilder::constrain). Then
//! [`json_schema`](crate::json_schema) writes the constraint as a keyword,
//! [`Shaped::check`](crate::Shaped::check) checks values of Rust types,
//! [`ShapeRules`](crate::ShapeRules) checks dynamic values, and
//! [`Shape::invalid_constraint`](crate::Shape::invalid_constraint) reports a constraint that is
//! invalid, does not suit its node, or would never be checked.
//!
//! Constraints have the meaning of the keywords of JSON Schema 2020-12, validation vocabulary,
//! section 6. Numbers are compared exactly, without a conversion to `f64`.

mod check;
mod measure;
mod number;
pub(crate) mod pattern;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Bound, RangeBounds};

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

pub use check::{Check, Violation};
pub use measure::{Counted, Measure, Measured, Numeric, Textual};
pub use number::Number;
pub use pattern::InvalidPattern;

/// Bounds on a value beyond its type: the smallest and largest number, a length, a pattern, a list
/// of values.
///
/// ```
/// use manywire_shape::{Constraints, Rule};
///
/// let code = Constraints::new().length(2..=2).pattern("^[A-Z]*$");
/// let code = Rule::new(code)?;
/// assert!(code.violations("DE").is_empty());
/// assert_eq!(code.violations("d").len(), 2);
/// # Ok::<(), manywire_shape::InvalidConstraint>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Constraints {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multiple_of: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) length: Option<Length>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) one_of: Option<Vec<Choice>>,
}

/// The smallest and the largest length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Length {
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

/// One of the values that a constraint permits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Choice {
    /// A number.
    Number(Number),
    /// A text.
    Text(Cow<'static, str>),
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Choice {
            fn from(number: $ty) -> Self {
                Choice::Number(number.into())
            }
        }
    )*};
}

numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }

impl From<&'static str> for Choice {
    fn from(text: &'static str) -> Self {
        Choice::Text(text.into())
    }
}

impl From<String> for Choice {
    fn from(text: String) -> Self {
        Choice::Text(text.into())
    }
}

/// The largest divisor of [`Constraints::multiple_of`]. An `f64` holds every integer up to this
/// divisor exactly.
const MULTIPLE_MAX: u64 = 1 << 53;

impl Constraints {
    /// Creates constraints that every value satisfies.
    pub fn new() -> Self {
        Constraints::default()
    }

    /// Sets the smallest number.
    #[must_use]
    pub fn min(mut self, min: impl Into<Number>) -> Self {
        self.min = Some(min.into());
        self
    }

    /// Sets the largest number.
    #[must_use]
    pub fn max(mut self, max: impl Into<Number>) -> Self {
        self.max = Some(max.into());
        self
    }

    /// Requires a multiple of `divisor`, an integer from 1 to 2⁵³. The divisor cannot be a fraction
    /// such as 0.01: validators round differently, and disagree whether a float is a multiple of a
    /// fraction.
    #[must_use]
    pub fn multiple_of(mut self, divisor: u64) -> Self {
        self.multiple_of = Some(divisor);
        self
    }

    /// Limits the length: the number of characters (Unicode scalar values) in text, of items in
    /// arrays, of entries in maps, of bytes in binary data.
    #[must_use]
    pub fn length(mut self, length: impl RangeBounds<u32>) -> Self {
        let min = match length.start_bound() {
            Bound::Included(min) => *min,
            Bound::Excluded(below) => below.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let max = match length.end_bound() {
            Bound::Included(max) => Some(*max),
            Bound::Excluded(above) => Some(above.saturating_sub(1)),
            Bound::Unbounded => None,
        };
        self.length = Some(Length { min, max });
        self
    }

    /// Requires that a regular expression matches somewhere in the text; `^` and `$` anchor the
    /// match to the ends. The syntax is the part that ECMA-262 and `regex-lite` have in common,
    /// with the meaning of ECMA-262. It has no look-around, back references, flags, names of groups
    /// or Unicode properties.
    #[must_use]
    pub fn pattern(mut self, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    /// Lists the values that are permitted: numbers or texts.
    #[must_use]
    pub fn one_of<C: Into<Choice>>(mut self, choices: impl IntoIterator<Item = C>) -> Self {
        self.one_of = Some(choices.into_iter().map(Into::into).collect());
        self
    }

    /// Checks that values can satisfy the constraints, and that the pattern is valid.
    pub(crate) fn validate(&self) -> Result<(), InvalidConstraint> {
        if *self == Constraints::default() {
            return Err(InvalidConstraint::Empty);
        }
        if [&self.min, &self.max].into_iter().flatten().any(|bound| !bound.is_finite()) {
            return Err(InvalidConstraint::NotFinite);
        }
        if let (Some(min), Some(max)) = (&self.min, &self.max)
            && min > max
        {
            return Err(InvalidConstraint::MinAboveMax);
        }
        if let Some(Length { min, max: Some(max) }) = self.length
            && min > max
        {
            return Err(InvalidConstraint::LengthMinAboveMax);
        }
        if self.multiple_of.is_some_and(|divisor| divisor == 0 || divisor > MULTIPLE_MAX) {
            return Err(InvalidConstraint::Multiple);
        }
        if let Some(pattern) = &self.pattern {
            pattern::validate(pattern).map_err(InvalidConstraint::Pattern)?;
        }
        if let Some(choices) = &self.one_of {
            let is_number = |choice: &Choice| matches!(choice, Choice::Number(_));
            let Some(first) = choices.first() else { return Err(InvalidConstraint::NoChoice) };
            if choices.iter().any(|choice| is_number(choice) != is_number(first)) {
                return Err(InvalidConstraint::MixedChoices);
            }
            let is_finite = |choice: &Choice| match choice {
                Choice::Number(number) => number.is_finite(),
                Choice::Text(_) => true,
            };
            if !choices.iter().all(is_finite) {
                return Err(InvalidConstraint::NotFinite);
            }
        }
        Ok(())
    }
}

/// The error for constraints that no value satisfies, or that do not suit the type of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidConstraint {
    /// No constraint is set.
    Empty,
    /// A bound or a choice is infinite or not a number.
    NotFinite,
    /// `min` is above `max`.
    MinAboveMax,
    /// The smallest length is above the largest.
    LengthMinAboveMax,
    /// `multiple_of` is 0 or above 2⁵³.
    Multiple,
    /// The pattern is invalid.
    Pattern(InvalidPattern),
    /// `one_of` is empty.
    NoChoice,
    /// `one_of` has numbers and texts.
    MixedChoices,
    /// The keyword does not apply to values of this kind.
    Unsuitable {
        /// The name of the constraint, as in `#[shaped(…)]`.
        keyword: &'static str,
        /// The kind of the value.
        kind: &'static str,
    },
    /// The type of the value has constraints, and the field that uses the type has others.
    Repeated,
    /// The named type or field is written as another type, and values of the named type are not
    /// checked against the constraints of that other type.
    Unchecked(Cow<'static, str>),
}

impl fmt::Display for InvalidConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidConstraint::Empty => "no constraint is set",
            InvalidConstraint::NotFinite => "a bound is infinite or not a number",
            InvalidConstraint::MinAboveMax => "`min` is above `max`",
            InvalidConstraint::LengthMinAboveMax => "the smallest length is above the largest",
            InvalidConstraint::Multiple => "`multiple_of` is an integer from 1 to 2^53",
            InvalidConstraint::Pattern(error) => return error.fmt(f),
            InvalidConstraint::NoChoice => "`one_of` lists no values",
            InvalidConstraint::MixedChoices => "`one_of` lists numbers or texts, and not both",
            InvalidConstraint::Unsuitable { keyword, kind } => {
                return write!(f, "`{keyword}` does not apply to {kind}");
            }
            InvalidConstraint::Repeated => {
                "the type of this value has constraints already: declare all of them in one place"
            }
            InvalidConstraint::Unchecked(name) => {
                return write!(
                    f,
                    "{name} is written as another type, whose constraints are not checked on it: \
                     remove them there, and check the value with `validate`",
                );
            }
        })
    }
}

impl std::error::Error for InvalidConstraint {}

/// Valid constraints with a compiled pattern, which check values.
#[derive(Clone, Debug)]
pub struct Rule {
    constraints: Constraints,
    pattern: Option<Regex>,
}

impl Rule {
    /// Compiles constraints.
    ///
    /// # Errors
    /// Fails for constraints that no value satisfies, and for an invalid pattern.
    pub fn new(constraints: Constraints) -> Result<Rule, InvalidConstraint> {
        constraints.validate()?;
        let pattern = constraints.pattern.as_deref().map(pattern::compile);
        let pattern = pattern.transpose().map_err(InvalidConstraint::Pattern)?;
        Ok(Rule { constraints, pattern })
    }

    /// Returns the constraints.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Returns the constraints that a value violates.
    pub fn violations<T: Measure + ?Sized>(&self, value: &T) -> Vec<Violation> {
        Check::run(|check| check.value(self, value))
    }

    /// Passes the message of each violated constraint to `report`. If `hidden`, the messages do not
    /// contain the number or the text.
    fn check(&self, value: &Measured<'_>, hidden: bool, mut report: impl FnMut(String)) {
        let Constraints { min, max, multiple_of, length, one_of, .. } = &self.constraints;
        match value {
            Measured::Absent => {}
            Measured::Number(number) => {
                let got = |expected: fmt::Arguments<'_>| match hidden {
                    true => format!("must be {expected}"),
                    false => format!("must be {expected}, got {number}"),
                };
                // NaN is on neither side of a bound, so it violates every bound.
                let is_below = |min: &&Number| number.partial_cmp(min).is_none_or(Ordering::is_lt);
                let is_above = |max: &&Number| number.partial_cmp(max).is_none_or(Ordering::is_gt);
                if let Some(min) = min.as_ref().filter(is_below) {
                    report(got(format_args!("at least {min}")));
                }
                if let Some(max) = max.as_ref().filter(is_above) {
                    report(got(format_args!("at most {max}")));
                }
                if let Some(divisor) = multiple_of.filter(|it| !number.is_multiple_of(*it)) {
                    report(got(format_args!("a multiple of {divisor}")));
                }
                let is = |choice: &Choice| matches!(choice, Choice::Number(it) if it == number);
                if let Some(choices) = one_of.as_ref().filter(|all| !all.iter().any(is)) {
                    report(got(format_args!("one of {}", Choices(choices))));
                }
            }
            Measured::Text(text) => {
                if length.is_some() {
                    self.check_length(text.chars().count(), "character", &mut report);
                }
                let got = |expected: fmt::Arguments<'_>| match hidden {
                    true => format!("must {expected}"),
                    false => format!("must {expected}, got {}", quoted(text)),
                };
                let pattern = self.pattern.as_ref().zip(self.constraints.pattern.as_deref());
                if let Some((_, pattern)) = pattern.filter(|(regex, _)| !regex.is_match(text)) {
                    report(got(format_args!("match the pattern {pattern}")));
                }
                let is = |choice: &Choice| matches!(choice, Choice::Text(it) if **it == **text);
                if let Some(choices) = one_of.as_ref().filter(|all| !all.iter().any(is)) {
                    report(got(format_args!("be one of {}", Choices(choices))));
                }
            }
            Measured::Count { count, unit } => self.check_length(*count, unit, &mut report),
        }
    }

    fn check_length(&self, found: usize, unit: &str, report: &mut impl FnMut(String)) {
        let Some(Length { min, max }) = self.constraints.length else { return };
        let is_short = (found as u64) < u64::from(min);
        let is_long = max.is_some_and(|max| found as u64 > u64::from(max));
        if !is_short && !is_long {
            return;
        }
        let plural = |unit: &str, count| match (unit, count) {
            (unit, 1) => unit.to_owned(),
            ("entry", _) => "entries".to_owned(),
            (unit, _) => format!("{unit}s"),
        };
        let expected = match max {
            Some(max) if max == min => format!("exactly {min} {}", plural(unit, min)),
            Some(max) if min > 0 => format!("{min} to {max} {}", plural(unit, max)),
            Some(max) => format!("at most {max} {}", plural(unit, max)),
            None => format!("at least {min} {}", plural(unit, min)),
        };
        report(format!("must have {expected}, got {found}"));
    }
}

/// The maximum number of characters of a text in a message. Longer texts are cut.
const QUOTED_CHARS_MAX: usize = 40;

/// Returns a text in quotes, cut if it is long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

/// The maximum number of choices that a message lists.
const LISTED_MAX: usize = 10;

/// Writes choices for a message.
struct Choices<'c>(&'c [Choice]);

impl fmt::Display for Choices<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, choice) in self.0.iter().take(LISTED_MAX).enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            match choice {
                Choice::Number(number) => write!(f, "{number}")?,
                Choice::Text(text) => f.write_str(&quoted(text))?,
            }
        }
        match self.0.len().checked_sub(LISTED_MAX) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Bound;

    use super::{Constraints, InvalidConstraint, Measure, Rule};

    #[track_caller]
    fn messages<T: Measure + ?Sized>(constraints: Constraints, value: &T) -> Vec<String> {
        let rule = Rule::new(constraints).expect("valid constraints");
        rule.violations(value).into_iter().map(|violation| violation.detail).collect()
    }

    #[test]
    fn numbers_are_bounded() {
        let hundred = || Constraints::new().min(1).max(100).multiple_of(5);
        assert_eq!(messages(hundred(), &50_u8), [""; 0]);
        assert_eq!(messages(hundred(), &250_i64), ["must be at most 100, got 250"]);
        assert_eq!(
            messages(hundred(), &-3_i32),
            ["must be at least 1, got -3", "must be a multiple of 5, got -3"]
        );
        assert_eq!(messages(hundred(), &Some(0_u32)), ["must be at least 1, got 0"]);
        assert_eq!(messages(hundred(), &None::<u32>), [""; 0]);
        assert_eq!(messages(Constraints::new().min(0), &f64::NAN), ["must be at least 0, got NaN"]);
        let half = Constraints::new().min(0.5).max(1.5);
        assert_eq!(messages(half, &2_u8), ["must be at most 1.5, got 2"]);
    }

    #[test]
    fn lengths_count_characters_items_and_entries() {
        let few = || Constraints::new().length(1..=3);
        assert_eq!(messages(few(), "äöü"), [""; 0]);
        assert_eq!(messages(few(), ""), ["must have 1 to 3 characters, got 0"]);
        assert_eq!(messages(few(), &vec![0_u8; 4]), ["must have 1 to 3 items, got 4"]);
        let map = std::collections::BTreeMap::from([("a", 1)]);
        assert_eq!(
            messages(Constraints::new().length(2..), &map),
            ["must have at least 2 entries, got 1"]
        );
        assert_eq!(
            messages(Constraints::new().length(..1), "a"),
            ["must have exactly 0 characters, got 1"]
        );
        assert_eq!(
            messages(Constraints::new().length(1..=1), "ab"),
            ["must have exactly 1 character, got 2"]
        );
    }

    #[test]
    fn texts_match_patterns_and_choices() {
        let code = Constraints::new().pattern("^[A-Z]{2}$");
        let long = "x".repeat(50);
        assert_eq!(
            messages(code, &*long),
            [format!("must match the pattern ^[A-Z]{{2}}$, got {:?}…", "x".repeat(40))]
        );
        let choices = || Constraints::new().one_of(["a", "b"]);
        assert_eq!(messages(choices(), "b"), [""; 0]);
        assert_eq!(messages(choices(), "c"), ["must be one of \"a\", \"b\", got \"c\""]);
        let numbers = Constraints::new().one_of(0..20);
        assert_eq!(
            messages(numbers, &20_u8),
            ["must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more, got 20"]
        );
    }

    #[test]
    fn constraints_that_nothing_satisfies_are_refused() {
        let none: [&'static str; 0] = [];
        let cases = [
            (Constraints::new(), InvalidConstraint::Empty),
            (Constraints::new().min(2).max(1), InvalidConstraint::MinAboveMax),
            (Constraints::new().min(f64::NAN), InvalidConstraint::NotFinite),
            (
                Constraints::new().length((Bound::Included(3), Bound::Included(2))),
                InvalidConstraint::LengthMinAboveMax,
            ),
            (Constraints::new().multiple_of(0), InvalidConstraint::Multiple),
            (Constraints::new().one_of(none), InvalidConstraint::NoChoice),
        ];
        for (constraints, expected) in cases {
            assert_eq!(Rule::new(constraints).err(), Some(expected));
        }
        assert!(Rule::new(Constraints::new().pattern("(")).is_err());
    }
}
