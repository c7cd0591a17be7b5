//! What `nil`, or nothing at all, says to a field that has only a place.

use manywire_shape::extension;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::{Error, Result};

/// The place of a field in an array where there is `nil`, or where the array has ended: in this
/// layout the two mean the same.
///
/// An `Option` is `None`, and what takes the unit takes it: a field of any type, and the content
/// of a unit variant, which serde's adjacently tagged enums leave out. Whatever else asks gets an
/// error, and its `#[serde(default)]` decides.
pub(super) struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == extension::NAME {
            return visitor.visit_unit();
        }
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
