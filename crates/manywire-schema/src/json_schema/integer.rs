use manywire_shape::{Int, Literal};

use super::{Reader, Result};
use crate::json::{member, text_member};

/// Formats of integers, from the OpenAPI registry.
const FORMATS: [(&str, Int); 10] = [
    ("int8", Int::signed(8)),
    ("int16", Int::signed(16)),
    ("int32", Int::signed(32)),
    ("int64", Int::signed(64)),
    ("int128", Int::signed(128)),
    ("uint8", Int::unsigned(8)),
    ("uint16", Int::unsigned(16)),
    ("uint32", Int::unsigned(32)),
    ("uint64", Int::unsigned(64)),
    ("uint128", Int::unsigned(128)),
];

impl Reader<'_> {
    /// The type of an integer: that of its format, else the narrowest that holds its limits.
    pub(super) fn integer(&self, schema: &Literal) -> Result<Int> {
        let format = text_member(schema, "format");
        if let Some((_, int)) = FORMATS.iter().find(|(name, _)| format == Some(*name)) {
            return Ok(*int);
        }
        let min = self.limit(schema, "minimum", "exclusiveMinimum", 1)?;
        let max = self.limit(schema, "maximum", "exclusiveMaximum", -1)?;
        let widths = [8, 16, 32, 64];
        let narrowest = match (min, max) {
            (Some(min), Some(max)) if min > max => {
                return Err(
                    self.fault(format_args!("expected limits in order, found {min} to {max}"))
                );
            }
            (Some(0..), Some(max)) => {
                let holds = |bits: &&u8| max < 1i128 << **bits;
                widths.iter().find(holds).map(|bits| Int::unsigned(*bits))
            }
            (Some(min), Some(max)) => {
                let holds = |bits: &&u8| {
                    let half = 1i128 << (**bits - 1);
                    -half <= min && max < half
                };
                widths.iter().find(holds).map(|bits| Int::signed(*bits))
            }
            _ => None,
        };
        Ok(narrowest.unwrap_or(match max {
            Some(max) if max > i64::MAX.into() => Int::unsigned(64),
            _ => Int::signed(64),
        }))
    }

    /// An inclusive limit, from either of its keywords.
    fn limit(
        &self,
        schema: &Literal,
        inclusive: &str,
        exclusive: &str,
        step: i128,
    ) -> Result<Option<i128>> {
        for (key, step) in [(inclusive, 0), (exclusive, step)] {
            match member(schema, key) {
                // In drafts up to 4 the exclusive keyword was a boolean beside the inclusive one.
                None | Some(Literal::Boolean(_)) => {}
                Some(Literal::Number(text)) => {
                    return Ok(text.trim_end_matches(".0").parse::<i128>().ok().map(|n| n + step));
                }
                Some(other) => return Err(self.bad_argument(key, "a number", other)),
            }
        }
        Ok(None)
    }
}
