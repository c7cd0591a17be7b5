//! Enums: a variant's name alone, or a map of one entry from the name to the content.

use serde::de::{
    DeserializeSeed, Deserializer as SerdeDeserializer, EnumAccess, Unexpected, VariantAccess,
    Visitor,
};

use super::Deserializer;
use super::head::Length;
use crate::cbor::head::MAP;
use crate::{Category, Error, Result};

impl<'de> Deserializer<'de> {
    #[inline]
    pub(super) fn variant<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.through_tags()?;
        if self.reader.peek().is_none_or(|initial| initial >> 5 != MAP) {
            return visitor.visit_enum(NameOnly(self));
        }
        let initial = self.initial()?;
        let length = self.map_length(initial)?;
        if let Length::Definite(length) = length
            && length != 1
        {
            return Err(self.not_one_entry(length));
        }
        self.enter()?;
        let value = visitor.visit_enum(NameAndContent { de: self, key: 0 })?;
        if let Length::Indefinite = length
            && !self.at_break()?
        {
            return Err(self.more_than_one_entry());
        }
        self.leave();
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn not_one_entry(&self, length: usize) -> Error {
        Error::at(
            Category::Data,
            self.reader.offset(),
            format_args!("expected a map of one entry, the variant, found {length}"),
        )
    }

    #[cold]
    #[inline(never)]
    fn more_than_one_entry(&self) -> Error {
        let offset = self.reader.offset();
        Error::at(Category::Data, offset, "expected a map of one entry, the variant, found more")
    }
}

/// A variant without content.
struct NameOnly<'d, 'de>(&'d mut Deserializer<'de>);

impl<'de> EnumAccess<'de> for NameOnly<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        let variant = seed.deserialize(&mut *self.0)?;
        Ok((variant, self))
    }
}

impl NameOnly<'_, '_> {
    #[cold]
    #[inline(never)]
    fn no_content<T>(self, expected: &'static str) -> Result<T> {
        Err(serde::de::Error::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

impl<'de> VariantAccess<'de> for NameOnly<'_, 'de> {
    type Error = Error;

    #[inline]
    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value> {
        self.no_content("newtype variant")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        self.no_content("tuple variant")
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        self.no_content("struct variant")
    }
}

/// A variant with content.
struct NameAndContent<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    // How many bytes were left where the name began.
    key: usize,
}

impl<'de> EnumAccess<'de> for NameAndContent<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(mut self, seed: S) -> Result<(S::Value, Self)> {
        self.key = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(variant) => Ok((variant, self)),
            Err(error) => Err(self.de.placed(error, self.key)),
        }
    }
}

impl<'de> NameAndContent<'_, 'de> {
    #[inline]
    fn content<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        match seed.deserialize(&mut *self.de) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.de.under_key(error, self.key)),
        }
    }
}

impl<'de> VariantAccess<'de> for NameAndContent<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        self.content(std::marker::PhantomData)
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        self.content(seed)
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        match self.de.deserialize_tuple(length, visitor) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.de.under_key(error, self.key)),
        }
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.de.deserialize_struct("", fields, visitor) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.de.under_key(error, self.key)),
        }
    }
}
