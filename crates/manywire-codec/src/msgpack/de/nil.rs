//! What `nil`, or nothing at all, says to a field that has only a place.

use manywire_shape::extension;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::{Category, Error, Result};

/// The place of a field in an array where there is `nil`, or where the array has ended.
///
/// What can say so takes it: an `Option` is `None` either way, and a field that takes any value,
/// or the unit, takes a `nil` that is there. Whatever else asks is noted as `refused`, and its
/// `#[serde(default)]` decides.
pub(super) struct Absent<'r> {
    pub(super) refused: &'r mut bool,
    pub(super) nil: bool,
}

impl Absent<'_> {
    fn take_nil<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.nil { visitor.visit_unit() } else { self.refuse(visitor) }
    }

    #[cold]
    fn refuse<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        // A visitor of its own may take nil although it asked for something else.
        let result = if self.nil {
            visitor.visit_unit()
        } else {
            Err(Error::new(Category::Data, "the array ends before this field"))
        };
        *self.refused = result.is_err();
        result
    }
}

impl<'de> Deserializer<'de> for Absent<'_> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.refuse(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_none()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.take_nil(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.take_nil(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.take_nil(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == extension::NAME {
            return self.refuse(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        seq tuple tuple_struct map struct enum identifier
    }
}
