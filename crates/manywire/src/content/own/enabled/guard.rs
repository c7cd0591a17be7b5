//! Guards the decoding of user-defined formats: limits the depth of values, and preserves errors.
//!
//! Every deserializer, visitor and access of a value is wrapped, for two reasons. First, containers
//! are counted: decoding a recursive type recurses, and a format may lack a depth limit. Second,
//! errors are saved. An error of the format would lose everything but its message on the way
//! through the type-erased functions, and the format would then add its position twice. An error of
//! the type would lose even its message in the errors of some formats.

use std::cell::Cell;
use std::fmt;

use manywire_codec::Category;
use serde::de::value::Error as MessageError;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// The depth and the first error of one value while it is decoded.
pub(super) struct ReadGuard {
    depth_max: usize,
    depth: Cell<usize>,
    first_error: Cell<Option<(Category, String)>>,
}

impl ReadGuard {
    pub(super) fn new(depth_max: usize) -> Self {
        ReadGuard { depth_max, depth: Cell::new(0), first_error: Cell::new(None) }
    }

    /// Returns the first error that came from the type or from the depth limit.
    pub(super) fn first_error(self) -> Option<(Category, String)> {
        self.first_error.into_inner()
    }

    /// Records an error of the type or of the depth limit, and converts it to an error of the
    /// format.
    #[cold]
    fn record<E: Error>(&self, category: Category, error: impl fmt::Display) -> E {
        let message = error.to_string();
        let error = E::custom(&message);
        self.first_error.set(self.first_error.take().or(Some((category, message))));
        error
    }

    /// Runs `read` one level deeper.
    fn nested<T, E: Error>(&self, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let depth = self.depth.get();
        if depth >= self.depth_max {
            let limit = self.depth_max;
            let message = format_args!("nested deeper than the limit of {limit}");
            return Err(self.record(Category::Limit, message));
        }
        self.depth.set(depth + 1);
        let value = read();
        self.depth.set(depth);
        value
    }
}

/// Saves an error of the format while only its message is passed on.
pub(super) struct SavedError<E>(Cell<Option<E>>);

impl<E: Error> SavedError<E> {
    pub(super) fn new() -> Self {
        SavedError(Cell::new(None))
    }

    /// Saves the error of a result, and returns a placeholder instead.
    fn save<T>(&self, result: Result<T, E>) -> Result<T, MessageError> {
        result.map_err(|error| {
            self.0.set(Some(error));
            MessageError::custom("saved")
        })
    }

    /// Returns the saved error of the format. Without a saved error, the error came from the type,
    /// and its `message` is recorded.
    #[cold]
    pub(super) fn take_or(&self, guard: &ReadGuard, message: MessageError) -> E {
        self.0.take().unwrap_or_else(|| guard.record(Category::Data, message))
    }
}

/// A deserializer, or the access to the contents of a container, whose values are guarded.
pub(super) struct Guarded<'w, T, E> {
    inner: T,
    guard: &'w ReadGuard,
    saved: &'w SavedError<E>,
}

impl<'w, T, E> Guarded<'w, T, E> {
    pub(super) fn new(inner: T, guard: &'w ReadGuard, saved: &'w SavedError<E>) -> Self {
        Guarded { inner, guard, saved }
    }

    fn seed<S>(&self, inner: S) -> GuardedSeed<'w, S> {
        GuardedSeed { inner, guard: self.guard }
    }
}

