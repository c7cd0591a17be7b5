//! Writes dynamic values in the array layout.

use manywire_shape::{
    Enum, Field, Int, Node, NodeId, Presence, Record, Tagging, Value, VariantKind,
};
use serde::ser;
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, SerializeTuple, Serializer};

use super::fit::{NodePosition, takes_null, value_position};
use super::{Arranged, fit};
use crate::core::error::item_count;

impl Serialize for Arranged<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = self.shape.node(self.position.node);
        match (node, self.value) {
            (Node::Any, value) => value.serialize(serializer),
            (Node::Option(_) | Node::Union(_), Value::Null)
                if takes_null(self.shape, self.position.node) =>
            {
                serializer.serialize_unit()
            }
            (Node::Option(_) | Node::Union(_), _) => {
                let position = value_position(self.shape, self.position, self.value);
                match self.shape.node(position.node) {
                    Node::Option(_) | Node::Union(_) => Err(self.misfit()),
                    _ => self.at(position).serialize(serializer),
                }
            }
            (Node::Array(array), Value::Array(items)) => {
                self.array(serializer, items, |_| Some(array.item))
            }
            (Node::Tuple(nodes), Value::Array(items)) if nodes.len() == items.len() => {
                self.array(serializer, items, |index| nodes.get(index).copied())
            }
            (Node::Tuple(nodes), Value::Array(items)) => {
                Err(S::Error::custom(item_count(nodes.len(), Some(items.len()))))
            }
            (Node::Map { key, value }, Value::Map(entries)) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                let takes_text = matches!(self.shape.node(*key), Node::Str | Node::Any);
                for (name, item) in *entries {
                    match name {
                        Value::Str(text) if takes_text => map.serialize_key(text)?,
                        Value::Str(text) => {
                            self.below(*key, name).text_key(text, &mut map)?;
                        }
                        name => map.serialize_key(&self.below(*key, name))?,
                    }
                    map.serialize_value(&self.below(*value, item))?;
                }
                map.end()
            }
            (Node::Record(record), Value::Map(entries)) => {
                if self.position.named || record.rest.is_some() {
                    return self.named(serializer, record, entries);
                }
                self.positional(serializer, record, RecordEntries::new(entries), None)
            }
            (Node::Enum(sum), value) => self.variant(serializer, sum, value),
            (Node::Int(Int { bits: 128, signed: false, .. }), Value::Number(text)) => {
                match text.parse() {
                    Ok(number) => serializer.serialize_u128(number),
                    Err(_) => Err(self.misfit()),
                }
            }
            (node, value) if fit::fits_scalar(node, value) => value.serialize(serializer),
            _ => Err(self.misfit()),
        }
    }
}

impl<'v> Arranged<'v> {
    fn at(&self, position: NodePosition) -> Self {
        Arranged { position, ..*self }
    }

    fn below(&self, node: NodeId, value: &'v Value<'v>) -> Self {
        Arranged { shape: self.shape, position: NodePosition::of(node), value }
    }

    #[cold]
    #[inline(never)]
    fn misfit<E: ser::Error>(&self) -> E {
        E::custom(fit::misfit(self.shape.node(self.position.node), self.value))
    }

    /// Writes a key that is text where the keys of the map may be of another type. Formats whose
    /// keys are text, such as JSON, have integers and booleans as text.
    fn text_key<M: SerializeMap>(&self, text: &str, map: &mut M) -> Result<(), M::Error> {
        let position = value_position(self.shape, self.position, self.value);
        let node = self.shape.node(position.node);
        if let Some(key) = fit::typed_key(node, text) {
            return map.serialize_key(&Arranged { shape: self.shape, position, value: &key });
        }
        if matches!(node, Node::Enum(_)) || fit::fits_scalar(node, self.value) {
            return map.serialize_key(&self.at(position));
        }
        // The error is that of the value, so that its path has the key.
        map.serialize_key(text)?;
        map.serialize_value(&Misfit(self.at(position)))
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

    /// Writes a record as an array of its fields. If the record is a variant, its tag comes first.
    fn positional<S: Serializer>(
        &self,
        serializer: S,
        record: &'v Record,
        record_entries: RecordEntries<'v>,
        tag: Option<&str>,
    ) -> Result<S::Ok, S::Error> {
        let order = record_entries.order(record);
        let by_field = match order {
            EntryOrder::Unordered => record_entries
                .by_field(record)
                .map_err(|key| S::Error::custom(fit::unknown_key(key)))?,
            _ => Vec::new(),
        };
        let count = record.fields.len() + usize::from(tag.is_some());
        let mut tuple = serializer.serialize_tuple(count)?;
        if let Some(variant) = tag {
            tuple.serialize_element(variant)?;
        }
        let mut next = 0;
        for (index, field) in record.fields.iter().enumerate() {
            let value = match order {
                EntryOrder::Ordered { present } if present >> index & 1 == 0 => None,
                EntryOrder::Ordered { .. } => record_entries.next_entry(&mut next),
                EntryOrder::OrderedWide => record_entries.next_if_field(&mut next, field),
                EntryOrder::Unordered => by_field[index],
            };
            match value {
                Some(value) => tuple.serialize_element(&self.field(field, value))?,
                None if field.presence != Presence::Required => tuple.serialize_element(&())?,
                None => return Err(S::Error::custom(fit::missing_field(&field.name))),
            }
        }
        tuple.end()
    }

    /// Writes a record whose fields keep their names.
    fn named<S: Serializer>(
        &self,
        serializer: S,
        record: &'v Record,
        entries: Entries<'v>,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        let mut present = vec![false; record.fields.len()];
        for (key, value) in entries {
            let index = match key {
                Value::Str(name) => fit::field_index(record, name),
                _ => None,
            };
            match (index, record.rest) {
                (Some(index), _) => {
                    let field = &record.fields[index];
                    present[index] = true;
                    map.serialize_entry(&field.name, &self.field(field, value))?;
                }
                (None, Some(rest)) => map.serialize_entry(key, &self.below(rest, value))?,
                (None, None) => return Err(S::Error::custom(fit::unknown_key(key))),
            }
        }
        for (field, present) in record.fields.iter().zip(present) {
            if !present && field.presence == Presence::Required {
                return Err(S::Error::custom(fit::missing_field(&field.name)));
            }
        }
        map.end()
    }

    fn field(&self, field: &Field, value: &'v Value<'v>) -> FieldValue<'v> {
        // Null in a field that is not required is written without a check against the type of the
        // field: it may mean absence.
        let absent = matches!(value, Value::Null) && field.presence != Presence::Required;
        FieldValue { arranged: self.below(field.node, value), absent }
    }
}

