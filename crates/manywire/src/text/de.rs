//! Deserializes plain text: single values, members of list fields, and the pairs of a query or
//! form.

use std::borrow::Cow;
use std::str::Utf8Error;

use http::HeaderMap;
use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::TextError;
use crate::percent::decode as percent_decode;

/// The texts of one name: none, one, or several.
#[derive(Clone, Copy)]
pub(crate) enum Texts<'t> {
    /// One text.
    One(&'t str),
    /// Any number of texts.
    Any(&'t [Cow<'t, str>]),
    /// The lines of a header field. A list takes its members from all lines; any other type takes
    /// the text of the only line.
    Lines(&'t [Cow<'t, str>]),
}

impl<'t> Texts<'t> {
    fn first(self) -> Option<&'t str> {
        match self {
            Texts::One(text) => Some(text),
            Texts::Any(texts) | Texts::Lines(texts) => texts.first().map(|text| &**text),
        }
    }

    /// Returns the single text. Fails if the name is absent or repeated.
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

/// Quotes a text for an error message, and truncates it.
pub(super) fn quoted(text: &str) -> String {
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
                    "expected an integer from {} to {}, found {}", <$ty>::MIN, <$ty>::MAX, quoted(text)
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
                TextError::new(format_args!("expected a number, found {}", quoted(text)))
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
                Err(TextError::new(format_args!("expected true or false, found {}", quoted(other))))
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
        visitor.visit_enum(UnitVariant(self.text()?))
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

/// The name of a variant without content, since text cannot represent content.
struct UnitVariant<'t>(&'t str);

impl<'de> EnumAccess<'de> for UnitVariant<'_> {
    type Error = TextError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), TextError> {
        let name: StrDeserializer<'_, TextError> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for UnitVariant<'_> {
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

impl UnitVariant<'_> {
    #[cold]
    fn content(&self) -> TextError {
        TextError::new(format_args!(
            "the variant {} has content, which text cannot hold",
            quoted(self.0)
        ))
    }
}

/// Returns the lines of a header field, for [`Texts::Lines`].
///
/// # Errors
/// Fails if a line is not UTF-8.
pub(crate) fn field_lines<'h>(
    headers: &'h HeaderMap,
    name: &str,
) -> Result<Vec<Cow<'h, str>>, Utf8Error> {
    let lines = headers.get_all(name).iter();
    lines.map(|line| std::str::from_utf8(line.as_bytes()).map(Cow::Borrowed)).collect()
}

/// Returns the members of a list field, over all its lines (RFC 9110, sections 5.3 and 5.6.1).
/// Empty members are skipped, and quoted strings are unquoted.
pub(super) fn members<'t>(lines: &'t [Cow<'t, str>]) -> Vec<Cow<'t, str>> {
    let all = lines.iter().flat_map(|line| Members { rest: line });
    all.filter(|member| !member.is_empty()).map(unquoted).collect()
}

/// Returns a member of a list field, quoted if it contains a separator.
#[cfg(feature = "client")]
pub(crate) fn member(text: &str) -> String {
    let is_plain = !text.is_empty() && text.trim() == text && !text.contains([',', '"', '\\']);
    if is_plain {
        return text.to_owned();
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

struct Members<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Members<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut is_quoted, mut is_escaped) = (false, false);
        let comma = self.rest.bytes().position(|byte| {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_quoted => is_escaped = true,
                b'"' => is_quoted = !is_quoted,
                b',' => return !is_quoted,
                _ => {}
            }
            false
        });
        let (member, rest) = match comma {
            Some(at) => (&self.rest[..at], &self.rest[at + 1..]),
            None => (self.rest, ""),
        };
        self.rest = rest;
        Some(member.trim_matches([' ', '\t']))
    }
}

/// Returns the text of a quoted string (section 5.6.4), or the member unchanged.
fn unquoted(member: &str) -> Cow<'_, str> {
    let inner = member.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner.filter(|_| member.len() > 1) else { return Cow::Borrowed(member) };
    let mut text = String::with_capacity(inner.len());
    let mut is_escaped = false;
    for character in inner.chars() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            // A quote in the middle ends only a part of the member, so the member is not a quoted
            // string.
            '"' if !is_escaped => return Cow::Borrowed(member),
            other => {
                is_escaped = false;
                text.push(other);
            }
        }
    }
    Cow::Owned(text)
}

/// The names and values of a query or a form (`application/x-www-form-urlencoded`), in their order.
pub(crate) struct Pairs<'t> {
    pairs: Vec<(Cow<'t, str>, Cow<'t, str>)>,
}

/// The largest number of pairs, which bounds the cost of looking up names.
const PAIRS_MAX: usize = 1_024;

impl<'t> Pairs<'t> {
    /// Parses a query or a form.
    ///
    /// # Errors
    /// Fails if the percent-encoding is invalid or there are too many pairs.
    pub(crate) fn parse(text: &'t str) -> Result<Pairs<'t>, InvalidPairs> {
        let mut pairs = Vec::new();
        let at = |part: &str| part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            if pairs.len() == PAIRS_MAX {
                let detail = "expected at most 1,024 names and values";
                return Err(InvalidPairs { detail, at: at(pair) });
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decode = |text: &'t str| {
                let detail = "expected UTF-8 in percent-encoding";
                percent_decode(text, true).map_err(|_| InvalidPairs { detail, at: at(text) })
            };
            pairs.push((decode(name)?, decode(value)?));
        }
        Ok(Pairs { pairs })
    }

    /// Returns all values of one name, in their order.
    pub(crate) fn values_of(&self, name: &str) -> Vec<Cow<'_, str>> {
        let of_name = self.pairs.iter().filter(|(known, _)| known == name);
        of_name.map(|(_, value)| Cow::Borrowed(&**value)).collect()
    }

    /// Returns each name once, in order of first appearance.
    fn names(&self) -> Vec<&str> {
        let mut seen = std::collections::HashSet::new();
        let names = self.pairs.iter().map(|(name, _)| &**name);
        names.filter(|name| seen.insert(*name)).collect()
    }
}

/// The error for an invalid query or form, with its byte position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InvalidPairs {
    pub(crate) detail: &'static str,
    pub(crate) at: usize,
}

impl<'de> Deserializer<'de> for &Pairs<'_> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        let names = self.names();
        visitor.visit_map(PairMap { pairs: self, names: names.into_iter(), name: "" })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        if self.pairs.is_empty() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct PairMap<'p, 't, I> {
    pairs: &'p Pairs<'t>,
    names: I,
    name: &'p str,
}

impl<'de, 'p, I: Iterator<Item = &'p str>> MapAccess<'de> for PairMap<'p, '_, I> {
    type Error = TextError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TextError> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.name = name;
        let name = serde::de::value::StrDeserializer::<TextError>::new(name).into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.with_name(self.name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, TextError> {
        let values = self.pairs.values_of(self.name);
        seed.deserialize(Texts::Any(&values)).map_err(|error| error.with_name(self.name))
    }
}
