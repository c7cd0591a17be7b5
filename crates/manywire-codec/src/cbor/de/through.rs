//! Typed values where the bytes are not in the form that is taken at once: behind tags, as
//! another kind of number, without a length.

use serde::de::value::SeqDeserializer;
use serde::de::{Error as _, Unexpected, Visitor};

use super::Deserializer;
use crate::Result;
use crate::cbor::head::*;
use crate::cbor::number::Integer;
use crate::core::reader::Reader;

/// A number that stands behind a tag, as the tag spells it.
enum Spelled {
    Integer(Integer),
    Decimal(String),
}

impl<'de> Deserializer<'de> {
    /// Leaves the tags in front of a value behind, if there are any.
    pub(super) fn through_tags(&mut self) -> Result<()> {
        let mut tags = 0;
        while self.at_tag() {
            if tags >= self.depth {
                return Err(self.too_deep());
            }
            tags += 1;
            let initial = self.initial()?;
            self.argument(initial)?;
        }
        Ok(())
    }

    fn at_tag(&self) -> bool {
        self.reader.peek().is_some_and(|initial| initial >> 5 == TAG)
    }

    /// Goes back to where a value began: what is behind its tags decides.
    #[cold]
    #[inline(never)]
    pub(super) fn other<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        self.through_tags()?;
        self.any(visitor)
    }

    /// The same where a sequence was asked for, which bytes are as well.
    #[cold]
    #[inline(never)]
    pub(super) fn other_seq<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        self.through_tags()?;
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 != BYTES {
            self.reader = before;
            return self.any(visitor);
        }
        let bytes = match initial & 0x1f {
            INDEFINITE => &*self.bytes_in_chunks()?,
            _ => self.definite(initial)?,
        };
        let mut items = SeqDeserializer::new(bytes.iter().copied());
        let value = visitor.visit_seq(&mut items)?;
        items.end()?;
        Ok(value)
    }

    /// The same where the unit was asked for, which undefined is as well.
    #[cold]
    #[inline(never)]
    pub(super) fn other_unit<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        self.through_tags()?;
        if self.reader.peek() == Some(UNDEFINED) {
            self.reader.skip(1, "undefined")?;
            return visitor.visit_unit();
        }
        self.any(visitor)
    }

    /// The same where an identifier was asked for: an integer stands for its digits.
    #[cold]
    #[inline(never)]
    pub(super) fn other_identifier<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        self.through_tags()?;
        match self.reader.peek().map(|initial| initial >> 5) {
            Some(UNSIGNED | NEGATIVE) => visitor.visit_string(self.small_integer()?.to_string()),
            _ => self.any(visitor),
        }
    }

    /// Whether there is nothing behind the tags of a value; then it has been read.
    #[cold]
    #[inline(never)]
    pub(super) fn tagged_null(&mut self) -> Result<bool> {
        let before = self.reader.clone();
        self.through_tags()?;
        if matches!(self.reader.peek(), Some(NULL | UNDEFINED)) {
            self.reader.skip(1, "null")?;
            return Ok(true);
        }
        self.reader = before;
        Ok(false)
    }

    /// The same where an integer was asked for, which bignums are as well.
    #[cold]
    #[inline(never)]
    pub(super) fn other_integer<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        let number = match self.through_number_tags()? {
            Some(Spelled::Integer(number)) => number,
            Some(Spelled::Decimal(text)) => {
                let found = format!("decimal fraction `{text}`");
                return Err(crate::Error::invalid_type(Unexpected::Other(&found), &visitor));
            }
            None => match self.reader.peek().map(|initial| initial >> 5) {
                Some(UNSIGNED | NEGATIVE) => self.small_integer()?.into(),
                _ => return self.any(visitor),
            },
        };
        let magnitude = number.magnitude.to_u128();
        let signed = magnitude.and_then(|magnitude| match number.negative {
            false => i128::try_from(magnitude).ok(),
            true => 0i128.checked_sub_unsigned(magnitude),
        });
        match (signed, magnitude) {
            (Some(number), _) => match (u64::try_from(number), i64::try_from(number)) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_i64(number),
                _ => visitor.visit_i128(number),
            },
            (None, Some(magnitude)) if !number.negative => visitor.visit_u128(magnitude),
            _ => {
                let found = format!("integer `{}`", number.to_text());
                Err(crate::Error::invalid_value(Unexpected::Other(&found), &visitor))
            }
        }
    }

    /// The same where a float was asked for, which every number within its range is, rounded to
    /// the nearest.
    #[cold]
    #[inline(never)]
    pub(super) fn other_float<V: Visitor<'de>>(
        &mut self,
        before: Reader<'de>,
        visitor: V,
    ) -> Result<V::Value> {
        self.reader = before;
        let text = match self.through_number_tags()? {
            Some(Spelled::Integer(number)) => number.to_text(),
            Some(Spelled::Decimal(text)) => text,
            None => match self.reader.peek().map(|initial| initial >> 5) {
                Some(NEGATIVE) => self.small_integer()?.to_string(),
                _ => return self.any(visitor),
            },
        };
        match text.parse() {
            Ok(number) if f64::is_finite(number) => visitor.visit_f64(number),
            _ => {
                let found = format!("number `{text}`");
                Err(crate::Error::invalid_value(Unexpected::Other(&found), &visitor))
            }
        }
    }

    /// Leaves the tags in front of a value behind, up to one that spells a number.
    fn through_number_tags(&mut self) -> Result<Option<Spelled>> {
        let mut tags = 0;
        while self.at_tag() {
            if tags >= self.depth {
                return Err(self.too_deep());
            }
            tags += 1;
            let initial = self.initial()?;
            let code = self.argument(initial)?;
            let spelled = match code {
                tag::BIGNUM | tag::NEGATIVE_BIGNUM => {
                    let negative = code == tag::NEGATIVE_BIGNUM;
                    self.attempt(|de| de.bignum(negative))?.map(Spelled::Integer)
                }
                tag::DECIMAL => self.attempt(Self::decimal)?.map(Spelled::Decimal),
                _ => None,
            };
            if spelled.is_some() {
                return Ok(spelled);
            }
        }
        Ok(None)
    }
}
