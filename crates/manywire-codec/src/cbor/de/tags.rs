//! Reads values beyond serde's model: tags, simple values, timestamps, numbers of any size.

use manywire_shape::extension::Kind;
use serde::de::value::UnitDeserializer;
use serde::de::{IntoDeserializer, Visitor};

use super::{Deserializer, Length};
use crate::cbor::head::*;
use crate::cbor::number;
use crate::cbor::number::{BIGNUM_BYTES_MAX, Integer, Natural};
use crate::core::extension;
use crate::core::extension::{number as number_content, seconds};
use crate::{Category, Error, Result};

impl<'de> Deserializer<'de> {
    /// Reads an extension: a tag or a simple value. Anything else is an error.
    pub(super) fn extension<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let initial = self.initial()?;
        match initial {
            FALSE | TRUE | NULL | F16 | F32 | F64 => Err(self.no_extension(initial)),
            _ if initial >> 5 == TAG => self.tagged(initial, visitor),
            _ if initial >> 5 == SIMPLE => self.simple_value(initial, visitor),
            _ => Err(self.no_extension(initial)),
        }
    }

    /// Reads a simple value that serde has no name for, after its first byte.
    #[cold]
    #[inline(never)]
    pub(super) fn simple_value<V: Visitor<'de>>(
        &mut self,
        initial: u8,
        visitor: V,
    ) -> Result<V::Value> {
        let code = match initial & 0x1f {
            direct @ 0..DIRECT => direct,
            ONE_BYTE => self.simple_byte()?,
            _ => return Err(self.malformed(initial)),
        };
        let nothing: UnitDeserializer<Error> = ().into_deserializer();
        extension::visit(visitor, Kind::CborSimple, code.into(), nothing)
    }

    /// Reads an integer below every `i64`: -1 minus the argument.
    #[cold]
    #[inline(never)]
    pub(super) fn below_i64<V: Visitor<'de>>(
        &mut self,
        argument: u64,
        visitor: V,
    ) -> Result<V::Value> {
        visit_number(visitor, &Integer::from_argument(true, argument.into()).to_text())
    }

    /// Reads a tag and its content, after its first byte.
    #[inline(never)]
    pub(super) fn tagged<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        let code = self.argument(initial)?;
        self.enter()?;
        let value = self.tagged_content(code, visitor)?;
        self.leave();
        Ok(value)
    }

    /// Reads the content of a tag: a number or a time if the tag means one and the content has the
    /// form that the tag requires; otherwise the content of an extension.
    fn tagged_content<V: Visitor<'de>>(&mut self, code: u64, visitor: V) -> Result<V::Value> {
        match code {
            tag::EPOCH => {
                if let Some(whole) = self.attempt(Self::i64)? {
                    return extension::visit(visitor, Kind::Timestamp, 0, seconds(whole));
                }
            }
            tag::BIGNUM | tag::NEGATIVE_BIGNUM => {
                let negative = code == tag::NEGATIVE_BIGNUM;
                if let Some(number) = self.attempt(|de| de.bignum(negative))? {
                    return visit_big_integer(visitor, &number);
                }
            }
            tag::DECIMAL => {
                if let Some(text) = self.attempt(Self::decimal)? {
                    return visit_number(visitor, &text);
                }
            }
            tag::EXTENDED_TIME => {
                if let Some((whole, nanoseconds)) = self.attempt(Self::extended_time)? {
                    let content = seconds(whole);
                    return extension::visit(visitor, Kind::Timestamp, nanoseconds, content);
                }
            }
            _ => {}
        }
        extension::visit(visitor, Kind::CborTag, code, self)
    }

    /// Tries to read the content that a tag requires. If the content has another form, nothing is
    /// read and the result is `None`. Malformed content counts as another form: it is reported when
    /// the tag is read as an extension. Fails only if the content exceeds a limit.
    pub(super) fn attempt<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        let before = self.reader.clone();
        match read(self) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.category() == Category::Limit => Err(error),
            Err(_) => {
                self.reader = before;
                Ok(None)
            }
        }
    }

    /// Reads an integer of CBOR's integer types, which is less than 2^64 away from 0.
    pub(super) fn small_integer(&mut self) -> Result<i128> {
        let initial = self.initial()?;
        match initial >> 5 {
            UNSIGNED => self.argument(initial).map(i128::from),
            NEGATIVE => self.argument(initial).map(|argument| !i128::from(argument)),
            _ => Err(another_form()),
        }
    }

    /// Reads an integer that fits `i64`, as an integer or as a bignum. Both spellings must read the
    /// same, or a value would not survive a round trip.
    fn i64(&mut self) -> Result<i64> {
        self.mantissa()?.to_i64().ok_or_else(another_form)
    }

    /// Reads the content of a bignum (RFC 8949, section 3.4.3).
    pub(super) fn bignum(&mut self, negative: bool) -> Result<Integer> {
        let initial = self.initial()?;
        if initial >> 5 != BYTES {
            return Err(another_form());
        }
        let bytes = match initial & 0x1f {
            INDEFINITE => &*self.bytes_in_chunks()?,
            _ => self.definite(initial)?,
        };
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        let digits = &bytes[zeros..];
        if digits.len() > BIGNUM_BYTES_MAX {
            return Err(number::too_long().with_offset(self.reader.offset()));
        }
        Ok(Integer::from_argument(negative, Natural::from_bytes(digits)))
    }

    /// Reads the content of a decimal fraction (section 3.4.4), as text.
    pub(super) fn decimal(&mut self) -> Result<String> {
        let initial = self.initial()?;
        if initial >> 5 != ARRAY {
            return Err(another_form());
        }
        let length = self.array_length(initial)?;
        let exponent = self.i64()?;
        let mantissa = self.mantissa()?;
        match length {
            Length::Definite(2) => {}
            Length::Indefinite if self.at_break()? => {}
            _ => return Err(another_form()),
        }
        Ok(number::decimal_text(&mantissa, exponent))
    }

    fn mantissa(&mut self) -> Result<Integer> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == TAG {
            return match self.argument(initial)? {
                tag::BIGNUM => self.bignum(false),
                tag::NEGATIVE_BIGNUM => self.bignum(true),
                _ => Err(another_form()),
            };
        }
        self.reader = before;
        self.small_integer().map(Integer::from)
    }

    /// Reads the content of an extended time (RFC 9581, section 3) that is seconds and at most one
    /// fraction of a second, in nanoseconds.
    fn extended_time(&mut self) -> Result<(i64, u64)> {
        let initial = self.initial()?;
        if initial >> 5 != MAP {
            return Err(another_form());
        }
        let length = self.map_length(initial)?;
        let (mut whole, mut fraction) = (None, None);
        let mut read = 0;
        while match length {
            Length::Definite(length) => read < length,
            Length::Indefinite => !self.at_break()?,
        } {
            read += 1;
            let key = self.i64()?;
            let value = self.i64()?;
            let units_per_second = match key {
                tag::SECONDS if whole.is_none() => {
                    whole = Some(value);
                    continue;
                }
                -3 => 1_000,
                -6 => 1_000_000,
                tag::NANOSECONDS => 1_000_000_000,
                _ => return Err(another_form()),
            };
            if fraction.is_some() || !(0..units_per_second).contains(&value) {
                return Err(another_form());
            }
            fraction = Some(value.cast_unsigned() * (1_000_000_000 / units_per_second as u64));
        }
        let whole = whole.ok_or_else(another_form)?;
        Ok((whole, fraction.unwrap_or(0)))
    }

    #[cold]
    #[inline(never)]
    fn no_extension(&self, initial: u8) -> Error {
        Error::data(
            self.reader.offset() - 1,
            format_args!("expected a tag or a simple value, found {}", describe(initial)),
        )
    }
}

/// Passes an integer to a visitor as a 64-bit one if it fits, otherwise as decimal text: serde's
/// 128-bit integers do not survive serde's own buffering, the extension does.
fn visit_big_integer<'de, V: Visitor<'de>>(visitor: V, number: &Integer) -> Result<V::Value> {
    match number.magnitude.to_u128().map(|magnitude| (number.negative, magnitude)) {
        Some((false, magnitude)) if u64::try_from(magnitude).is_ok() => {
            visitor.visit_u64(magnitude as u64)
        }
        Some((true, magnitude)) if magnitude <= 1 << 63 => {
            visitor.visit_i64((magnitude as i128).wrapping_neg() as i64)
        }
        _ => visit_number(visitor, &number.to_text()),
    }
}

fn visit_number<'de, V: Visitor<'de>>(visitor: V, text: &str) -> Result<V::Value> {
    extension::visit(visitor, Kind::Number, 0, number_content(text))
}

/// Builds an error that never reaches a user: [`Deserializer::attempt`] treats it as a mismatch.
#[cold]
fn another_form() -> Error {
    Error::new(Category::Data, "not what the tag calls for")
}