/// A value that does not fit. It is never written.
struct Misfit<'v>(Arranged<'v>);

impl Serialize for Misfit<'_> {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(self.0.misfit())
    }
}

/// A field's value, or null if the field is absent.
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

// The entries of a record, and the order of its fields among them.

/// The entries of a map.
type Entries<'v> = &'v [(Value<'v>, Value<'v>)];

/// The order of a record's entries, compared with the fields of its shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryOrder {
    /// Every entry is a field and the entries are in field order, as in nearly every document. No
    /// name repeats, so nothing needs to be searched or compared again.
    Ordered {
        /// One bit for each present field.
        present: u128,
    },
    /// In field order as well, for a record with more than 128 fields.
    OrderedWide,
    /// Any other order, or aliases: the field of each entry is searched.
    Unordered,
}

/// The entries of a record.
#[derive(Clone, Copy)]
struct RecordEntries<'v> {
    entries: Entries<'v>,
    // The name of an entry that is not a field.
    tag: Option<&'v str>,
}

impl<'v> RecordEntries<'v> {
    fn new(entries: Entries<'v>) -> Self {
        RecordEntries { entries, tag: None }
    }

    /// Returns the entries of the fields of a variant: without the entry of `tag` if that entry is
    /// the first, otherwise with `tag` as a known name that is not a field.
    fn below(self, tag: &'v str) -> Self {
        match self.entries {
            [(Value::Str(first), _), fields @ ..] if *first == tag => RecordEntries::new(fields),
            entries => RecordEntries { entries, tag: Some(tag) },
        }
    }

    /// Compares the order of the entries with the fields.
    fn order(&self, record: &Record) -> EntryOrder {
        let (mut next, mut present) = (0, 0);
        for (index, field) in record.fields.iter().enumerate() {
            let is_present = self.next_if_field(&mut next, field).is_some();
            present |= u128::from(is_present).checked_shl(index as u32).unwrap_or(0);
        }
        match next == self.entries.len() {
            true if record.fields.len() <= 128 => EntryOrder::Ordered { present },
            true => EntryOrder::OrderedWide,
            false => EntryOrder::Unordered,
        }
    }

    /// Returns the next entry.
    #[inline]
    fn next_entry(&self, next: &mut usize) -> Option<&'v Value<'v>> {
        let (_, value) = self.entries.get(*next)?;
        *next += 1;
        Some(value)
    }

    /// Returns the next entry if it is this field.
    #[inline]
    fn next_if_field(&self, next: &mut usize, field: &Field) -> Option<&'v Value<'v>> {
        match self.entries.get(*next) {
            Some((Value::Str(key), value)) if *key == field.name => {
                *next += 1;
                Some(value)
            }
            _ => None,
        }
    }

    /// Returns the last entry with this name, as JSON readers do.
    fn find(&self, name: &str) -> Option<&'v Value<'v>> {
        let named = |key: &Value<'_>| matches!(key, Value::Str(text) if *text == name);
        self.entries.iter().rev().find(|(key, _)| named(key)).map(|(_, value)| value)
    }

