//! Reads enums: the one member of a oneof that is set.

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, VariantAccess, Visitor};

use super::record::RecordAccess;
use super::repeated::{Entries, EntriesAccess};
use super::{Decoder, FieldDeserializer, nothing_set};
use crate::core::variant::TaggedMap;
use crate::protobuf::plan::{Field, FieldKind, Form, Message};
use crate::{Category, Error, Result};

/// Enters the message of an enum, passes the variant that is set, and leaves the message.
fn with_variant<'de, R>(
    deserializer: FieldDeserializer<'_, 'de>,
    message: &'de Message,
    read: impl FnOnce(&'de Field, FieldDeserializer<'_, 'de>) -> Result<R>,
) -> Result<R> {
    deserializer.in_container(message, |decoder, fields| {
        let Some((variant, wire)) = fields.advance(decoder)? else {
            return Err(nothing_set(decoder, message));
        };
        read(variant, fields.deserializer(decoder, variant, wire))
    })
}

fn is_null(decoder: &Decoder<'_>, field: &Field) -> bool {
    field.kind == FieldKind::Message && decoder.plan.message(field).form == Form::Null
}

/// Reads an enum for serde's derive.
pub(super) fn external<'de, V: Visitor<'de>>(
    deserializer: FieldDeserializer<'_, 'de>,
    message: &'de Message,
    visitor: V,
) -> Result<V::Value> {
    with_variant(deserializer, message, |variant, content| {
        visitor
            .visit_enum(Variant { name: &variant.name, content })
            .map_err(|error| error.under_key(&variant.name))
    })
}

/// Reads an enum for a target of any type, in the representation of its tagging.
pub(super) fn any<'de, V: Visitor<'de>>(
    deserializer: FieldDeserializer<'_, 'de>,
    message: &'de Message,
    visitor: V,
) -> Result<V::Value> {
    with_variant(deserializer, message, |variant, content| {
        let empty = is_null(content.decoder, variant);
        let (tag, content_name) = match &message.form {
            Form::Internal { tag } => return internal(tag, variant, content, visitor),
            Form::Adjacent { tag, content } => (Some(&**tag), &**content),
            _ => (None, &*variant.name),
        };
        if empty {
            content.null()?;
            let Some(tag) = tag else { return visitor.visit_borrowed_str(&variant.name) };
            return visitor.visit_map(TaggedVariant {
                tag: Some((tag, &variant.name)),
                name_is_due: true,
                content: None,
                content_name,
            });
        }
        let tag = tag.map(|tag| (tag, &*variant.name));
        visitor.visit_map(TaggedVariant {
            name_is_due: tag.is_some(),
            tag,
            content: Some(content),
            content_name,
        })
    })
}

/// Passes the tag, then the fields of the variant's record.
fn internal<'de, V: Visitor<'de>>(
    tag: &'de str,
    variant: &'de Field,
    content: FieldDeserializer<'_, 'de>,
    visitor: V,
) -> Result<V::Value> {
    let message = content.decoder.plan.message(content.field);
    content.in_message(message, |decoder, fields| {
        visitor.visit_map(TaggedMap::new(tag, &variant.name, RecordAccess::new(decoder, fields)))
    })
}

/// A variant, and the field of its content.
struct Variant<'a, 'de> {
    name: &'de str,
    content: FieldDeserializer<'a, 'de>,
}

impl<'a, 'de> EnumAccess<'de> for Variant<'a, 'de> {
    type Error = Error;
    type Variant = FieldDeserializer<'a, 'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant)> {
        let name = seed.deserialize(BorrowedStrDeserializer::<Error>::new(self.name))?;
        Ok((name, self.content))
    }
}

impl<'de> VariantAccess<'de> for FieldDeserializer<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        self.deserialize_ignored_any(serde::de::IgnoredAny).map(drop)
    }
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        seed.deserialize(self)
    }
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_tuple(len, visitor)
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_struct("", names, visitor)
    }
}

/// A map of the tag, if there is one, and then the content, if there is any.
struct TaggedVariant<'a, 'de> {
    tag: Option<(&'de str, &'de str)>,
    name_is_due: bool,
    content: Option<FieldDeserializer<'a, 'de>>,
    content_name: &'de str,
}

impl<'de> MapAccess<'de> for TaggedVariant<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let key = match (self.tag, self.name_is_due, &self.content) {
            (Some((tag, _)), true, _) => tag,
            (_, _, Some(_)) => self.content_name,
            _ => return Ok(None),
        };
        seed.deserialize(BorrowedStrDeserializer::<Error>::new(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        if let Some((_, name)) = self.tag
            && self.name_is_due
        {
            self.name_is_due = false;
            return seed.deserialize(BorrowedStrDeserializer::<Error>::new(name));
        }
        match self.content.take() {
            Some(content) => {
                seed.deserialize(content).map_err(|error| error.under_key(self.content_name))
            }
            None => Err(Error::new(Category::Data, "a value without a key")),
        }
    }
}

/// Reads an enum from a map of one entry, as in JSON, if the schema has no variants.
pub(super) fn single_entry<'de, V: Visitor<'de>>(
    deserializer: FieldDeserializer<'_, 'de>,
    visitor: V,
) -> Result<V::Value> {
    let FieldDeserializer { decoder, field, wire, more } = deserializer;
    let mut access = EntriesAccess { entries: Entries::new(field, wire), decoder, more };
    let value = visitor.visit_enum(MapAccessDeserializer::new(&mut access))?;
    access.finish()?;
    Ok(value)
}
