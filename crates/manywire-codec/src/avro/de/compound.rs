//! Reads arrays, maps, records and variants: the access types that `DatumDeserializer` passes to
//! serde's visitors. The two modules call each other because values nest.

use std::slice;

use manywire_shape::{Arena, Tagging, ValueSeed};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::{DatumDeserializer, Decoder};
use crate::avro::plan::{Field, Form, Op, Record, Variant};
use crate::avro::wire::Blocks;
use crate::core::error::{Category, Error, Result, entry_key};
use crate::core::limits::Limits;
use crate::core::variant::TaggedMap;

/// Entries for a visitor that may stop early.
pub(super) trait Access<'de>: MapAccess<'de, Error = Error> {
    /// Skips the entries that the visitor left unread.
    fn end(&mut self) -> Result<()>;
}

/// The items of an array.
pub(super) struct ArrayAccess<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    blocks: Blocks,
    item: Op,
    empty: bool,
    index: usize,
}

impl<'d, 'de> ArrayAccess<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, item: Op, empty: bool) -> Result<Self> {
        let mut blocks = Blocks::START;
        let Decoder { reader, empty_items_left, .. } = &mut *decoder;
        // The first block is opened ahead, so that a collection can reserve memory for it.
        blocks.open(reader, empty.then_some(empty_items_left))?;
        Ok(ArrayAccess { decoder, blocks, item, empty, index: 0 })
    }

    /// Fails if the visitor left items unread.
    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        if self.advance()? {
            return Err(Error::unread_items(self.decoder.offset(), self.index, None));
        }
        Ok(())
    }

    #[inline]
    fn advance(&mut self) -> Result<bool> {
        let Decoder { reader, empty_items_left, .. } = &mut *self.decoder;
        self.blocks.advance(reader, self.empty.then_some(empty_items_left))
    }
}

impl<'de> SeqAccess<'de> for ArrayAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        self.index += 1;
        let start = self.decoder.offset();
        match seed.deserialize(DatumDeserializer { decoder: self.decoder, op: self.item }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_index(self.index - 1)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.blocks.size_hint()
    }
}

/// The items of a tuple.
pub(super) struct TupleAccess<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    fields: &'de [Field],
    next: usize,
}

impl<'d, 'de> TupleAccess<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, fields: &'de [Field]) -> Self {
        TupleAccess { decoder, fields, next: 0 }
    }

    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        if self.next < self.fields.len() {
            let length = Some(self.fields.len());
            return Err(Error::unread_items(self.decoder.offset(), self.next, length));
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for TupleAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(field) = self.fields.get(self.next) else { return Ok(None) };
        self.next += 1;
        let start = self.decoder.offset();
        match seed.deserialize(DatumDeserializer { decoder: self.decoder, op: field.op }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_index(self.next - 1)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len() - self.next)
    }
}

/// The entries of an Avro map.
pub(super) struct MapEntries<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    blocks: Blocks,
    value: Op,
    key: &'de str,
}

impl<'d, 'de> MapEntries<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, value: Op) -> Self {
        MapEntries { decoder, blocks: Blocks::START, value, key: "" }
    }

    #[inline]
    fn advance(&mut self) -> Result<bool> {
        self.blocks.advance(&mut self.decoder.reader, None)
    }
}

impl<'de> Access<'de> for MapEntries<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        while self.advance()? {
            self.decoder.text()?;
            self.decoder.skip(self.value)?;
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for MapEntries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        let start = self.decoder.offset();
        self.key = self.decoder.text()?;
        seed.deserialize(BorrowedStrDeserializer::new(self.key))
            .map(Some)
            .map_err(|error: Error| error.with_offset(start).under_key(self.key))
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        seed.deserialize(DatumDeserializer { decoder: self.decoder, op: self.value })
            .map_err(|error| error.with_offset(start).under_key(self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        self.blocks.size_hint()
    }
}

/// The entries of a map with keys of any type.
pub(super) struct PairEntries<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    blocks: Blocks,
    key: Op,
    value: Op,
    empty: bool,
    index: usize,
    /// The bytes from the last key on.
    key_bytes: &'de [u8],
}

