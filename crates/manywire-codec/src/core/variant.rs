//! Variants of enums: how serializers get their names, and how they are read in formats that describe
//! their values, as a name or as a map of one entry from the name to the content.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, Unexpected,
    VariantAccess, Visitor,
};

use super::error::{Error, Result};

/// The name of a variant to be written, and its index in the source code of the enum.
#[derive(Clone, Copy)]
pub(crate) struct VariantName {
    pub(crate) name: &'static str,
    pub(crate) index: u32,
}

/// A name alone, read by the deserializer: a variant without content.
pub(crate) struct NameOnly<D>(pub(crate) D);

impl<'de, D: Deserializer<'de, Error = Error>> EnumAccess<'de> for NameOnly<D> {
    type Error = Error;
    type Variant = NoContent;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, NoContent)> {
        let name = seed.deserialize(self.0)?;
        Ok((name, NoContent))
    }
}

/// The content of a variant that is its name alone.
pub(crate) struct NoContent;

impl NoContent {
    #[cold]
    #[inline(never)]
    fn expected<T>(form: &'static str) -> Result<T> {
        Err(Error::invalid_type(Unexpected::UnitVariant, &form))
    }
}

impl<'de> VariantAccess<'de> for NoContent {
    type Error = Error;

    #[inline]
    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value> {
        NoContent::expected("newtype variant")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        NoContent::expected("tuple variant")
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        NoContent::expected("struct variant")
    }
}

/// A deserializer that finds the place of an error by the number of bytes that were left there.
pub(crate) trait Locate: Sized {
    /// Sets the offset of an error to the place where `remaining` bytes were left.
    fn with_start(&self, error: Error, remaining: usize) -> Error;

    /// Places an error in the value of the key that began where `remaining` bytes were left.
    fn under_key(&self, error: Error, remaining: usize) -> Error;

    /// Reads the value of the key that began where `key` bytes were left.
    #[inline]
    fn value_of<T>(&mut self, key: usize, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        match read(self) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.under_key(error, key)),
        }
    }
}

/// The entry of a map, read by a deserializer in front of the key: a variant with content.
pub(crate) struct VariantEntry<'d, D> {
    de: &'d mut D,
    // The number of bytes left at the start of the key.
    key: usize,
}

impl<'d, D> VariantEntry<'d, D> {
    /// Creates the entry whose key is next. `key` is the number of bytes left.
    #[inline]
    pub(crate) fn new(de: &'d mut D, key: usize) -> Self {
        VariantEntry { de, key }
    }
}

impl<'de, D: Locate> EnumAccess<'de> for VariantEntry<'_, D>
where
    for<'r> &'r mut D: Deserializer<'de, Error = Error>,
{
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        match seed.deserialize(&mut *self.de) {
            Ok(name) => Ok((name, self)),
            Err(error) => Err(self.de.with_start(error, self.key)),
        }
    }
}

impl<'de, D: Locate> VariantAccess<'de> for VariantEntry<'_, D>
where
    for<'r> &'r mut D: Deserializer<'de, Error = Error>,
{
    type Error = Error;

    #[inline]
    fn unit_variant(self) -> Result<()> {
        self.de.value_of(self.key, |de| <()>::deserialize(de))
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        self.de.value_of(self.key, |de| seed.deserialize(de))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        self.de.value_of(self.key, |de| de.deserialize_tuple(length, visitor))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.de.value_of(self.key, |de| de.deserialize_struct("", fields, visitor))
    }
}

/// The entries of a tagged variant: first the tag with the variant's name, which no entry of `inner`
/// has, then the entries of `inner`.
pub(crate) struct TaggedMap<'de, A> {
    tag: &'de str,
    variant: &'de str,
    pub(crate) inner: A,
    state: TagState,
}

/// The part of a [`TaggedMap`] that comes next.
#[derive(PartialEq)]
enum TagState {
    Tag,
    Variant,
    Inner,
}

impl<'de, A> TaggedMap<'de, A> {
    pub(crate) fn new(tag: &'de str, variant: &'de str, inner: A) -> Self {
        TaggedMap { tag, variant, inner, state: TagState::Tag }
    }
}

impl<'de, A: MapAccess<'de, Error = Error>> MapAccess<'de> for TaggedMap<'de, A> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.state == TagState::Tag {
            self.state = TagState::Variant;
            return seed.deserialize(BorrowedStrDeserializer::new(self.tag)).map(Some);
        }
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if self.state == TagState::Variant {
            self.state = TagState::Inner;
            return seed.deserialize(BorrowedStrDeserializer::new(self.variant));
        }
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|inner| inner + usize::from(self.state == TagState::Tag))
    }
}
