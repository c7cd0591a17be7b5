//! Reads the array layout back into dynamic values.

use std::fmt;

use manywire_shape::{
    Arena, Enum, Int, Node, NodeId, Presence, Record, Shape, Tagging, Value, ValueSeed,
    VariantKind, move_to_arena,
};
use serde::de;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::fit;
use super::fit::{Container, NodePosition, container_position, takes_null, value_position};
use crate::core::error::item_count;

/// Reads a value that [`Arranged`](super::Arranged) wrote: arrays become maps again where the shape
/// has records. Maps stay maps, so a record may keep its names.
///
/// Reading fails if the bytes do not fit the shape. An array may end early if each missing field is
/// not required or accepts null. Items beyond the last field, and the content of a variant without
/// content unless it is null, are skipped. They are refused if the shape
/// [denies unknown fields](Shape::denies_unknown_fields) or the reader
/// [refuses them](ArrangedSeed::with_extra_items_refused).
pub struct ArrangedSeed<'a> {
    shape: &'a Shape,
    position: NodePosition,
    refuses_extra_items: bool,
    arena: &'a Arena,
    values: ValueSeed<'a>,
    // Items and entries are collected here and copied once their number is known, so the length
    // that the input states reserves no memory.
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
}

impl<'a> ArrangedSeed<'a> {
    pub(super) fn at(shape: &'a Shape, position: NodePosition, arena: &'a Arena) -> Self {
        ArrangedSeed {
            shape,
            position,
            refuses_extra_items: shape.denies_unknown_fields(),
            arena,
            values: ValueSeed::new(arena),
            items: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Refuses items of a record beyond its last field, and the content of a variant without content,
    /// for readers that must not lose anything.
    #[must_use]
    pub fn with_extra_items_refused(mut self) -> Self {
        self.refuses_extra_items = true;
        self
    }

    fn below(&mut self, node: NodeId) -> ItemSeed<'_, 'a> {
        ItemSeed { position: NodePosition::of(node), also: AlsoAccepts::Nothing, reader: self }
    }

    fn array_from(&mut self, start: usize) -> Value<'a> {
        Value::Array(move_to_arena(&mut self.items, start, self.arena))
    }

    fn map_from(&mut self, start: usize) -> Value<'a> {
        Value::Map(move_to_arena(&mut self.entries, start, self.arena))
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for &mut ArrangedSeed<'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        self.items.clear();
        self.entries.clear();
        ItemSeed { position: self.position, also: AlsoAccepts::Nothing, reader: self }
            .deserialize(deserializer)
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

    /// Reads the fields of a record in the order of the shape, after `before` other items.
    fn fields<'de: 'a, A: SeqAccess<'de>>(
        &mut self,
        record: &'a Record,
        before: usize,
        seq: &mut A,
    ) -> Result<(), A::Error> {
        for (index, field) in record.fields.iter().enumerate() {
            let also = AlsoAccepts::of(field.presence);
            let item = ItemSeed { also, ..self.below(field.node) };
            let value = match seq.next_element_seed(item)? {
                Some(value) => value,
                None if also == AlsoAccepts::Null => continue,
                None if takes_null(self.shape, field.node) => Value::Null,
                None => return Err(count_error(before + record.fields.len(), before + index)),
            };
            let absent = match field.presence {
                Presence::Optional => matches!(value, Value::Null),
                // A defaulted field is always written, so null is its value if the field accepts
                // null.
                Presence::Defaulted => {
                    matches!(value, Value::Null) && !takes_null(self.shape, field.node)
                }
                Presence::Required => false,
            };
            if !absent {
                self.entries.push((Value::Str(&field.name), value));
            }
        }
        self.extra_items(seq)
    }