impl<'d, 'de> PairEntries<'d, 'de> {
    pub(super) fn new(decoder: &'d mut Decoder<'de>, record: u32) -> Self {
        let Record { fields, empty, .. } = decoder.plan.record(record);
        let (key, value, empty) = (fields[0].op, fields[1].op, *empty);
        let blocks = Blocks::START;
        PairEntries { decoder, blocks, key, value, empty, index: 0, key_bytes: &[] }
    }

    /// Adds the entry to an error's path: by its key, or by its index if the key is invalid.
    #[cold]
    #[inline(never)]
    fn under_entry(&self, error: Error) -> Error {
        let mut decoder = Decoder::within(self.decoder.plan, self.key_bytes, Limits::DEFAULT);
        let arena = Arena::new();
        let key = DatumDeserializer { decoder: &mut decoder, op: self.key };
        let key = ValueSeed::new(&arena).deserialize(key).ok();
        match key.and_then(|key| entry_key(&key)) {
            Some(key) => error.under_key(key),
            None => error.under_index(self.index - 1),
        }
    }

    fn advance(&mut self) -> Result<bool> {
        let Decoder { reader, empty_items_left, .. } = &mut *self.decoder;
        self.blocks.advance(reader, self.empty.then_some(empty_items_left))
    }
}

impl<'de> Access<'de> for PairEntries<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        while self.advance()? {
            self.decoder.skip(self.key)?;
            self.decoder.skip(self.value)?;
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for PairEntries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        self.index += 1;
        self.key_bytes = self.decoder.reader.rest();
        let start = self.decoder.offset();
        seed.deserialize(DatumDeserializer { decoder: self.decoder, op: self.key })
            .map(Some)
            .map_err(|error| self.under_entry(error.with_offset(start)))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        seed.deserialize(DatumDeserializer { decoder: self.decoder, op: self.value })
            .map_err(|error| self.under_entry(error.with_offset(start)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.blocks.size_hint()
    }
}

// Records.

/// The fields of a record, with names borrowed from the plan.
pub(super) struct RecordAccess<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    fields: slice::Iter<'de, Field>,
    name: &'de str,
    op: Op,
}

impl<'d, 'de> RecordAccess<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, record: &'de Record) -> Self {
        RecordAccess { decoder, fields: record.fields.iter(), name: "", op: Op::Null }
    }

    /// Advances to the next field that is present.
    #[inline]
    fn next_present(&mut self) -> Result<bool> {
        loop {
            let Some(field) = self.fields.next() else { return Ok(false) };
            self.name = &field.name;
            self.op = if field.optional {
                match self.decoder.branch(field.op)? {
                    Op::Null => continue,
                    op => op,
                }
            } else {
                field.op
            };
            return Ok(true);
        }
    }
}

impl<'de> MapAccess<'de> for RecordAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.next_present()? {
            return Ok(None);
        }
        seed.deserialize(BorrowedStrDeserializer::new(self.name)).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        match seed.deserialize(DatumDeserializer { decoder: self.decoder, op: self.op }) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.with_offset(start).under_key(self.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

impl<'de> Access<'de> for RecordAccess<'_, 'de> {
    #[inline]
    fn end(&mut self) -> Result<()> {
        for field in self.fields.by_ref() {
            self.decoder.skip(field.op)?;
        }
        Ok(())
    }
}

/// The fields of a record without their names, for a visitor that has the same fields in the same
/// order.
pub(super) struct FieldValues<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    fields: slice::Iter<'de, Field>,
}

