//! The value at one place of the shape.

use std::fmt;

use manywire_shape::{Int, Node, Presence, Tagging, Value, VariantKind};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::variant::Content;
use super::{ArrangedSeed, fit_error};
use crate::arranged::union::{Container, place_of, place_of_container, takes_null};
use crate::arranged::{Place, fit};

/// What a place takes although its node does not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Also {
    Nothing,
    /// Null, for a field that is absent.
    Null,
    /// Text, for the keys of a map: a format without other keys has numbers as text.
    Text,
}

impl Also {
    pub(super) fn of(presence: Presence) -> Also {
        match presence {
            Presence::Required => Also::Nothing,
            Presence::Defaulted | Presence::Optional => Also::Null,
        }
    }
}

/// The value at one place of the shape.
pub(super) struct Item<'r, 'a> {
    pub(super) place: Place,
    pub(super) also: Also,
    pub(super) reader: &'r mut ArrangedSeed<'a>,
}

impl<'a> Item<'_, 'a> {
    fn scalar<E: de::Error>(self, value: Value<'a>) -> Result<Value<'a>, E> {
        let shape = self.reader.shape;
        let place = place_of(shape, self.place, &value);
        let node = shape.node(place.node);
        match (node, value) {
            (node, value) if fit::scalar(node, &value) => Ok(value),
            (_, Value::Str(_)) if self.also == Also::Text => Ok(value),
            (Node::Enum(sum), Value::Str(name)) if sum.tagging == Tagging::External => {
                match fit::variant(sum, name).map_err(E::custom)? {
                    VariantKind::Unit => Ok(value),
                    _ => Err(E::custom(fit::bare(name))),
                }
            }
            (Node::Int(Int { bits: 128, .. }), Value::Bytes(bytes)) => match bytes.try_into() {
                Ok(bytes) => {
                    let number = i128::from_be_bytes(bytes).to_string();
                    Ok(Value::Number(self.reader.arena.alloc_str(&number)))
                }
                Err(_) => Err(fit_error(node, &value)),
            },
            _ => Err(fit_error(node, &value)),
        }
    }

    fn null<E: de::Error>(self) -> Result<Value<'a>, E> {
        if self.also == Also::Null || takes_null(self.reader.shape, self.place.node) {
            return Ok(Value::Null);
        }
        Err(fit_error(self.reader.shape.node(self.place.node), &Value::Null))
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Item<'_, 'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Item<'_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(fit::expected(self.reader.shape.node(self.place.node)))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value<'a>, E> {
        self.null()
    }

    fn visit_none<E: de::Error>(self) -> Result<Value<'a>, E> {
        self.null()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value<'a>, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value<'a>, E> {
        self.scalar(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value<'a>, E> {
        self.scalar(Value::I64(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value<'a>, E> {
        self.scalar(Value::from(value))
    }

    fn visit_f32<E: de::Error>(self, value: f32) -> Result<Value<'a>, E> {
        self.scalar(Value::F32(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value<'a>, E> {
        self.scalar(Value::F64(value))
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Value<'a>, E> {
        self.scalar(Value::Str(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value<'a>, E> {
        let text = self.reader.arena.alloc_str(text);
        self.scalar(Value::Str(text))
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Value<'a>, E> {
        self.scalar(Value::Bytes(bytes))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Value<'a>, E> {
        let bytes = self.reader.arena.alloc_slice_copy(bytes);
        self.scalar(Value::Bytes(bytes))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value<'a>, D::Error> {
        let value = (&mut self.reader.values).visit_newtype_struct(inner)?;
        self.scalar(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value<'a>, A::Error> {
        let reader = self.reader;
        let place = place_of_container(reader.shape, self.place, Container::Array);
        let start = reader.items.len();
        match reader.shape.node(place.node) {
            Node::Any => (&mut reader.values).visit_seq(seq),
            Node::Array(array) => {
                while let Some(item) = seq.next_element_seed(reader.below(array.item))? {
                    reader.items.push(item);
                }
                Ok(reader.array_from(start))
            }
            Node::Tuple(nodes) => {
                reader.tuple(nodes, &mut seq)?;
                Ok(reader.array_from(start))
            }
            Node::Record(record) if record.rest.is_none() => {
                let start = reader.entries.len();
                reader.fields(record, &mut seq)?;
                Ok(reader.map_from(start))
            }
            Node::Enum(sum) if sum.tagging != Tagging::External => reader.tagged(sum, seq),
            node => Err(fit_error(node, &Value::Array(&[]))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'a>, A::Error> {
        let reader = self.reader;
        let place = place_of_container(reader.shape, self.place, Container::Map);
        let start = reader.entries.len();
        match reader.shape.node(place.node) {
            Node::Any => return (&mut reader.values).visit_map(map),
            Node::Map { key, value } => {
                while let Some(name) =
                    map.next_key_seed(Item { also: Also::Text, ..reader.below(*key) })?
                {
                    let item = map.next_value_seed(reader.below(*value))?;
                    reader.entries.push((name, item));
                }
            }
            Node::Record(record) => reader.named(record, map)?,
            node @ Node::Enum(sum) if sum.tagging == Tagging::External => {
                let Some(name) = map.next_key_seed(&mut reader.values)? else {
                    return Err(fit_error(node, &Value::Map(&[])));
                };
                let Value::Str(text) = name else { return Err(fit_error(&Node::Str, &name)) };
                let kind = fit::variant(sum, text).map_err(de::Error::custom)?;
                let content =
                    map.next_value_seed(Content { kind, named: false, reader: &mut *reader })?;
                reader.entries.push((name, content));
            }
            // A variant that kept its names was written as it is.
            Node::Enum(_) => return (&mut reader.values).visit_map(map),
            node => return Err(fit_error(node, &Value::Map(&[]))),
        }
        Ok(reader.map_from(start))
    }
}