    /// Skips or refuses the items beyond the last field.
    fn extra_items<'de, A: SeqAccess<'de>>(&self, seq: &mut A) -> Result<(), A::Error> {
        if self.refuses_extra_items {
            let by_type = self.shape.denies_unknown_fields();
            return seq.next_element_seed(RefusedItem { by_type }).map(drop);
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    /// Reads a record that kept its names.
    fn named<'de: 'a, A: MapAccess<'de>>(
        &mut self,
        record: &'a Record,
        mut map: A,
    ) -> Result<(), A::Error> {
        let start = self.entries.len();
        while let Some(name) = map.next_key_seed(&mut self.values)? {
            let field = match name {
                Value::Str(text) => fit::field(record, text),
                _ => None,
            };
            let entry = match (field, record.rest) {
                (Some(field), _) => {
                    let also = AlsoAccepts::of(field.presence);
                    let item = ItemSeed { also, ..self.below(field.node) };
                    (Value::Str(&field.name), map.next_value_seed(item)?)
                }
                (None, Some(rest)) => (name, map.next_value_seed(self.below(rest))?),
                (None, None) => return Err(de::Error::custom(fit::unknown_key(&name))),
            };
            self.entries.push(entry);
        }
        let read = &self.entries[start..];
        for (index, field) in record.fields.iter().enumerate() {
            let is_this =
                |entry: &(Value<'_>, _)| matches!(entry.0, Value::Str(name) if name == field.name);
            // A field is nearly always at its own index.
            let field_present = read.get(index).is_some_and(is_this) || read.iter().any(is_this);
            if !field_present && field.presence == Presence::Required {
                return Err(de::Error::custom(fit::missing_field(&field.name)));
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
    E::custom(item_count(expected, Some(found)))
}

/// A seed that refuses an item beyond the last field, so that the path of the error has its index.
struct RefusedItem {
    /// True if the type denies unknown fields, and not only the reader.
    by_type: bool,
}

impl<'de> DeserializeSeed<'de> for RefusedItem {
    type Value = ();

    #[cold]
    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(de::Error::custom(if self.by_type { fit::DENIED_ITEM } else { fit::EXTRA_ITEM }))
    }
}

// Values at one position of the shape.

/// A type that a position accepts in addition to that of its node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlsoAccepts {
    Nothing,
    /// Null, for an absent field.
    Null,
    /// The text of an integer or a boolean, for map keys: writers whose keys are text, such as those
    /// of objects in JavaScript, have no other.
    Text,
}

impl AlsoAccepts {
    fn of(presence: Presence) -> AlsoAccepts {
        match presence {
            Presence::Required => AlsoAccepts::Nothing,
            Presence::Defaulted | Presence::Optional => AlsoAccepts::Null,
        }
    }
}

/// A seed for the value at one position of the shape.
struct ItemSeed<'r, 'a> {
    position: NodePosition,
    also: AlsoAccepts,
    reader: &'r mut ArrangedSeed<'a>,
}

impl<'a> ItemSeed<'_, 'a> {
    fn scalar<E: de::Error>(self, value: Value<'a>) -> Result<Value<'a>, E> {
        let shape = self.reader.shape;
        let position = value_position(shape, self.position, &value);
        let node = shape.node(position.node);
        match (node, value) {
            (node, value) if fit::fits_scalar(node, &value) => Ok(value),
            (Node::Enum(sum), Value::Str(name)) if sum.tagging == Tagging::External => {
                let variant = fit::variant(sum, name).map_err(E::custom)?;
                match variant.kind {
                    VariantKind::Unit => Ok(Value::Str(&variant.name)),
                    _ => Err(E::custom(fit::missing_content(name))),
                }
            }
            (node, Value::Str(text)) if self.also == AlsoAccepts::Text => {
                fit::typed_key(node, text).ok_or_else(|| fit_error(node, &value))
            }
            (Node::Int(Int { bits: 128, signed, .. }), Value::Bytes(bytes)) => {
                let Ok(bytes) = <[u8; 16]>::try_from(bytes) else {
                    return Err(fit_error(node, &value));
                };
                let values = &mut self.reader.values;
                if *signed {
                    values.visit_i128(i128::from_be_bytes(bytes))
                } else {
                    values.visit_u128(u128::from_be_bytes(bytes))
                }
            }
            _ => Err(fit_error(node, &value)),
        }
    }

    fn null<E: de::Error>(self) -> Result<Value<'a>, E> {
        if self.also == AlsoAccepts::Null || takes_null(self.reader.shape, self.position.node) {
            return Ok(Value::Null);
        }
        Err(fit_error(self.reader.shape.node(self.position.node), &Value::Null))
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for ItemSeed<'_, 'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for ItemSeed<'_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(fit::expected(self.reader.shape.node(self.position.node)))
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
        let position = container_position(reader.shape, self.position, Container::Array);
        let start = reader.items.len();
        match reader.shape.node(position.node) {
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
                reader.fields(record, 0, &mut seq)?;
                Ok(reader.map_from(start))
            }
            Node::Enum(sum) if sum.tagging != Tagging::External => reader.tagged(sum, seq),
            node => Err(fit_error(node, &Value::Array(&[]))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'a>, A::Error> {
        let reader = self.reader;
        let position = container_position(reader.shape, self.position, Container::Map);
        let start = reader.entries.len();
        match reader.shape.node(position.node) {
            Node::Any => return (&mut reader.values).visit_map(map),
            Node::Map { key, value } => {
                while let Some(name) =
                    map.next_key_seed(ItemSeed { also: AlsoAccepts::Text, ..reader.below(*key) })?
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
                let variant = fit::variant(sum, text).map_err(de::Error::custom)?;
                let content = map.next_value_seed(ContentSeed {
                    kind: &variant.kind,
                    named: false,
                    reader: &mut *reader,
                })?;
                reader.entries.push((Value::Str(&variant.name), content));
            }
            // A variant that kept its names was written unchanged.
            Node::Enum(_) => return (&mut reader.values).visit_map(map),
            node => return Err(fit_error(node, &Value::Map(&[]))),
        }
        Ok(reader.map_from(start))
    }
}

// Variants after their tag, and their content.

impl<'a> ArrangedSeed<'a> {
    /// Reads a variant after its tag.
    fn tagged<'de: 'a, A: SeqAccess<'de>>(
        &mut self,
        sum: &'a Enum,
        mut seq: A,
    ) -> Result<Value<'a>, A::Error> {
        let start = self.entries.len();
        let Some(name) = seq.next_element_seed(&mut self.values)? else {
            return Err(count_error(1, 0));
        };
        let Value::Str(text) = name else { return Err(fit_error(&Node::Str, &name)) };
        let variant = fit::variant(sum, text).map_err(de::Error::custom)?;
        let name = Value::Str(&variant.name);
        match (&sum.tagging, &variant.kind) {
            (Tagging::Adjacent { tag, content }, kind) => {
                self.entries.push((Value::Str(tag), name));
                if *kind == VariantKind::Unit {
                    // Some writers write null as the content.
                    if self.refuses_extra_items {
                        seq.next_element::<()>()?;
                    } else {
                        seq.next_element::<IgnoredAny>()?;
                    }
                } else {
                    let value = seq.next_element_seed(ContentSeed {
                        kind,
                        named: true,
                        reader: &mut *self,
                    })?;
                    let value = value.ok_or_else(|| count_error(2, 1))?;
                    self.entries.push((Value::Str(content), value));
                }
            }
            (Tagging::Internal { tag }, VariantKind::Unit) => {
                self.entries.push((Value::Str(tag), name));
            }
            (
                Tagging::Internal { tag },
                VariantKind::Newtype(inner) | VariantKind::Struct(inner),
            ) => {
                let Node::Record(record) = self.shape.node(*inner) else {
                    return Err(fit_error(self.shape.node(*inner), &Value::Array(&[])));
                };
                self.entries.push((Value::Str(tag), name));
                self.fields(record, 1, &mut seq)?;
            }
            (Tagging::Internal { .. }, VariantKind::Tuple(_)) | (Tagging::External, _) => {
                return Err(de::Error::custom("an internal tag is only valid for records"));
            }
        }
        self.extra_items(&mut seq)?;
        Ok(self.map_from(start))
    }
}

/// A seed for the content of a variant.
struct ContentSeed<'r, 'a> {
    kind: &'a VariantKind,
    named: bool,
    reader: &'r mut ArrangedSeed<'a>,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for ContentSeed<'_, 'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        match self.kind {
            VariantKind::Unit => <()>::deserialize(deserializer).map(|()| Value::Null),
            VariantKind::Newtype(node) => self.reader.below(*node).deserialize(deserializer),
            VariantKind::Struct(node) => {
                let position = NodePosition { node: *node, named: self.named };
                ItemSeed { position, also: AlsoAccepts::Nothing, reader: self.reader }
                    .deserialize(deserializer)
            }
            VariantKind::Tuple(_) => deserializer.deserialize_any(self),
        }
    }
}

impl<'de: 'a, 'a> Visitor<'de> for ContentSeed<'_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the values of a variant")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value<'a>, A::Error> {
        let start = self.reader.items.len();
        if let VariantKind::Tuple(nodes) = self.kind {
            self.reader.tuple(nodes, &mut seq)?;
        }
        Ok(self.reader.array_from(start))
    }
}