impl<'d, 'de> FieldValues<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, fields: &'de [Field]) -> Self {
        FieldValues { decoder, fields: fields.iter() }
    }

    /// Skips the fields that the visitor left unread.
    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        for field in self.fields.by_ref() {
            self.decoder.skip(field.op)?;
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for FieldValues<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(field) = self.fields.next() else { return Ok(None) };
        let start = self.decoder.offset();
        match seed.deserialize(DatumDeserializer { decoder: self.decoder, op: field.op }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_key(&field.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

/// A record that also has entries that are not fields: first its fields, then those entries.
pub(super) struct RestAccess<'d, 'de> {
    state: RestState<'d, 'de>,
    rest: Op,
}

enum RestState<'d, 'de> {
    Fields(RecordAccess<'d, 'de>),
    Rest(MapEntries<'d, 'de>),
    Taken,
}

impl<'d, 'de> RestAccess<'d, 'de> {
    pub(super) fn new(decoder: &'d mut Decoder<'de>, record: &'de Record, rest: Op) -> Self {
        RestAccess { state: RestState::Fields(RecordAccess::new(decoder, record)), rest }
    }

    /// Advances from the fields to the entries that are not fields.
    fn rest(&mut self) -> Result<&mut MapEntries<'d, 'de>> {
        self.state = match std::mem::replace(&mut self.state, RestState::Taken) {
            RestState::Fields(mut fields) => {
                fields.end()?;
                RestState::Rest(MapEntries::new(fields.decoder, self.rest))
            }
            other => other,
        };
        match &mut self.state {
            RestState::Rest(entries) => Ok(entries),
            _ => Err(Error::unread_items(0, 0, None)),
        }
    }
}

impl<'de> Access<'de> for RestAccess<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        self.rest()?.end()
    }
}

impl<'de> MapAccess<'de> for RestAccess<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        // One key uses up the seed, so a check for remaining fields must come first.
        if let RestState::Fields(fields) = &mut self.state
            && fields.next_present()?
        {
            return seed.deserialize(BorrowedStrDeserializer::new(fields.name)).map(Some);
        }
        self.rest()?.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match &mut self.state {
            RestState::Fields(fields) => fields.next_value_seed(seed),
            RestState::Rest(entries) => entries.next_value_seed(seed),
            RestState::Taken => Err(Error::unread_items(0, 0, None)),
        }
    }
}

impl<'de> DatumDeserializer<'_, 'de> {
    /// Passes a record to a visitor of maps.
    #[inline]
    pub(super) fn record<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let record = decoder.plan.record(index);
        decoder.enter()?;
        let value = match record.rest {
            None => visit_access(RecordAccess::new(decoder, record), visitor)?,
            Some(rest) => DatumDeserializer::record_with_rest(decoder, record, rest, visitor)?,
        };
        decoder.leave();
        Ok(value)
    }

    #[inline(never)]
    fn record_with_rest<V: Visitor<'de>>(
        decoder: &mut Decoder<'de>,
        record: &'de Record,
        rest: u32,
        visitor: V,
    ) -> Result<V::Value> {
        let rest = decoder.plan.op(rest);
        visit_access(RestAccess::new(decoder, record, rest), visitor)
    }
}

// Variants of enums, for each of serde's representations.

impl<'de> DatumDeserializer<'_, 'de> {
    /// Passes a variant to a visitor of any type, as a self-describing format would.
    #[inline(never)]
    pub(super) fn tagged<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let variant = decoder.plan.variant(index);
        decoder.enter()?;
        let datum = DatumDeserializer { decoder: &mut *decoder, op: variant.content };
        let value = match &variant.tagging {
            Tagging::External if variant.form == Form::Unit => {
                visitor.visit_borrowed_str(&variant.name)
            }
            Tagging::External => {
                visit_access(SingleEntry::new(&variant.name, Some(datum)), visitor)
            }
            Tagging::Adjacent { tag, content } => {
                let datum = (variant.form != Form::Unit).then_some(datum);
                visit_tagged(tag, variant, SingleEntry::new(content, datum), visitor)
            }
            Tagging::Internal { tag } => datum.tagged_internally(tag, variant, visitor),
        }?;
        decoder.leave();
        Ok(value)
    }

    /// Passes a map of the tag and the fields.
    fn tagged_internally<V: Visitor<'de>>(
        self,
        tag: &'de str,
        variant: &'de Variant,
        visitor: V,
    ) -> Result<V::Value> {
        let DatumDeserializer { decoder, op } = self;
        match op {
            Op::Record(index) => {
                let record = decoder.plan.record(index);
                match record.rest {
                    None => visit_tagged(tag, variant, RecordAccess::new(decoder, record), visitor),
                    Some(rest) => {
                        let rest = decoder.plan.op(rest);
                        let inner = RestAccess::new(decoder, record, rest);
                        visit_tagged(tag, variant, inner, visitor)
                    }
                }
            }
            Op::Map(slot) => {
                let value = decoder.plan.op(slot);
                visit_tagged(tag, variant, MapEntries::new(decoder, value), visitor)
            }
            Op::Null | Op::Unit => visit_tagged(tag, variant, SingleEntry::new("", None), visitor),
            // The check of the schema refuses other content.
            op => Err(DatumDeserializer { decoder, op }.type_mismatch("fields beside a tag")),
        }
    }

    /// Passes a variant to a visitor of enums.
    #[inline]
    pub(super) fn variant<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let variant = decoder.plan.variant(index);
        decoder.enter()?;
        let datum = DatumDeserializer { decoder: &mut *decoder, op: variant.content };
        let value = visitor
            .visit_enum(KnownVariant { datum, variant })
            .map_err(|error| error.under_key(&variant.name))?;
        decoder.leave();
        Ok(value)
    }
}

