//! Variants of sum types, in each way that serde tags them.

use manywire_shape::Tagging;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::members::{Members, Of};
use super::{Decoder, Place};
use crate::avro::plan::{Form, Op, Variant};
use crate::core::error::{Category, Error, Result};

impl<'de> Place<'_, 'de> {
    /// Gives a variant to a visitor that knows nothing, as a self-describing format would.
    #[inline(never)]
    pub(super) fn tagged<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let variant = decoder.plan.variant(index);
        decoder.enter()?;
        let value = match members_of(&mut *decoder, variant) {
            Some(members) => members.give(visitor)?,
            None => visitor.visit_borrowed_str(&variant.name)?,
        };
        decoder.leave();
        Ok(value)
    }

    /// Gives a variant to a visitor of enums.
    #[inline]
    pub(super) fn variant<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let variant = decoder.plan.variant(index);
        decoder.enter()?;
        let place = Place { decoder: &mut *decoder, op: variant.content };
        let value = visitor
            .visit_enum(Known { place, variant })
            .map_err(|error| error.under_key(&variant.name))?;
        decoder.leave();
        Ok(value)
    }
}

/// The entries that a variant is in formats that describe themselves; nothing if it is its name.
fn members_of<'d, 'de>(
    decoder: &'d mut Decoder<'de>,
    variant: &'de Variant,
) -> Option<Members<'d, 'de>> {
    let (op, is_unit) = (variant.content, variant.form == Form::Unit);
    Some(match &variant.tagging {
        Tagging::External if is_unit => return None,
        Tagging::External => Members::new(decoder, Of::Entry { key: &variant.name, value: op }),
        Tagging::Adjacent { tag, content } => {
            let of = if is_unit { Of::Nothing } else { Of::Entry { key: content, value: op } };
            Members::new(decoder, of).tagged(tag, variant)
        }
        // The tag and, beside it, the fields.
        Tagging::Internal { tag } => {
            let of = match op {
                Op::Record(_) | Op::Map(_) => Of::at(decoder.plan, op),
                _ => None,
            };
            Members::new(decoder, of.unwrap_or(Of::Nothing)).tagged(tag, variant)
        }
    })
}

/// A variant whose name is known.
struct Known<'d, 'de> {
    place: Place<'d, 'de>,
    variant: &'de Variant,
}

impl<'d, 'de> EnumAccess<'de> for Known<'d, 'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let name = seed.deserialize(BorrowedStrDeserializer::new(&self.variant.name))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Known<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.variant.form {
            Form::Unit => Ok(()),
            _ => Err(unlike(self.variant)),
        }
    }

    #[inline]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.place)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        serde::Deserializer::deserialize_seq(self.place, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        serde::Deserializer::deserialize_struct(self.place, "", fields, visitor)
    }
}

#[cold]
#[inline(never)]
fn unlike(variant: &Variant) -> Error {
    Error::new(
        Category::Data,
        format_args!("variant `{}` carries something, but the type takes nothing", variant.name),
    )
}
