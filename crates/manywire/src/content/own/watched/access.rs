use serde::de::value::Error as Words;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{Kept, Seen, Watch, Watched};

/// How many items a collection makes room for on the strength of a claimed length alone.
const PREALLOCATED_ITEMS_MAX: usize = 1_024;

/// What a container lends to its reader, watched.
pub(super) struct Watching<'w, A, E> {
    inner: A,
    watch: &'w Watch,
    kept: &'w Kept<E>,
}

impl<'w, A, E> Watching<'w, A, E> {
    pub(super) fn new(inner: A, watch: &'w Watch, kept: &'w Kept<E>) -> Self {
        Watching { inner, watch, kept }
    }

    fn seed<S>(&self, inner: S) -> Seed<'w, S> {
        Seed { inner, watch: self.watch }
    }
}

/// What reads one value of a container.
struct Seed<'w, S> {
    inner: S,
    watch: &'w Watch,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Seed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let kept = Kept::new();
        let read = self.inner.deserialize(Watched::new(inner, self.watch, &kept));
        read.map_err(|words| kept.or(self.watch, words))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Watching<'_, A, A::Error> {
    type Error = Words;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Words> {
        let seed = self.seed(seed);
        self.kept.keep(self.inner.next_element_seed(seed))
    }

    /// A claim, which is to make no more room than this.
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|items| items.min(PREALLOCATED_ITEMS_MAX))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Watching<'_, A, A::Error> {
    type Error = Words;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Words> {
        let seed = self.seed(seed);
        self.kept.keep(self.inner.next_key_seed(seed))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Words> {
        let seed = self.seed(seed);
        self.kept.keep(self.inner.next_value_seed(seed))
    }

    /// A claim, which is to make no more room than this.
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|items| items.min(PREALLOCATED_ITEMS_MAX))
    }
}

impl<'de, 'w, A: EnumAccess<'de>> EnumAccess<'de> for Watching<'w, A, A::Error> {
    type Error = Words;
    type Variant = Watching<'w, A::Variant, A::Error>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), Words> {
        let seed = self.seed(seed);
        let (value, variant) = self.kept.keep(self.inner.variant_seed(seed))?;
        Ok((value, Watching::new(variant, self.watch, self.kept)))
    }
}

impl<'de, E: Error, A: VariantAccess<'de, Error = E>> VariantAccess<'de> for Watching<'_, A, E> {
    type Error = Words;

    fn unit_variant(self) -> Result<(), Words> {
        self.kept.keep(self.inner.unit_variant())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Words> {
        let seed = self.seed(seed);
        self.kept.keep(self.inner.newtype_variant_seed(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Words> {
        let visitor = Seen { inner: visitor, watch: self.watch };
        self.kept.keep(self.inner.tuple_variant(length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Words> {
        let visitor = Seen { inner: visitor, watch: self.watch };
        self.kept.keep(self.inner.struct_variant(fields, visitor))
    }
}
