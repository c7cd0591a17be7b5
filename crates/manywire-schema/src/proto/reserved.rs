//! `reserved 2, 9 to 11, 40 to max;` and `reserved "name", "other";`.

use std::ops::RangeInclusive;

use manywire_shape::proto::Reserved;

use super::lex::Kind;
use super::parse::Parser;
use super::{Fault, Result};

impl Parser<'_> {
    /// A statement that begins with `reserved`; `max` is the greatest number of its kind.
    pub(super) fn reserved(&mut self, max: i32) -> Result<Reserved> {
        self.bump()?;
        let mut reserved = Reserved::default();
        loop {
            match &self.token.kind {
                Kind::Text(_) => reserved.names.push(self.text()?),
                // As editions write a name.
                Kind::Word(_) => reserved.names.push(self.word("a name")?.to_owned()),
                _ => reserved.numbers.push(self.range(max)?),
            }
            if !self.eat(',')? {
                self.mark(';')?;
                return Ok(reserved);
            }
        }
    }

    fn range(&mut self, max: i32) -> Result<RangeInclusive<i32>> {
        let start = self.end_of_range(max)?;
        if self.token.kind != Kind::Word("to") {
            return Ok(start..=start);
        }
        self.bump()?;
        let offset = self.token.offset;
        let end = if self.token.kind == Kind::Word("max") {
            self.bump()?;
            max
        } else {
            self.end_of_range(max)?
        };
        if end < start {
            let message = format_args!("expected a number from {start}, found {end}");
            return Err(Fault::new(offset, message));
        }
        Ok(start..=end)
    }

    fn end_of_range(&mut self, max: i32) -> Result<i32> {
        let negative = self.eat('-')?;
        let offset = self.token.offset;
        let number = i64::try_from(self.int("a number or a name to reserve")?).ok();
        let number = number.map(|number| if negative { -number } else { number });
        let number = number.and_then(|number| i32::try_from(number).ok());
        number
            .filter(|number| *number <= max)
            .ok_or_else(|| Fault::new(offset, format_args!("expected a number up to {max}")))
    }
}
