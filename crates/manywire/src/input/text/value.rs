use std::borrow::Cow;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::error::TextError;
use super::list::members;

/// What was sent by one name: nothing, a text, or several.
#[derive(Clone, Copy)]
pub(crate) enum Texts<'t> {
    /// One text.
    One(&'t str),
    /// Any number of texts.
    Any(&'t [Cow<'t, str>]),
    /// The lines of a header field, which are one text each or a list over all of them.
    Lines(&'t [Cow<'t, str>]),
}

impl<'t> Texts<'t> {
    pub(crate) fn one(text: &'t str) -> Self {
        Texts::One(text)
    }

    pub(crate) fn new(texts: &'t [Cow<'t, str>]) -> Self {
        Texts::Any(texts)
    }

    pub(crate) fn lines(lines: &'t [Cow<'t, str>]) -> Self {
        Texts::Lines(lines)
    }

    fn first(self) -> Option<&'t str> {
        match self {
            Texts::One(text) => Some(text),
            Texts::Any(texts) | Texts::Lines(texts) => texts.first().map(|text| &**text),
        }
    }

    /// The text where one value is asked for. A name that stands there twice has no one value.
    fn text(self) -> Result<&'t str, TextError> {
        match self {
            Texts::Any([]) | Texts::Lines([]) => Err(TextError::missing()),
            Texts::Any([_, _, ..]) | Texts::Lines([_, _, ..]) => {
                Err(TextError::new("expected one value, found several"))
            }
            texts => Ok(texts.first().unwrap_or_default()),
        }
    }
}

/// How a text is shown in a message: in quotes, and not at any length.
pub(super) fn shown(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $ty:ty),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
            let text = self.text()?;
            let number = text.parse::<$ty>().map_err(|_| {
                TextError::new(format_args!(
                    "expected an integer from {} to {}, found {}", <$ty>::MIN, <$ty>::MAX, shown(text)
                ))
            })?;
            visitor.$visit(number)
        }
    )+};
}

macro_rules! floats {
    ($($method:ident $visit:ident $ty:ty),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
            let text = self.text()?;
            let number = text.parse::<$ty>().ok().filter(|number| number.is_finite());
            let number = number.ok_or_else(|| {
                TextError::new(format_args!("expected a number, found {}", shown(text)))
            })?;
            visitor.$visit(number)
        }
    )+};
}

impl<'de> Deserializer<'de> for Texts<'_> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_str(self.text()?)
    }

    integers! {
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32, deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
    }

    floats! { deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64 }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self.text()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            other => {
                Err(TextError::new(format_args!("expected true or false, found {}", shown(other))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match self.first() {
            None => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        match &self {
            Texts::One(text) => {
                visitor.visit_seq(SeqDeserializer::new(std::iter::once(Texts::One(text))))
            }
            Texts::Lines(lines) => {
                let members = members(lines);
                visitor.visit_seq(SeqDeserializer::new(members.iter().map(|text| Texts::One(text))))
            }
            Texts::Any(texts) => {
                visitor.visit_seq(SeqDeserializer::new(texts.iter().map(|text| Texts::One(text))))
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_enum(Name(self.text()?))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit_struct tuple tuple_struct map struct identifier
        ignored_any
    }
}

impl<'de> IntoDeserializer<'de, TextError> for Texts<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The name of a variant that has no content: text has nowhere to put any.
struct Name<'t>(&'t str);

impl<'de> EnumAccess<'de> for Name<'_> {
    type Error = TextError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), TextError> {
        let name: StrDeserializer<'_, TextError> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Name<'_> {
    type Error = TextError;

    fn unit_variant(self) -> Result<(), TextError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, TextError> {
        Err(self.content())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, TextError> {
        Err(self.content())
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, TextError> {
        Err(self.content())
    }
}

impl Name<'_> {
    #[cold]
    fn content(&self) -> TextError {
        TextError::new(format_args!(
            "the variant {} has content, which text cannot hold",
            shown(self.0)
        ))
    }
}