/// Passes all entries to a visitor, and skips those that it leaves unread.
#[inline]
pub(super) fn visit_access<'de, A, V>(mut access: A, visitor: V) -> Result<V::Value>
where
    A: Access<'de>,
    V: Visitor<'de>,
{
    let value = visitor.visit_map(&mut access)?;
    access.end()?;
    Ok(value)
}

/// Passes the tag of a variant, and then the entries of `inner`.
fn visit_tagged<'de, A, V>(
    tag: &'de str,
    variant: &'de Variant,
    inner: A,
    visitor: V,
) -> Result<V::Value>
where
    A: Access<'de>,
    V: Visitor<'de>,
{
    visit_access(TaggedMap::new(tag, &variant.name, inner), visitor)
}

/// A map of at most one entry.
struct SingleEntry<'d, 'de> {
    key: &'de str,
    datum: Option<DatumDeserializer<'d, 'de>>,
    is_open: bool,
}

impl<'d, 'de> SingleEntry<'d, 'de> {
    fn new(key: &'de str, datum: Option<DatumDeserializer<'d, 'de>>) -> Self {
        SingleEntry { key, datum, is_open: false }
    }
}

impl<'de> MapAccess<'de> for SingleEntry<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.datum.is_none() || self.is_open {
            return Ok(None);
        }
        self.is_open = true;
        seed.deserialize(BorrowedStrDeserializer::new(self.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let Some(DatumDeserializer { decoder, op }) = self.datum.take() else {
            return Err(value_before_key());
        };
        let start = decoder.offset();
        seed.deserialize(DatumDeserializer { decoder, op })
            .map_err(|error| error.with_offset(start).under_key(self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.datum.is_some().into())
    }
}

impl<'de> Access<'de> for SingleEntry<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        match self.datum.take() {
            Some(DatumDeserializer { decoder, op }) => decoder.skip(op),
            None => Ok(()),
        }
    }
}

impl<'de, A: Access<'de>> Access<'de> for TaggedMap<'de, A> {
    fn end(&mut self) -> Result<()> {
        self.inner.end()
    }
}

/// A variant whose name is known.
struct KnownVariant<'d, 'de> {
    datum: DatumDeserializer<'d, 'de>,
    variant: &'de Variant,
}

impl<'d, 'de> EnumAccess<'de> for KnownVariant<'d, 'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let name = seed.deserialize(BorrowedStrDeserializer::new(&self.variant.name))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for KnownVariant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.variant.form {
            Form::Unit => Ok(()),
            _ => Err(type_mismatch(self.variant)),
        }
    }

    #[inline]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.datum)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        serde::Deserializer::deserialize_seq(self.datum, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        serde::Deserializer::deserialize_struct(self.datum, "", fields, visitor)
    }
}

#[cold]
#[inline(never)]
fn type_mismatch(variant: &Variant) -> Error {
    Error::new(
        Category::Data,
        format_args!("the variant `{}` has content, but the type expects none", variant.name),
    )
}

/// Builds the error for a value that is requested before its key.
#[cold]
#[inline(never)]
fn value_before_key() -> Error {
    Error::new(Category::Data, "the visitor requested a map value before its key")
}
