use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::error::TextError;
use super::value::Texts;
use crate::input::percent_decode;

/// The names and values of a query or a form (`application/x-www-form-urlencoded`), in their
/// order.
pub(crate) struct Pairs<'t> {
    pairs: Vec<(Cow<'t, str>, Cow<'t, str>)>,
}

/// How many names and values are read: more is an attack on whoever looks them up.
const PAIRS_MAX: usize = 1_024;

impl<'t> Pairs<'t> {
    /// Takes a query or a form apart.
    ///
    /// # Errors
    /// Where percent-encoding is broken, or there are too many pairs.
    pub(crate) fn parse(text: &'t str) -> Result<Pairs<'t>, NotPairs> {
        let mut pairs = Vec::new();
        let at = |part: &str| part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            if pairs.len() == PAIRS_MAX {
                let detail = "expected at most 1,024 names and values";
                return Err(NotPairs { detail, at: at(pair) });
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decode = |text: &'t str| {
                let detail = "expected UTF-8 in percent-encoding";
                percent_decode(text, true).map_err(|_| NotPairs { detail, at: at(text) })
            };
            pairs.push((decode(name)?, decode(value)?));
        }
        Ok(Pairs { pairs })
    }

    /// All values by one name, in their order.
    pub(crate) fn values_of(&self, name: &str) -> Vec<Cow<'_, str>> {
        let of_name = self.pairs.iter().filter(|(known, _)| known == name);
        of_name.map(|(_, value)| Cow::Borrowed(&**value)).collect()
    }

    /// Each name once, in the order in which they first stand there.
    fn names(&self) -> Vec<&str> {
        let mut seen = std::collections::HashSet::new();
        let names = self.pairs.iter().map(|(name, _)| &**name);
        names.filter(|name| seen.insert(*name)).collect()
    }
}

/// What is no query or form: why, and at which byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotPairs {
    pub(crate) detail: &'static str,
    pub(crate) at: usize,
}

impl<'de> Deserializer<'de> for &Pairs<'_> {
    type Error = TextError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        let names = self.names();
        visitor.visit_map(Entries { pairs: self, names: names.into_iter(), name: "" })
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

struct Entries<'p, 't, I> {
    pairs: &'p Pairs<'t>,
    names: I,
    name: &'p str,
}

impl<'de, 'p, I: Iterator<Item = &'p str>> MapAccess<'de> for Entries<'p, '_, I> {
    type Error = TextError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TextError> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.name = name;
        let name = serde::de::value::StrDeserializer::<TextError>::new(name).into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.under(self.name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, TextError> {
        let values = self.pairs.values_of(self.name);
        seed.deserialize(Texts::new(&values)).map_err(|error| error.under(self.name))
    }
}
