//! A value on its way out of a format that is not known here: how deep it is, whose errors it has.
//!
//! Two things are done to everything that passes. Containers are counted, since what reads a
//! recursive type recurses, and a format need not have a limit of its own. And each error is kept as
//! it was: that of the format, of which nothing but words would be left on its way through the table
//! of functions that the value is read by, so that the format would add its place to it twice; and
//! that of the type, of which not even words are left in the errors of some formats.

use std::cell::Cell;
use std::fmt;

use manywire_codec::Category;
use serde::de::value::Error as Words;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// What is known of one value while it is read.
pub(super) struct Watch {
    depth_max: usize,
    depth: Cell<usize>,
    noted: Cell<Option<(Category, String)>>,
}

impl Watch {
    pub(super) fn new(depth_max: usize) -> Self {
        Watch { depth_max, depth: Cell::new(0), noted: Cell::new(None) }
    }

    /// Which failure came first, if it was not the format's.
    pub(super) fn noted(self) -> Option<(Category, String)> {
        self.noted.into_inner()
    }

    /// An error that is not the format's, as one of its.
    #[cold]
    fn note<E: Error>(&self, category: Category, error: impl fmt::Display) -> E {
        let message = error.to_string();
        let error = E::custom(&message);
        self.noted.set(self.noted.take().or(Some((category, message))));
        error
    }

    /// Goes one level down for as long as `read` takes.
    fn within<T, E: Error>(&self, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let depth = self.depth.get();
        if depth >= self.depth_max {
            let limit = self.depth_max;
            let message = format_args!("nested deeper than the limit of {limit}");
            return Err(self.note(Category::Limit, message));
        }
        self.depth.set(depth + 1);
        let value = read();
        self.depth.set(depth);
        value
    }
}

/// An error of the format, while only words of it go on.
pub(super) struct Kept<E>(Cell<Option<E>>);

impl<E: Error> Kept<E> {
    pub(super) fn new() -> Self {
        Kept(Cell::new(None))
    }

    /// Keeps an error, and lets another take its way.
    fn keep<T>(&self, result: Result<T, E>) -> Result<T, Words> {
        result.map_err(|error| {
            self.0.set(Some(error));
            Words::custom("kept")
        })
    }

    /// The error that was kept; where there is none, the words are of whoever reads.
    #[cold]
    pub(super) fn or(&self, watch: &Watch, words: Words) -> E {
        self.0.take().unwrap_or_else(|| watch.note(Category::Data, words))
    }
}

/// A deserializer whose values are watched.
pub(super) struct Watched<'w, D, E> {
    inner: D,
    watch: &'w Watch,
    kept: &'w Kept<E>,
}

impl<'w, D, E> Watched<'w, D, E> {
    pub(super) fn new(inner: D, watch: &'w Watch, kept: &'w Kept<E>) -> Self {
        Watched { inner, watch, kept }
    }
}

macro_rules! watched {
    ($($method:ident($($argument:ident: $ty:ty),*)),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $ty,)*
            visitor: V,
        ) -> Result<V::Value, Words> {
            let visitor = Seen { inner: visitor, watch: self.watch };
            self.kept.keep(self.inner.$method($($argument,)* visitor))
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Watched<'_, D, D::Error> {
    type Error = Words;

    watched! {
        deserialize_any(), deserialize_bool(), deserialize_i8(), deserialize_i16(),
        deserialize_i32(), deserialize_i64(), deserialize_i128(), deserialize_u8(),
        deserialize_u16(), deserialize_u32(), deserialize_u64(), deserialize_u128(),
        deserialize_f32(), deserialize_f64(), deserialize_char(), deserialize_str(),
        deserialize_string(), deserialize_bytes(), deserialize_byte_buf(), deserialize_option(),
        deserialize_unit(), deserialize_unit_struct(name: &'static str),
        deserialize_newtype_struct(name: &'static str), deserialize_seq(),
        deserialize_tuple(length: usize),
        deserialize_tuple_struct(name: &'static str, length: usize), deserialize_map(),
        deserialize_struct(name: &'static str, fields: &'static [&'static str]),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]),
        deserialize_identifier(), deserialize_ignored_any(),
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// A visitor that is watched.
struct Seen<'w, V> {
    inner: V,
    watch: &'w Watch,
}

macro_rules! seen {
    ($($method:ident($($ty:ty)?)),+ $(,)?) => {$(
        fn $method<E: Error>(self, $(value: $ty)?) -> Result<V::Value, E> {
            let seen = self.inner.$method::<Words>($({ let value: $ty = value; value })?);
            seen.map_err(|words| self.watch.note(Category::Data, words))
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Seen<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    seen! {
        visit_bool(bool), visit_i8(i8), visit_i16(i16), visit_i32(i32), visit_i64(i64),
        visit_i128(i128), visit_u8(u8), visit_u16(u16), visit_u32(u32), visit_u64(u64),
        visit_u128(u128), visit_f32(f32), visit_f64(f64), visit_char(char), visit_str(&str),
        visit_borrowed_str(&'de str), visit_string(String), visit_bytes(&[u8]),
        visit_borrowed_bytes(&'de [u8]), visit_byte_buf(Vec<u8>), visit_none(), visit_unit(),
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let (watch, kept) = (self.watch, Kept::new());
        watch.within(|| {
            let seen = self.inner.visit_some(Watched::new(inner, watch, &kept));
            seen.map_err(|words| kept.or(watch, words))
        })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let (watch, kept) = (self.watch, Kept::new());
        watch.within(|| {
            let seen = self.inner.visit_newtype_struct(Watched::new(inner, watch, &kept));
            seen.map_err(|words| kept.or(watch, words))
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let (watch, kept) = (self.watch, Kept::new());
        watch.within(|| {
            let seen = self.inner.visit_seq(Watching::new(inner, watch, &kept));
            seen.map_err(|words| kept.or(watch, words))
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let (watch, kept) = (self.watch, Kept::new());
        watch.within(|| {
            let seen = self.inner.visit_map(Watching::new(inner, watch, &kept));
            seen.map_err(|words| kept.or(watch, words))
        })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let (watch, kept) = (self.watch, Kept::new());
        watch.within(|| {
            let seen = self.inner.visit_enum(Watching::new(inner, watch, &kept));
            seen.map_err(|words| kept.or(watch, words))
        })
    }
}

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
