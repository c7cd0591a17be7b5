//! Enums: a name, or a map of one entry from the name to the content.

use serde::de::{DeserializeSeed, EnumAccess, Unexpected, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer as _, de};

use super::Deserializer;
use crate::{Error, Result};

/// A variant that is nothing but its name.
pub(super) struct Name<'d, 'de>(pub(super) &'d mut Deserializer<'de>);

impl<'de> EnumAccess<'de> for Name<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let variant = seed.deserialize(&mut *self.0)?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Name<'_, 'de> {
    type Error = Error;

    #[inline]
    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &"a variant with a value"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &"a variant with values"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &"a variant with fields"))
    }
}

/// A variant with content. The head of the map is read; the name comes next.
pub(super) struct Entry<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    // How many bytes were left where the name began.
    name: usize,
}

impl<'d, 'de> Entry<'d, 'de> {
    #[inline]
    pub(super) fn new(de: &'d mut Deserializer<'de>) -> Self {
        let name = de.reader.remaining();
        Entry { de, name }
    }

    #[inline]
    fn content<T>(self, read: impl FnOnce(&mut Deserializer<'de>) -> Result<T>) -> Result<T> {
        match read(&mut *self.de) {
            Ok(content) => Ok(content),
            Err(error) => Err(self.de.under_key(error, self.name)),
        }
    }
}

impl<'de> EnumAccess<'de> for Entry<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        match seed.deserialize(&mut *self.de) {
            Ok(variant) => Ok((variant, self)),
            Err(error) => Err(self.de.placed(error, self.name)),
        }
    }
}

impl<'de> VariantAccess<'de> for Entry<'_, 'de> {
    type Error = Error;

    #[inline]
    fn unit_variant(self) -> Result<()> {
        self.content(|de| <()>::deserialize(de))
    }

    #[inline]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        self.content(|de| seed.deserialize(de))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        self.content(|de| de.deserialize_tuple(length, visitor))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.content(|de| de.deserialize_struct("", fields, visitor))
    }
}