macro_rules! forward_guarded {
    ($($method:ident($($argument:ident: $ty:ty),*)),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $ty,)*
            visitor: V,
        ) -> Result<V::Value, MessageError> {
            let visitor = GuardedVisitor { inner: visitor, guard: self.guard };
            self.saved.save(self.inner.$method($($argument,)* visitor))
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Guarded<'_, D, D::Error> {
    type Error = MessageError;

    forward_guarded! {
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

/// A guarded visitor.
struct GuardedVisitor<'w, V> {
    inner: V,
    guard: &'w ReadGuard,
}

macro_rules! visit_guarded {
    ($($method:ident($($ty:ty)?)),+ $(,)?) => {$(
        fn $method<E: Error>(self, $(value: $ty)?) -> Result<V::Value, E> {
            let value = self.inner.$method::<MessageError>($({ let value: $ty = value; value })?);
            value.map_err(|message| self.guard.record(Category::Data, message))
        }
    )+};
}

/// Declares methods of a visitor that read further values, one level deeper.
macro_rules! visit_nested {
    ($($method:ident($source:ident)),+ $(,)?) => {$(
        fn $method<A: $source<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
            let (guard, saved) = (self.guard, SavedError::new());
            guard.nested(|| {
                let value = self.inner.$method(Guarded::new(inner, guard, &saved));
                value.map_err(|message| saved.take_or(guard, message))
            })
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for GuardedVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit_guarded! {
        visit_bool(bool), visit_i8(i8), visit_i16(i16), visit_i32(i32), visit_i64(i64),
        visit_i128(i128), visit_u8(u8), visit_u16(u16), visit_u32(u32), visit_u64(u64),
        visit_u128(u128), visit_f32(f32), visit_f64(f64), visit_char(char), visit_str(&str),
        visit_borrowed_str(&'de str), visit_string(String), visit_bytes(&[u8]),
        visit_borrowed_bytes(&'de [u8]), visit_byte_buf(Vec<u8>), visit_none(), visit_unit(),
    }

    visit_nested! {
        visit_some(Deserializer), visit_newtype_struct(Deserializer), visit_seq(SeqAccess),
        visit_map(MapAccess), visit_enum(EnumAccess),
    }
}

/// The largest number of items for which memory is reserved because the input states their number.
const PREALLOCATED_ITEMS_MAX: usize = 1_024;

/// A guarded seed, which decodes one value of a container.
struct GuardedSeed<'w, S> {
    inner: S,
    guard: &'w ReadGuard,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for GuardedSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let saved = SavedError::new();
        let read = self.inner.deserialize(Guarded::new(inner, self.guard, &saved));
        read.map_err(|message| saved.take_or(self.guard, message))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Guarded<'_, A, A::Error> {
    type Error = MessageError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, MessageError> {
        let seed = self.seed(seed);
        self.saved.save(self.inner.next_element_seed(seed))
    }

    /// Limits the number of items for which memory is reserved: the input merely states the number.
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|items| items.min(PREALLOCATED_ITEMS_MAX))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Guarded<'_, A, A::Error> {
    type Error = MessageError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, MessageError> {
        let seed = self.seed(seed);
        self.saved.save(self.inner.next_key_seed(seed))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, MessageError> {
        let seed = self.seed(seed);
        self.saved.save(self.inner.next_value_seed(seed))
    }

    /// Limits the number of items for which memory is reserved: the input merely states the number.
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|items| items.min(PREALLOCATED_ITEMS_MAX))
    }
}

impl<'de, 'w, A: EnumAccess<'de>> EnumAccess<'de> for Guarded<'w, A, A::Error> {
    type Error = MessageError;
    type Variant = Guarded<'w, A::Variant, A::Error>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), MessageError> {
        let seed = self.seed(seed);
        let (value, variant) = self.saved.save(self.inner.variant_seed(seed))?;
        Ok((value, Guarded::new(variant, self.guard, self.saved)))
    }
}

impl<'de, E: Error, A: VariantAccess<'de, Error = E>> VariantAccess<'de> for Guarded<'_, A, E> {
    type Error = MessageError;

    fn unit_variant(self) -> Result<(), MessageError> {
        self.saved.save(self.inner.unit_variant())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, MessageError> {
        let seed = self.seed(seed);
        self.saved.save(self.inner.newtype_variant_seed(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, MessageError> {
        let visitor = GuardedVisitor { inner: visitor, guard: self.guard };
        self.saved.save(self.inner.tuple_variant(length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, MessageError> {
        let visitor = GuardedVisitor { inner: visitor, guard: self.guard };
        self.saved.save(self.inner.struct_variant(fields, visitor))
    }
}
