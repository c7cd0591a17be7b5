use manywire_shape::extension::Kind;
use serde::de::{self, DeserializeSeed, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::Deserializer;
use super::scan::syntax;
use crate::bson::element;
use crate::core::extension::{seconds, visit};
use crate::core::reader::Reader;
use crate::{Error, Result};

/// A length, an empty string and an empty document.
const CODE_WITH_SCOPE_MIN: usize = 14;

impl<'de> Deserializer<'de> {
    /// Gives what stands here to a target that takes anything, if it is binary, a time, or
    /// something that only BSON has.
    #[inline(never)]
    pub(super) fn visit_extension<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let kind = self.kind;
        let own = |visitor: V, content: Part<'de>| visit(visitor, Kind::Bson, kind.into(), content);
        let pair = |visitor: V, first, second| {
            visit(visitor, Kind::Bson, kind.into(), Pair([Some(first), Some(second)]))
        };
        match kind {
            element::BINARY => match self.binary()? {
                (element::GENERIC, bytes) => visitor.visit_borrowed_bytes(bytes),
                (subtype, bytes) => {
                    pair(visitor, Part::Integer(subtype.into()), Part::Bytes(bytes))
                }
            },
            element::DATETIME => {
                let milliseconds = self.int64()?;
                let nanoseconds = milliseconds.rem_euclid(1_000).unsigned_abs() * 1_000_000;
                let whole = seconds(milliseconds.div_euclid(1_000));
                visit(visitor, Kind::Timestamp, nanoseconds, whole)
            }
            element::OBJECT_ID => own(visitor, Part::Bytes(self.object_id()?)),
            element::DECIMAL128 => {
                let bytes = self.reader.take(element::DECIMAL128_SIZE, "a decimal128")?;
                own(visitor, Part::Bytes(bytes))
            }
            element::TIMESTAMP => own(visitor, Part::Integer(self.int64()?.cast_unsigned())),
            element::CODE | element::SYMBOL => own(visitor, Part::Text(self.text()?)),
            element::REGEX => {
                let pattern = self.cstring()?;
                pair(visitor, Part::Text(pattern), Part::Text(self.cstring()?))
            }
            element::DB_POINTER => {
                let namespace = self.text()?;
                pair(visitor, Part::Text(namespace), Part::Bytes(self.object_id()?))
            }
            element::CODE_WITH_SCOPE => {
                let (code, scope) = self.code_with_scope()?;
                pair(visitor, Part::Text(code), Part::Document(scope))
            }
            _ => own(visitor, Part::Null),
        }
    }

    /// The code, and a deserializer that stands before the scope: length of both, code, scope.
    pub(super) fn code_with_scope(&mut self) -> Result<(&'de str, Deserializer<'de>)> {
        let start = self.reader.offset();
        let rest = self.reader.rest();
        let Some(([_, _, _, _, inner @ ..], rest)) = rest
            .first_chunk()
            .and_then(|head| rest.split_at_checked(u32::from_le_bytes(*head) as usize))
            .filter(|(whole, _)| whole.len() >= CODE_WITH_SCOPE_MIN)
        else {
            return Err(self.bad_length("code with scope", CODE_WITH_SCOPE_MIN, 0));
        };
        self.reader.resume(rest);
        let mut inner = Deserializer {
            reader: Reader::over(inner, self.reader.offset()),
            kind: element::DOCUMENT,
            ..*self
        };
        let code = inner.text()?;
        let scope = inner.reader.clone();
        inner.document()?;
        if inner.reader.remaining() != 0 {
            return Err(syntax(start, "the code and its scope end before their length says"));
        }
        Ok((code, Deserializer { reader: scope, ..inner }))
    }
}

/// A part of what only BSON has.
enum Part<'de> {
    Null,
    Integer(u64),
    Text(&'de str),
    Bytes(&'de [u8]),
    Document(Deserializer<'de>),
}

impl<'de> de::Deserializer<'de> for Part<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Part::Null => visitor.visit_unit(),
            Part::Integer(number) => visitor.visit_u64(number),
            Part::Text(text) => visitor.visit_borrowed_str(text),
            Part::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Part::Document(mut document) => document.visit_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Two parts, as an array.
struct Pair<'de>([Option<Part<'de>>; 2]);

impl<'de> de::Deserializer<'de> for Pair<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Pair<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        match self.0.iter_mut().find_map(Option::take) {
            Some(part) => seed.deserialize(part).map(Some),
            None => Ok(None),
        }
    }
}
