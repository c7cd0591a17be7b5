//! Names of fields and variants.

use serde::de::{Deserializer as SerdeDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::Deserializer;
use crate::cbor::head::*;
use crate::{Error, Result};

/// A key that is compared with the names of a struct's fields.
///
/// It goes to the comparison as bytes: whether they are text does not matter, because all the
/// names that they are compared with are.
pub(super) struct FieldName<'d, 'de>(pub(super) &'d mut Deserializer<'de>);

impl<'de> SerdeDeserializer<'de> for FieldName<'_, 'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.0.reader.clone();
        let initial = self.0.initial()?;
        if initial >> 5 == TEXT && initial & 0x1f != INDEFINITE {
            return visitor.visit_borrowed_bytes(self.0.definite(initial)?);
        }
        self.0.other_identifier(before, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum ignored_any
    }
}

/// A key for an error's path, from where it stands in the bytes.
#[cold]
pub(in crate::cbor) fn key_text(bytes: &[u8]) -> String {
    let mut key = Deserializer::new(bytes);
    let text = key.through_tags().and_then(|()| match key.reader.peek() {
        Some(initial @ (FALSE | TRUE)) => Ok((initial == TRUE).to_string()),
        Some(initial) => match initial >> 5 {
            TEXT => key.read::<String>(),
            UNSIGNED | NEGATIVE => key.small_integer().map(|number| number.to_string()),
            _ => Ok(describe(initial).to_owned()),
        },
        None => Ok(String::new()),
    });
    text.unwrap_or_default()
}
