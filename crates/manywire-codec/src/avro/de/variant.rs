//! Variants of sum types, in each way that serde tags them.

use manywire_shape::Tagging;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, VariantAccess, Visitor};

use super::Place;
use super::blocks::{Access, MapEntries};
use super::record::{RecordAccess, RestAccess};
use crate::avro::plan::{Form, Op, Variant};
use crate::core::error::{Category, Error, Result};

impl<'de> Place<'_, 'de> {
    /// Gives a variant to a visitor that knows nothing, as a self-describing format would.
    #[inline(never)]
    pub(super) fn tagged<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let variant = decoder.plan.variant(index);
        decoder.enter()?;
        let place = Place { decoder: &mut *decoder, op: variant.content };
        let value = match &variant.tagging {
            Tagging::External if variant.form == Form::Unit => {
                visitor.visit_borrowed_str(&variant.name)
            }
            Tagging::External => give(Only::new(&variant.name, Some(place)), visitor),
            Tagging::Adjacent { tag, content } => {
                let place = (variant.form != Form::Unit).then_some(place);
                give(Tagged::new(tag, variant, Only::new(content, place)), visitor)
            }
            Tagging::Internal { tag } => place.tagged_inside(tag, variant, visitor),
        }?;
        decoder.leave();
        Ok(value)
    }

    /// The tag and, beside it, the fields.
    fn tagged_inside<V: Visitor<'de>>(
        self,
        tag: &'de str,
        variant: &'de Variant,
        visitor: V,
    ) -> Result<V::Value> {
        let Place { decoder, op } = self;
        match op {
            Op::Record(index) => {
                let record = decoder.plan.record(index);
                match record.rest {
                    None => {
                        give(Tagged::new(tag, variant, RecordAccess::new(decoder, record)), visitor)
                    }
                    Some(rest) => {
                        let rest = decoder.plan.op(rest);
                        let inner = RestAccess::new(decoder, record, rest);
                        give(Tagged::new(tag, variant, inner), visitor)
                    }
                }
            }
            Op::Map(slot) => {
                let value = decoder.plan.op(slot);
                give(Tagged::new(tag, variant, MapEntries::new(decoder, value)), visitor)
            }
            _ => give(Tagged::new(tag, variant, Only::new("", None)), visitor),
        }
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

fn give<'de, A, V>(mut access: A, visitor: V) -> Result<V::Value>
where
    A: Access<'de>,
    V: Visitor<'de>,
{
    let value = visitor.visit_map(&mut access)?;
    access.end()?;
    Ok(value)
}

/// A map of one entry, or of none.
struct Only<'d, 'de> {
    key: &'de str,
    place: Option<Place<'d, 'de>>,
    is_open: bool,
}

impl<'d, 'de> Only<'d, 'de> {
    fn new(key: &'de str, place: Option<Place<'d, 'de>>) -> Self {
        Only { key, place, is_open: false }
    }
}

impl<'de> MapAccess<'de> for Only<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.place.is_none() || self.is_open {
            return Ok(None);
        }
        self.is_open = true;
        seed.deserialize(BorrowedStrDeserializer::new(self.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let Some(Place { decoder, op }) = self.place.take() else { return Err(out_of_turn()) };
        let start = decoder.offset();
        seed.deserialize(Place { decoder, op })
            .map_err(|error| error.with_offset(start).under_key(self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.place.is_some().into())
    }
}

impl<'de> Access<'de> for Only<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        match self.place.take() {
            Some(Place { decoder, op }) => decoder.skip(op),
            None => Ok(()),
        }
    }
}

/// A map behind an entry that is not in the bytes: the tag.
struct Tagged<'de, A> {
    tag: &'de str,
    variant: &'de Variant,
    inner: A,
    state: State,
}

#[derive(PartialEq)]
enum State {
    Start,
    Tag,
    Inner,
}

impl<'de, A> Tagged<'de, A> {
    fn new(tag: &'de str, variant: &'de Variant, inner: A) -> Self {
        Tagged { tag, variant, inner, state: State::Start }
    }
}

impl<'de, A: Access<'de>> MapAccess<'de> for Tagged<'de, A> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.state == State::Start {
            self.state = State::Tag;
            return seed.deserialize(BorrowedStrDeserializer::new(self.tag)).map(Some);
        }
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if self.state == State::Tag {
            self.state = State::Inner;
            return seed.deserialize(BorrowedStrDeserializer::new(&self.variant.name));
        }
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|inner| inner + usize::from(self.state == State::Start))
    }
}

impl<'de, A: Access<'de>> Access<'de> for Tagged<'de, A> {
    fn end(&mut self) -> Result<()> {
        self.inner.end()
    }
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

/// A value asked for before its key.
#[cold]
#[inline(never)]
fn out_of_turn() -> Error {
    Error::new(Category::Data, "a value was asked for where there is none")
}
