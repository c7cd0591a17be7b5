//! Arrays back into values.

mod item;
mod variant;

use manywire_shape::{Arena, Node, NodeId, Presence, Record, Shape, Value, ValueSeed};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess};

use self::item::{Also, Item};
use super::union::takes_null;
use super::{Place, fit};

/// Reads a value that [`Arranged`](super::Arranged) wrote: arrays become maps again where the
/// shape has records. Maps are read as they are, so a record may keep its names.
///
/// Reading fails where the bytes do not fit the shape. An array that ends early is read if the
/// fields that are missing may be; items beyond the last field are skipped.
pub struct ArrangedSeed<'a> {
    shape: &'a Shape,
    place: Place,
    arena: &'a Arena,
    values: ValueSeed<'a>,
    // Items and entries are gathered here and copied out once their number is known, so a claimed
    // length never allocates.
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
}

impl<'a> ArrangedSeed<'a> {
    pub(in crate::arranged) fn at(shape: &'a Shape, place: Place, arena: &'a Arena) -> Self {
        let values = ValueSeed::new(arena);
        ArrangedSeed { shape, place, arena, values, items: Vec::new(), entries: Vec::new() }
    }

    fn below(&mut self, node: NodeId) -> Item<'_, 'a> {
        Item { place: Place::of(node), also: Also::Nothing, reader: self }
    }

    fn array_from(&mut self, start: usize) -> Value<'a> {
        let items = self.arena.alloc_slice_copy(&self.items[start..]);
        self.items.truncate(start);
        Value::Array(items)
    }

    fn map_from(&mut self, start: usize) -> Value<'a> {
        let entries = self.arena.alloc_slice_copy(&self.entries[start..]);
        self.entries.truncate(start);
        Value::Map(entries)
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for &mut ArrangedSeed<'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        self.items.clear();
        self.entries.clear();
        Item { place: self.place, also: Also::Nothing, reader: self }.deserialize(deserializer)
    }
}

impl<'a> ArrangedSeed<'a> {
    fn tuple<'de: 'a, A: SeqAccess<'de>>(
        &mut self,
        nodes: &'a [NodeId],
        seq: &mut A,
    ) -> Result<(), A::Error> {
        for (index, node) in nodes.iter().enumerate() {
            match seq.next_element_seed(self.below(*node))? {
                Some(item) => self.items.push(item),
                None => return Err(count_error(nodes.len(), index)),
            }
        }
        Ok(())
    }

    /// The fields of a record, in their places.
    fn fields<'de: 'a, A: SeqAccess<'de>>(
        &mut self,
        record: &'a Record,
        seq: &mut A,
    ) -> Result<(), A::Error> {
        for (index, field) in record.fields.iter().enumerate() {
            let also = Also::of(field.presence);
            let item = Item { also, ..self.below(field.node) };
            let value = match seq.next_element_seed(item)? {
                Some(value) => value,
                None if also == Also::Null => continue,
                None if takes_null(self.shape, field.node) => Value::Null,
                None => return Err(count_error(record.fields.len(), index)),
            };
            let absent = match field.presence {
                Presence::Optional => matches!(value, Value::Null),
                // Always written, so a null of its own is kept.
                Presence::Defaulted => {
                    matches!(value, Value::Null) && !takes_null(self.shape, field.node)
                }
                Presence::Required => false,
            };
            if !absent {
                self.entries.push((Value::Str(&field.name), value));
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    /// A record that kept its names.
    fn named<'de: 'a, A: MapAccess<'de>>(
        &mut self,
        record: &'a Record,
        mut map: A,
    ) -> Result<(), A::Error> {
        let start = self.entries.len();
        while let Some(name) = map.next_key_seed(&mut self.values)? {
            let field = match name {
                Value::Str(text) => record.fields.iter().find(|field| field.name == text),
                _ => None,
            };
            let value = match (field, record.rest) {
                (Some(field), _) => {
                    let also = Also::of(field.presence);
                    map.next_value_seed(Item { also, ..self.below(field.node) })?
                }
                (None, Some(rest)) => map.next_value_seed(self.below(rest))?,
                (None, None) => return Err(de::Error::custom(fit::unknown(&name))),
            };
            self.entries.push((name, value));
        }
        let read = &self.entries[start..];
        for (index, field) in record.fields.iter().enumerate() {
            let is_this =
                |entry: &(Value<'_>, _)| matches!(entry.0, Value::Str(name) if name == field.name);
            // Nearly always a field stands in its place.
            let there = read.get(index).is_some_and(is_this) || read.iter().any(is_this);
            if !there && field.presence == Presence::Required {
                return Err(de::Error::custom(fit::missing(&field.name)));
            }
        }
        Ok(())
    }
}

#[cold]
fn fit_error<E: de::Error>(node: &Node, value: &Value<'_>) -> E {
    E::custom(fit::misfit(node, value))
}

#[cold]
fn count_error<E: de::Error>(expected: usize, found: usize) -> E {
    E::custom(fit::count(expected, found))
}
