//! Sum types: the one member of a oneof that is set.

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};

use super::super::plan::{Field, Form, Kind, Message};
use super::decoder::Decoder;
use super::fields::Fields;
use super::members::{Members, Of};
use super::place::{FieldDeserializer, nothing_set};
use super::repeated::Entries;
use crate::{Error, Result};

/// Reads the message of a sum type up to the variant that is set, hands that on, and leaves.
fn with_variant<'de, R>(
    place: FieldDeserializer<'_, 'de>,
    message: &'de Message,
    read: impl FnOnce(&'de Field, FieldDeserializer<'_, 'de>) -> Result<R>,
) -> Result<R> {
    let FieldDeserializer { decoder, field, wire, more } = place;
    decoder.deeper()?;
    let frame = decoder.enter(field, wire, more)?;
    let mut fields = Fields::new(message, frame);
    let Some((variant, wire)) = fields.advance(decoder)? else {
        return Err(nothing_set(decoder, message));
    };
    let value = read(variant, fields.place(decoder, variant, wire))?;
    fields.leave(decoder)?;
    decoder.back();
    Ok(value)
}

fn is_null(decoder: &Decoder<'_>, field: &Field) -> bool {
    field.kind == Kind::Message && decoder.plan.message(field).form == Form::Null
}

/// An enum as serde's derive reads it.
pub(super) fn external<'de, V: Visitor<'de>>(
    place: FieldDeserializer<'_, 'de>,
    message: &'de Message,
    visitor: V,
) -> Result<V::Value> {
    with_variant(place, message, |variant, content| {
        visitor
            .visit_enum(Variant { name: &variant.name, content })
            .map_err(|error| error.under_key(&variant.name))
    })
}

/// An enum as a self-describing format has it, by its tagging.
pub(super) fn any<'de, V: Visitor<'de>>(
    place: FieldDeserializer<'_, 'de>,
    message: &'de Message,
    visitor: V,
) -> Result<V::Value> {
    with_variant(place, message, |variant, content| {
        let (tag, name) = match &message.form {
            Form::Internal { tag } => return internal(tag, variant, content, visitor),
            Form::Adjacent { tag, content } => (Some(&**tag), &**content),
            _ => (None, &*variant.name),
        };
        let FieldDeserializer { decoder, field, wire, more } = content;
        let is_empty = is_null(decoder, variant);
        if is_empty {
            let place = FieldDeserializer { decoder: &mut *decoder, field, wire, more };
            place.deserialize_ignored_any(serde::de::IgnoredAny)?;
        }
        let of = match is_empty {
            true => Of::Nothing,
            false => Of::Member { name, field, wire, more },
        };
        let members = Members::new(decoder, of);
        match tag {
            Some(tag) => members.tagged(tag, &variant.name).give(visitor),
            None if is_empty => visitor.visit_borrowed_str(&variant.name),
            None => members.give(visitor),
        }
    })
}

/// The tag, then the fields of the variant's record.
fn internal<'de, V: Visitor<'de>>(
    tag: &'de str,
    variant: &'de Field,
    content: FieldDeserializer<'_, 'de>,
    visitor: V,
) -> Result<V::Value> {
    let FieldDeserializer { decoder, field, wire, more } = content;
    let message = decoder.plan.message(field);
    let frame = decoder.enter(field, wire, more)?;
    let mut fields = Fields::new(message, frame);
    let members = Members::new(decoder, Of::record(&mut fields)).tagged(tag, &variant.name);
    let value = members.give(visitor)?;
    fields.leave(decoder)?;
    Ok(value)
}

/// The variant, and the place of what it carries.
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

/// An enum where nothing is known of the value: the only entry of a map, as in JSON.
pub(super) fn only_entry<'de, V: Visitor<'de>>(
    place: FieldDeserializer<'_, 'de>,
    visitor: V,
) -> Result<V::Value> {
    let FieldDeserializer { decoder, field, wire, more } = place;
    let mut members = Members::new(decoder, Of::Map { entries: Entries::new(field, wire), more });
    let value = visitor.visit_enum(MapAccessDeserializer::new(&mut members))?;
    members.finish()?;
    Ok(value)
}