    /// Returns the value of each field. The last of two entries of one field counts, as for JSON
    /// readers. Fails with the first key that is not a field.
    fn by_field(&self, record: &Record) -> Result<Vec<Option<&'v Value<'v>>>, &'v Value<'v>> {
        let mut values = vec![None; record.fields.len()];
        for (key, value) in self.entries {
            let index = match key {
                Value::Str(name) if self.tag == Some(*name) => continue,
                Value::Str(name) => fit::field_index(record, name),
                _ => None,
            };
            values[index.ok_or(key)?] = Some(value);
        }
        Ok(values)
    }
}

// Variants: a name, a map around their content, or an array after a tag.

impl<'v> Arranged<'v> {
    fn variant<S: Serializer>(
        &self,
        serializer: S,
        sum: &'v Enum,
        value: &'v Value<'v>,
    ) -> Result<S::Ok, S::Error> {
        match (&sum.tagging, value) {
            (Tagging::External, Value::Str(name)) => {
                let variant = fit::variant(sum, name).map_err(S::Error::custom)?;
                match variant.kind {
                    VariantKind::Unit => serializer.serialize_str(&variant.name),
                    _ => Err(S::Error::custom(fit::missing_content(name))),
                }
            }
            (Tagging::External, Value::Map([(Value::Str(name), content)])) => {
                let variant = fit::variant(sum, name).map_err(S::Error::custom)?;
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(&variant.name, &self.content(&variant.kind, content, false))?;
                map.end()
            }
            (Tagging::Internal { tag }, Value::Map(entries)) if !self.position.named => {
                let record_entries = RecordEntries::new(entries);
                let Some(Value::Str(name)) = record_entries.find(tag) else {
                    return Err(S::Error::custom(fit::missing_field(tag)));
                };
                let variant = fit::variant(sum, name).map_err(S::Error::custom)?;
                match &variant.kind {
                    VariantKind::Unit if entries.len() == 1 => {
                        let mut tuple = serializer.serialize_tuple(1)?;
                        tuple.serialize_element(&variant.name)?;
                        tuple.end()
                    }
                    VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                        match self.shape.node(*inner) {
                            Node::Record(record) if record.rest.is_none() => self.positional(
                                serializer,
                                record,
                                record_entries.below(tag),
                                Some(&variant.name),
                            ),
                            // The tag is among the entries of a map: it has no fixed position.
                            _ => value.serialize(serializer),
                        }
                    }
                    _ => Err(self.misfit()),
                }
            }
            (Tagging::Adjacent { tag, content }, Value::Map(entries)) if !self.position.named => {
                let record_entries = RecordEntries::new(entries);
                let Some(Value::Str(name)) = record_entries.find(tag) else {
                    return Err(S::Error::custom(fit::missing_field(tag)));
                };
                let variant = fit::variant(sum, name).map_err(S::Error::custom)?;
                let content = record_entries.find(content);
                let count = 1 + usize::from(content.is_some());
                let is_unit = variant.kind == VariantKind::Unit;
                if entries.len() != count || content.is_some() == is_unit {
                    return Err(self.misfit());
                }
                let mut tuple = serializer.serialize_tuple(count)?;
                tuple.serialize_element(&variant.name)?;
                if let Some(content) = content {
                    tuple.serialize_element(&self.content(&variant.kind, content, true))?;
                }
                tuple.end()
            }
            (Tagging::Internal { .. } | Tagging::Adjacent { .. }, Value::Map(_)) => {
                value.serialize(serializer)
            }
            _ => Err(self.misfit()),
        }
    }

    fn content(
        &self,
        kind: &'v VariantKind,
        value: &'v Value<'v>,
        named: bool,
    ) -> VariantContent<'v> {
        match kind {
            VariantKind::Unit => VariantContent::Unit(value),
            VariantKind::Newtype(node) => VariantContent::Value(self.below(*node, value)),
            VariantKind::Struct(node) => VariantContent::Value(
                self.below(*node, value).at(NodePosition { node: *node, named }),
            ),
            VariantKind::Tuple(nodes) => {
                VariantContent::Tuple(self.below(self.position.node, value), nodes)
            }
        }
    }
}

/// The content of a variant.
enum VariantContent<'v> {
    Unit(&'v Value<'v>),
    Value(Arranged<'v>),
    Tuple(Arranged<'v>, &'v [NodeId]),
}

impl Serialize for VariantContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            VariantContent::Unit(Value::Null) => serializer.serialize_unit(),
            VariantContent::Value(arranged) => arranged.serialize(serializer),
            VariantContent::Tuple(arranged, nodes) => match arranged.value {
                Value::Array(items) if items.len() == nodes.len() => {
                    arranged.array(serializer, items, |index| nodes.get(index).copied())
                }
                Value::Array(items) => {
                    Err(S::Error::custom(item_count(nodes.len(), Some(items.len()))))
                }
                _ => Err(arranged.misfit()),
            },
            VariantContent::Unit(value) => Err(S::Error::custom(fit::misfit(&Node::Null, value))),
        }
    }
}
