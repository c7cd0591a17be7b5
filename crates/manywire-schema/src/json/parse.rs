use std::collections::HashSet;
use std::fmt;

use manywire_shape::Literal;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::Error;

/// Parses a JSON text, at most 128 levels deep.
///
/// # Errors
///
/// Where the text is no JSON, or an object has a key twice.
pub(crate) fn parse(file: &str, text: &str) -> Result<Literal, Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Seed.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    parsed.map_err(|error| {
        // The message repeats the place at its end, in bytes; ours counts characters.
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message);
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let offset = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        Error::at(file, text, offset, message)
    })
}

struct Seed;

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Literal;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Literal, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Literal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Literal, E> {
        Ok(Literal::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Literal, E> {
        Ok(Literal::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Literal, E> {
        Ok(Literal::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Literal, E> {
        Ok(Literal::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Literal, E> {
        Ok(Literal::Number(format!("{value:?}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Literal, E> {
        Ok(Literal::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Literal, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Seed)? {
            items.push(item);
        }
        Ok(Literal::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Literal, A::Error> {
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands here twice")));
            }
            members.push((key, map.next_value_seed(Seed)?));
        }
        Ok(Literal::Object(members))
    }
}
