//! Values into arrays.

mod slots;
mod variant;

use manywire_shape::{Field, Node, NodeId, Presence, Record, Value};
use serde::ser::{
    self, Error as _, Serialize, SerializeMap, SerializeSeq, SerializeTuple, Serializer,
};

use self::slots::{Entries, Order, Slots};
use super::union::{place_of, takes_null};
use super::{Arranged, Place, fit};

impl Serialize for Arranged<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = self.shape.node(self.place.node);
        match (node, self.value) {
            (Node::Any, value) => value.serialize(serializer),
            (Node::Option(_) | Node::Union(_), Value::Null)
                if takes_null(self.shape, self.place.node) =>
            {
                serializer.serialize_unit()
            }
            (Node::Option(_) | Node::Union(_), _) => {
                let place = place_of(self.shape, self.place, self.value);
                match self.shape.node(place.node) {
                    Node::Option(_) | Node::Union(_) => Err(self.misfit()),
                    _ => self.at(place).serialize(serializer),
                }
            }
            (Node::Array(array), Value::Array(items)) => {
                self.array(serializer, items, |_| Some(array.item))
            }
            (Node::Tuple(nodes), Value::Array(items)) if nodes.len() == items.len() => {
                self.array(serializer, items, |index| nodes.get(index).copied())
            }
            (Node::Tuple(nodes), Value::Array(items)) => {
                Err(S::Error::custom(fit::count(nodes.len(), items.len())))
            }
            (Node::Map { key, value }, Value::Map(entries)) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (name, item) in *entries {
                    // A format without other keys has numbers as text.
                    match name {
                        Value::Str(_) => map.serialize_key(name)?,
                        name => map.serialize_key(&self.below(*key, name))?,
                    }
                    map.serialize_value(&self.below(*value, item))?;
                }
                map.end()
            }
            (Node::Record(record), Value::Map(entries)) => {
                if self.place.named || record.rest.is_some() {
                    return self.named(serializer, record, entries);
                }
                self.positional(serializer, record, Slots::new(entries), None)
            }
            (Node::Enum(sum), value) => self.variant(serializer, sum, value),
            (node, value) if fit::scalar(node, value) => value.serialize(serializer),
            _ => Err(self.misfit()),
        }
    }
}

impl<'v> Arranged<'v> {
    fn at(&self, place: Place) -> Self {
        Arranged { place, ..*self }
    }

    fn below(&self, node: NodeId, value: &'v Value<'v>) -> Self {
        Arranged { shape: self.shape, place: Place::of(node), value }
    }

    #[cold]
    #[inline(never)]
    fn misfit<E: ser::Error>(&self) -> E {
        E::custom(fit::misfit(self.shape.node(self.place.node), self.value))
    }

    fn array<S: Serializer>(
        &self,
        serializer: S,
        items: &'v [Value<'v>],
        node: impl Fn(usize) -> Option<NodeId>,
    ) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(items.len()))?;
        for (index, item) in items.iter().enumerate() {
            match node(index) {
                Some(node) => seq.serialize_element(&self.below(node, item))?,
                None => return Err(self.misfit()),
            }
        }
        seq.end()
    }

    /// A record as an array of its fields, behind the tag of its variant if it has one.
    fn positional<S: Serializer>(
        &self,
        serializer: S,
        record: &'v Record,
        slots: Slots<'v>,
        tag: Option<&Value<'v>>,
    ) -> Result<S::Ok, S::Error> {
        let order = slots.order(record);
        if order == Order::Free
            && let Some(key) = slots.unknown(record)
        {
            return Err(S::Error::custom(fit::unknown(key)));
        }
        let count = record.fields.len() + usize::from(tag.is_some());
        let mut tuple = serializer.serialize_tuple(count)?;
        if let Some(variant) = tag {
            tuple.serialize_element(variant)?;
        }
        let mut next = 0;
        for (index, field) in record.fields.iter().enumerate() {
            let value = match order {
                Order::Known { present } if present >> index & 1 == 0 => None,
                Order::Known { .. } => slots.following(&mut next),
                Order::Same => slots.next(&mut next, field),
                Order::Free => slots.find(&field.name),
            };
            match value {
                Some(value) => tuple.serialize_element(&self.field(field, value))?,
                None if field.presence != Presence::Required => tuple.serialize_element(&())?,
                None => return Err(S::Error::custom(fit::missing(&field.name))),
            }
        }
        tuple.end()
    }

    /// A record whose fields keep their names.
    fn named<S: Serializer>(
        &self,
        serializer: S,
        record: &'v Record,
        entries: Entries<'v>,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        for (key, value) in entries {
            let field = match key {
                Value::Str(name) => record.fields.iter().find(|field| field.name == *name),
                _ => None,
            };
            map.serialize_key(key)?;
            match (field, record.rest) {
                (Some(field), _) => map.serialize_value(&self.field(field, value))?,
                (None, Some(rest)) => map.serialize_value(&self.below(rest, value))?,
                (None, None) => return Err(S::Error::custom(fit::unknown(key))),
            }
        }
        let absent = record.fields.iter().find(|field| {
            field.presence == Presence::Required && Slots::new(entries).find(&field.name).is_none()
        });
        match absent {
            Some(field) => Err(S::Error::custom(fit::missing(&field.name))),
            None => map.end(),
        }
    }

    fn field(&self, field: &Field, value: &'v Value<'v>) -> FieldValue<'v> {
        // Null in an optional field is absence said aloud.
        let absent = matches!(value, Value::Null) && field.presence != Presence::Required;
        FieldValue { arranged: self.below(field.node, value), absent }
    }
}

/// A field's value, or the null that stands for its absence.
struct FieldValue<'v> {
    arranged: Arranged<'v>,
    absent: bool,
}

impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.absent {
            return serializer.serialize_unit();
        }
        self.arranged.serialize(serializer)
    }
}
