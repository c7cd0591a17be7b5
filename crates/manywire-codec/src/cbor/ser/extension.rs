//! What is beyond serde's model: tags, simple values, timestamps, numbers of any size.

use manywire_shape::extension::Kind;
use serde::ser::Serialize;

use super::Serializer;
use crate::cbor::head::*;
use crate::cbor::natural::Natural;
use crate::cbor::number::{self, BIGNUM_BYTES_MAX, Integer, Number};
use crate::core::extension::{WriteExtension, i64_of, with_str};
use crate::{Category, Error, Result};

impl WriteExtension for Serializer<'_> {
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Kind,
        code: u64,
        content: &T,
    ) -> Result<()> {
        match kind {
            Kind::CborTag => {
                self.head(TAG, code);
                content.serialize(self)
            }
            Kind::CborSimple => self.simple(code),
            Kind::Timestamp => {
                let seconds = i64_of(content)?;
                self.timestamp(seconds, code)
            }
            Kind::Number => with_str(content, |text| self.number(text)),
            Kind::MessagePack => Err(other_format("MessagePack", code.cast_signed())),
            Kind::Bson => Err(other_format("BSON", code.cast_signed())),
        }
    }
}

impl Serializer<'_> {
    fn simple(&mut self, code: u64) -> Result<()> {
        match u8::try_from(code) {
            Ok(value @ 0..DIRECT) => self.out.push(SIMPLE << 5 | value),
            Ok(value @ SIMPLE_BYTE_MIN..) => self.out.extend_from_slice(&[SIMPLE_BYTE, value]),
            _ => return Err(no_simple(code)),
        }
        Ok(())
    }

    fn timestamp(&mut self, seconds: i64, nanoseconds: u64) -> Result<()> {
        if nanoseconds == 0 {
            self.head(TAG, tag::EPOCH);
            return seconds.serialize(self);
        }
        if nanoseconds >= 1_000_000_000 {
            return Err(more_than_a_second(nanoseconds));
        }
        self.head(TAG, tag::EXTENDED_TIME);
        self.head(MAP, 2);
        tag::SECONDS.serialize(&mut *self)?;
        seconds.serialize(&mut *self)?;
        tag::NANOSECONDS.serialize(&mut *self)?;
        nanoseconds.serialize(self)
    }

    fn number(&mut self, text: &str) -> Result<()> {
        match number::parse(text)? {
            Number::Integer(integer) => self.natural(integer),
            Number::Decimal { mantissa, exponent } => {
                self.head(TAG, tag::DECIMAL);
                self.head(ARRAY, 2);
                exponent.serialize(&mut *self)?;
                self.natural(mantissa)
            }
            Number::NegativeZero => {
                self.double(-0.0);
                Ok(())
            }
        }
    }

    /// An integer of any size.
    fn natural(&mut self, integer: Integer) -> Result<()> {
        let negative = integer.negative;
        let argument = integer.into_argument();
        match argument.to_u128() {
            Some(small) => self.integer(negative, small),
            None => self.bignum(negative, &argument)?,
        }
        Ok(())
    }

    /// An integer whose argument fits 128 bits: as such if it fits 64, otherwise as a bignum
    /// (RFC 8949, section 3.4.3).
    pub(super) fn integer(&mut self, negative: bool, argument: u128) {
        if let Ok(argument) = u64::try_from(argument) {
            return self.head(if negative { NEGATIVE } else { UNSIGNED }, argument);
        }
        self.head(TAG, bignum_tag(negative));
        let bytes = argument.to_be_bytes();
        let zeros = argument.leading_zeros() as usize / 8;
        self.string(BYTES, &bytes[zeros..]);
    }

    fn bignum(&mut self, negative: bool, argument: &Natural) -> Result<()> {
        let bytes = argument.to_bytes();
        if bytes.len() > BIGNUM_BYTES_MAX {
            return Err(number::too_long());
        }
        self.head(TAG, bignum_tag(negative));
        self.string(BYTES, &bytes);
        Ok(())
    }
}

fn bignum_tag(negative: bool) -> u64 {
    if negative { tag::NEGATIVE_BIGNUM } else { tag::BIGNUM }
}

#[cold]
fn other_format(name: &str, code: i64) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("CBOR has no place for the {name} extension {code}"),
    )
}

#[cold]
fn no_simple(code: u64) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("there is no simple value {code}: they are 0 to 23 and 32 to 255"),
    )
}

#[cold]
fn more_than_a_second(nanoseconds: u64) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("{nanoseconds} nanoseconds are more than a second"),
    )
}
