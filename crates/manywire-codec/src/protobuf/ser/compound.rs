//! Writes compound values: the messages that they open, and the destination of their parts.

use std::fmt::Display;

use manywire_shape::Value;
use manywire_shape::proto::Absent;
use serde::ser::{Impossible, Serialize, SerializeMap, SerializeStructVariant};

use super::scalar::Scalar;
use super::{FieldSerializer, OpenLengths, Writer, mismatch, unknown_variant};
use crate::core::error::{entry_key, item_count};
use crate::core::forward::{serialize_fields, serialize_items};
use crate::core::partial::{Accept, PartialSerializer};
use crate::core::variant::VariantName;
use crate::protobuf::plan::{Field, FieldKind, Form, Message};
use crate::{Error, Result};

/// The type of compound to be written.
#[derive(Clone, Copy, PartialEq)]
enum CompoundKind {
    Items,
    Fields,
    Variant,
}

/// The destination of a compound's parts, once all messages around them are open.
enum Destination<'p> {
    /// Each part is an item of this repeated field.
    Repeated(&'p Field),
    /// Parts are the fields of a message, in order.
    Tuple(&'p Message),
    /// Parts are the fields of a message, by name.
    Record(&'p Message),
    /// Each part is an entry of this map.
    Map(&'p Field),
    /// The part is one variant, whose name is not known yet.
    Variants(&'p Message),
}

impl<'p> Writer<'p> {
    /// Opens the messages between a field and the parts of a compound.
    fn enter(
        &mut self,
        mut field: &'p Field,
        incoming: CompoundKind,
        open: &mut OpenLengths,
    ) -> Result<Destination<'p>> {
        loop {
            match (field.kind, incoming) {
                (FieldKind::Repeated, CompoundKind::Items) => {
                    return Ok(Destination::Repeated(field));
                }
                (FieldKind::Packed, CompoundKind::Items) => {
                    self.open(field, open);
                    return Ok(Destination::Repeated(field));
                }
                (FieldKind::Map, CompoundKind::Fields | CompoundKind::Variant) => {
                    return Ok(Destination::Map(field.item()));
                }
                (FieldKind::Message, _) => {}
                _ => return Err(unexpected(field, self, incoming)),
            }
            let message = self.plan.message(field);
            let next = match (&message.form, incoming) {
                (Form::Record { .. }, CompoundKind::Fields | CompoundKind::Variant) => {
                    self.open(field, open);
                    return Ok(Destination::Record(message));
                }
                (Form::Tuple, CompoundKind::Items) => {
                    self.open(field, open);
                    return Ok(Destination::Tuple(message));
                }
                (Form::External, CompoundKind::Fields | CompoundKind::Variant)
                | (Form::Internal { .. } | Form::Adjacent { .. }, CompoundKind::Fields) => {
                    self.open(field, open);
                    return Ok(Destination::Variants(message));
                }
                (Form::Wrapper, _) => Some(0),
                (Form::Union(branches), _) => match incoming {
                    CompoundKind::Items => branches.array,
                    CompoundKind::Fields => branches.map.or(branches.variants),
                    CompoundKind::Variant => branches.variants.or(branches.map),
                },
                _ => None,
            };
            let Some(next) = next else { return Err(unexpected(field, self, incoming)) };
            self.open(field, open);
            field = &message.fields[usize::from(next)];
        }
    }
}

#[cold]
#[inline(never)]
fn unexpected(field: &Field, writer: &Writer<'_>, found: CompoundKind) -> Error {
    let found = match found {
        CompoundKind::Items => "an array",
        CompoundKind::Fields => "a map",
        CompoundKind::Variant => "a variant",
    };
    mismatch(field, writer.plan, found)
}

// The content of a variant.

impl<'p> Writer<'p> {
    /// Opens all messages around the content of a variant, and returns the field of the content. If
    /// the schema has no variants, a variant is an entry of a map or a record, as in JSON.
    pub(super) fn open_variant(
        &mut self,
        field: &'p Field,
        variant: VariantName,
        open: &mut OpenLengths,
    ) -> Result<&'p Field> {
        let (variant, index) = (variant.name, variant.index as usize);
        match self.enter(field, CompoundKind::Variant, open)? {
            Destination::Variants(message) if message.form == Form::External => message
                .named(variant, index)
                .map(|index| &message.fields[index])
                .ok_or_else(|| unknown_variant(&message.name, variant)),
            Destination::Map(entry) => self.open_entry(entry, variant, open),
            Destination::Record(message) => {
                match (message.only_field(variant, index)?, message.rest()) {
                    (Some(field), _) => Ok(field),
                    (None, Some(rest)) => {
                        self.open_entry(message.fields[rest].item(), variant, open)
                    }
                    (None, None) => Err(unknown_field(message, variant)),
                }
            }
            _ => Err(mismatch(field, self.plan, format_args!("the variant {variant:?}"))),
        }
    }

    /// Writes the key of an entry of a map.
    #[inline]
    fn key<K: Serialize + ?Sized>(&mut self, field: &'p Field, key: &K) -> Result<()> {
        let written = key.serialize(FieldSerializer { writer: self, field });
        written.or_else(|error| self.typed_key(field, key, error))
    }

    /// Writes a key of which formats with text keys only, such as JSON, have the text. Returns the
    /// error if that is not possible.
    #[cold]
    #[inline(never)]
    fn typed_key<K: Serialize + ?Sized>(
        &mut self,
        field: &'p Field,
        key: &K,
        error: Error,
    ) -> Result<()> {
        let mut written = Err(error);
        let named = with_name(key, |text| {
            let scalar = match Value::from_key_text(text) {
                Some(Value::Bool(value)) if field.kind == FieldKind::Bool => Scalar::Bool(value),
                Some(Value::I64(value)) if field.kind.is_integer() => Scalar::Int(value.into()),
                Some(Value::U64(value)) if field.kind.is_integer() => Scalar::Int(value.into()),
                Some(Value::Number(text)) if field.kind.is_integer() => Scalar::Number(text),
                _ => return Ok(()),
            };
            written = self.scalar(field, scalar);
            Ok(())
        });
        // The error about a key that is not text would say less than the first one.
        drop(named);
        written
    }

    /// Opens an entry of a map, writes its key, and returns the field of its value.
    fn open_entry(
        &mut self,
        entry: &'p Field,
        key: &str,
        open: &mut OpenLengths,
    ) -> Result<&'p Field> {
        let message = self.plan.message(entry);
        self.open(entry, open);
        self.str(&message.fields[0], key)?;
        Ok(&message.fields[1])
    }
}

// Fields by name, for types with a fixed set of fields.

/// Fields by name, usually of a record.
pub(super) struct Fields<'w, 'p> {
    writer: &'w mut Writer<'p>,
    message: &'p Message,
    /// The remaining fields in the order of the schema. Empty if this is not a record.
    expected: &'p [Field],
    open: OpenLengths,
    /// The next field, if this is not a record. Boxed to keep a record small, because it is passed
    /// from call to call.
    special: Option<Box<SpecialField<'p>>>,
}

impl<'w, 'p> Fields<'w, 'p> {
    #[inline(always)]
    pub(super) fn enter(writer: &'w mut Writer<'p>, field: &'p Field) -> Result<Self> {
        if field.kind == FieldKind::Message {
            let message = writer.plan.message(field);
            if matches!(message.form, Form::Record { .. }) {
                writer.enter_container()?;
                let open = OpenLengths { start: writer.start(field), outer: 0 };
                let expected = message.named_fields();
                return Ok(Fields { writer, message, expected, open, special: None });
            }
        }
        Fields::enter_within(writer, field, OpenLengths::NONE)
    }

    #[inline(never)]
    pub(super) fn enter_within(
        writer: &'w mut Writer<'p>,
        field: &'p Field,
        mut open: OpenLengths,
    ) -> Result<Self> {
        writer.enter_container()?;
        let (message, special) = match writer.enter(field, CompoundKind::Fields, &mut open)? {
            Destination::Record(message) => (message, None),
            Destination::Map(entry) => (writer.plan.message(entry), Some(SpecialField::Map(entry))),
            Destination::Variants(message) if message.form == Form::External => {
                (message, Some(SpecialField::Variant))
            }
            Destination::Variants(message) => (message, Some(SpecialField::Tag)),
            Destination::Repeated(_) | Destination::Tuple(_) => {
                return Err(unexpected(field, writer, CompoundKind::Fields));
            }
        };
        let expected = if special.is_some() { &[] } else { message.named_fields() };
        Ok(Fields { writer, message, expected, open, special: special.map(Box::new) })
    }

    /// Writes a field of a derived type, which usually comes in the order of the schema.
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        match self.expected.split_first() {
            Some((field, expected)) if field.is_known_as(name) => {
                self.expected = expected;
                self.value(field, name, value)
            }
            _ => self.new_field(name, value),
        }
    }

    #[inline(never)]
    fn new_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if self.special.is_some() {
            return self.special_field(name, value);
        }
        let next = self.next();
        let index = match self.expected.first() {
            Some(field) if field.learn(name) => Some(next),
            _ => self.message.named_elsewhere(name),
        };
        match index {
            Some(index) => self.field_at(index, name, value),
            None => self.rest(name, value),
        }
    }

    #[inline]
    fn field_at<T: Serialize + ?Sized>(
        &mut self,
        index: usize,
        name: &str,
        value: &T,
    ) -> Result<()> {
        let fields = self.message.named_fields();
        self.expected = &fields[index + 1..];
        self.value(&fields[index], name, value)
    }

    #[inline(always)]
    fn value<T: Serialize + ?Sized>(
        &mut self,
        field: &'p Field,
        name: &str,
        value: &T,
    ) -> Result<()> {
        value
            .serialize(FieldSerializer { writer: self.writer, field })
            .map_err(|error| error.under_key(name))
    }

    #[inline]
    fn skip(&mut self) {
        self.expected = self.expected.get(1..).unwrap_or_default();
    }

    /// Returns the index of the expected field.
    #[inline]
    fn next(&self) -> usize {
        self.message.named_fields().len() - self.expected.len()
    }

    /// Writes an entry of a record that is not a named field.
    #[inline(never)]
    fn rest<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let message = self.message;
        let Some(rest) = message.rest() else { return Err(unknown_field(message, name)) };
        self.entry(message.fields[rest].item(), name, value)
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        if self.special.is_some() {
            return self.finish_special();
        }
        self.writer.leave_container();
        self.writer.close(self.open);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn unknown_field(message: &Message, name: &str) -> Error {
    Error::unsupported(format_args!("{} has no such field", message.name)).under_key(name)
}

serialize_fields! { Fields<'_, '_>: SerializeStruct, end => finish, skip_field => skip }

impl SerializeStructVariant for Fields<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }
    fn skip_field(&mut self, _: &'static str) -> Result<()> {
        self.skip();
        Ok(())
    }
    fn end(self) -> Result<()> {
        self.finish()
    }
}

// Fields by name, for dynamic values: no field may repeat, and no required field may be missing.

/// Fields by name of a dynamic value, whose keys are not known in advance.
pub(super) struct Entries<'w, 'p> {
    fields: Fields<'w, 'p>,
    seen: FieldSet,
    pending: Pending,
}

/// A key that was written separately from its value.
enum Pending {
    None,
    Name(String),
    Entry(OpenLengths),
}

impl<'w, 'p> Entries<'w, 'p> {
    #[inline]
    pub(super) fn enter(writer: &'w mut Writer<'p>, field: &'p Field) -> Result<Self> {
        let fields = Fields::enter(writer, field)?;
        Ok(Entries { fields, seen: FieldSet::default(), pending: Pending::None })
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        if self.fields.special.is_some() {
            return self.fields.special_field(name, value);
        }
        match self.fields.message.named(name, self.fields.next()) {
            Some(index) if self.seen.insert(index) => Err(duplicate_field(name)),
            Some(index) => self.fields.field_at(index, name, value),
            None => self.fields.rest(name, value),
        }
    }

    /// Adds the open entry of a map to an error's path. Its key is read back from the output.
    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, open: OpenLengths) -> Error {
        let Some(SpecialField::Map(entry)) = self.fields.special.as_deref() else { return error };
        let writer = &self.fields.writer;
        let written = writer.out.get(open.start..).unwrap_or_default();
        error.under_key(writer.plan.key_text(entry, written).unwrap_or_default())
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        let message = self.fields.message;
        if self.fields.special.is_none()
            && (message.required & !self.seen.first != 0 || message.fields.len() > 64)
        {
            check_required(message, &self.seen)?;
        }
        self.fields.finish()
    }
}

#[cold]
#[inline(never)]
fn duplicate_field(name: &str) -> Error {
    Error::unsupported("duplicate field").under_key(name)
}

/// Fails if a required field is missing, because it would be read as zero.
#[cold]
#[inline(never)]
fn check_required(message: &Message, seen: &FieldSet) -> Result<()> {
    let rest = message.rest();
    let missing = (0..message.fields.len()).find(|&index| {
        message.fields[index].required && Some(index) != rest && !seen.contains(index)
    });
    match missing {
        None => Ok(()),
        Some(index) => {
            Err(Error::unsupported("the field is missing").under_key(&message.fields[index].name))
        }
    }
}

impl Message {
    /// Returns the field `name` of a record with no other entry, or `None` if the record has no
    /// such field.
    ///
    /// # Errors
    ///
    /// Fails if another field is required.
    fn only_field(&self, name: &str, index: usize) -> Result<Option<&Field>> {
        let mut seen = FieldSet::default();
        let found = self.named(name, index).inspect(|index| {
            seen.insert(*index);
        });
        check_required(self, &seen)?;
        Ok(found.map(|index| &self.fields[index]))
    }
}

impl SerializeMap for Entries<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        if let Some(SpecialField::Map(entry)) = self.fields.special.as_deref() {
            let writer = &mut *self.fields.writer;
            let mut open = OpenLengths::NONE;
            writer.open(entry, &mut open);
            self.pending = Pending::Entry(open);
            let field = &writer.plan.message(entry).fields[0];
            return writer.key(field, key).map_err(|error| under_entry(error, key));
        }
        with_name(key, |name| {
            self.pending = Pending::Name(name.to_owned());
            Ok(())
        })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::Name(name) => self.field(&name, value),
            Pending::Entry(open) => {
                // The message of a map is that of its entries.
                let field = &self.fields.message.fields[1];
                let written =
                    value.serialize(FieldSerializer { writer: self.fields.writer, field });
                written.map_err(|error| self.locate(error, open))?;
                self.fields.writer.close(open);
                Ok(())
            }
            Pending::None => Err(Error::unsupported("a value without a key")),
        }
    }

    #[inline]
    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        match self.fields.special.as_deref() {
            Some(SpecialField::Map(entry)) => {
                let entry = *entry;
                self.fields.entry(entry, key, value)
            }
            _ => with_name(key, |name| self.field(name, value)),
        }
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

// Items in order.

/// Items in order: of an array, or of a tuple.
pub(super) struct Items<'w, 'p> {
    writer: &'w mut Writer<'p>,
    inner: Destination<'p>,
    open: OpenLengths,
    count: usize,
}

impl<'w, 'p> Items<'w, 'p> {
    #[inline]
    pub(super) fn enter(
        writer: &'w mut Writer<'p>,
        field: &'p Field,
        mut open: OpenLengths,
    ) -> Result<Self> {
        writer.enter_container()?;
        let inner = match field.kind {
            FieldKind::Repeated => Destination::Repeated(field),
            _ => writer.enter(field, CompoundKind::Items, &mut open)?,
        };
        Ok(Items { writer, inner, open, count: 0 })
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let field = match self.inner {
            Destination::Repeated(field) => field.item(),
            Destination::Tuple(message) => match message.fields.get(self.count) {
                Some(field) => field,
                None => return Err(Error::unsupported(item_count(message.fields.len(), None))),
            },
            // `enter` returns no other destination for items.
            _ => return Err(Error::unsupported("unexpected items")),
        };
        value
            .serialize(FieldSerializer { writer: self.writer, field })
            .map_err(|error| error.under_index(self.count))?;
        self.count += 1;
        Ok(())
    }

    #[inline(always)]
    fn finish(mut self) -> Result<()> {
        self.writer.leave_container();
        match self.inner {
            Destination::Tuple(message) if self.count < message.fields.len() => {
                return Err(Error::unsupported(item_count(message.fields.len(), Some(self.count))));
            }
            Destination::Repeated(field) if self.count == 0 => {
                if field.absent != Absent::Zero {
                    return Err(Error::unsupported(
                        "an empty array where the schema requires an item",
                    ));
                }
                if field.kind == FieldKind::Packed {
                    self.writer.cancel(field, &mut self.open);
                }
            }
            _ => {}
        }
        self.writer.close(self.open);
        Ok(())
    }
}

serialize_items! { Items<'_, '_>:
    SerializeSeq SerializeTuple => serialize_element;
    SerializeTupleStruct SerializeTupleVariant => serialize_field;
}

// Fields by name that are not those of a record: entries of a map, and the parts of a variant.

/// The type of the next field.
#[derive(Clone, Copy)]
enum SpecialField<'p> {
    /// An entry of a map.
    Map(&'p Field),
    /// The tag of an internally or adjacently tagged enum.
    Tag,
    /// The content of an adjacently tagged variant.
    Content(&'p Field, &'p str),
    /// The name and content of an externally tagged variant.
    Variant,
    /// No field: the variant is complete.
    Done,
}

impl<'p> Fields<'_, 'p> {
    fn entry<K, V>(&mut self, entry: &'p Field, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        let message = self.writer.plan.message(entry);
        let mut open = OpenLengths::NONE;
        self.writer.open(entry, &mut open);
        self.writer.key(&message.fields[0], key).map_err(|error| under_entry(error, key))?;
        value
            .serialize(FieldSerializer { writer: self.writer, field: &message.fields[1] })
            .map_err(|error| under_entry(error, key))?;
        self.writer.close(open);
        Ok(())
    }

    /// Writes a field that is not a record's.
    #[inline(never)]
    fn special_field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let field = match self.special.as_deref() {
            Some(SpecialField::Map(entry)) => {
                return self.entry(entry, name, value);
            }
            Some(SpecialField::Tag) => return self.tag(name, value),
            Some(SpecialField::Content(field, content)) if name == *content => *field,
            Some(SpecialField::Variant) => {
                let message = self.message;
                let index =
                    message.named(name, 0).ok_or_else(|| unknown_variant(&message.name, name))?;
                &message.fields[index]
            }
            _ => {
                return Err(Error::unsupported(format_args!(
                    "{name:?} does not belong to a variant"
                )));
            }
        };
        self.special = Some(Box::new(SpecialField::Done));
        value
            .serialize(FieldSerializer { writer: self.writer, field })
            .map_err(|error| error.under_key(name))
    }

    /// Writes the tag of an internally or adjacently tagged enum, which comes first.
    fn tag<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let message = self.message;
        let (Form::Internal { tag } | Form::Adjacent { tag, .. }) = &message.form else {
            return Err(Error::unsupported("an enum without a tag"));
        };
        if *name != **tag {
            return Err(Error::unsupported(format_args!(
                "expected the tag {tag:?} first, found {name:?}"
            )));
        }
        with_name(value, |variant| {
            let index =
                message.named(variant, 0).ok_or_else(|| unknown_variant(&message.name, variant))?;
            let field = &message.fields[index];
            if let Form::Adjacent { content, .. } = &message.form {
                self.special = Some(Box::new(SpecialField::Content(field, content)));
            } else {
                self.writer.open(field, &mut self.open);
                self.message = self.writer.plan.message(field);
                self.expected = self.message.named_fields();
                self.special = None;
            }
            Ok(())
        })
    }

    #[inline(never)]
    fn finish_special(self) -> Result<()> {
        match self.special.as_deref() {
            // A variant without content has no content field either.
            Some(SpecialField::Content(field, _)) if self.writer.is_null(field) => {
                let mut open = OpenLengths::NONE;
                self.writer.open(field, &mut open);
                self.writer.close(open);
            }
            Some(SpecialField::Content(..) | SpecialField::Tag | SpecialField::Variant) => {
                return Err(no_variant(self.message));
            }
            Some(SpecialField::Map(_) | SpecialField::Done) | None => {}
        }
        self.writer.leave_container();
        self.writer.close(self.open);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn no_variant(message: &Message) -> Error {
    Error::unsupported(format_args!("expected {}, found a map that names no variant", message.name))
}

/// Adds a map's entry to an error's path. A key that is not text appears as JSON would write it.
#[cold]
#[inline(never)]
fn under_entry<K: Serialize + ?Sized>(error: Error, key: &K) -> Error {
    error.under_key(entry_key(key).unwrap_or_default())
}

// The fields that a dynamic value has.

/// The fields of a record that were written, a bit each.
#[derive(Default)]
struct FieldSet {
    first: u64,
    more: Vec<u64>,
}

impl FieldSet {
    /// Adds a field. Returns true if it was already in the set.
    #[inline]
    fn insert(&mut self, index: usize) -> bool {
        let word = match index / 64 {
            0 => &mut self.first,
            word => {
                if self.more.len() < word {
                    self.more.resize(word, 0);
                }
                &mut self.more[word - 1]
            }
        };
        let bit = 1 << (index % 64);
        let before = *word & bit != 0;
        *word |= bit;
        before
    }

    fn contains(&self, index: usize) -> bool {
        let word = match index / 64 {
            0 => self.first,
            word => self.more.get(word - 1).copied().unwrap_or(0),
        };
        word & 1 << (index % 64) != 0
    }
}

// Names: keys of records and names of variants, which must be text.

/// Calls `take` with the name that `key` serializes to. Fails if `key` is not text.
fn with_name<T, F>(key: &T, take: F) -> Result<()>
where
    T: Serialize + ?Sized,
    F: FnOnce(&str) -> Result<()>,
{
    key.serialize(PartialSerializer(Name(take)))
}

struct Name<F>(F);

impl<F: FnOnce(&str) -> Result<()>> Accept for Name<F> {
    type Ok = ();
    type Error = Error;
    type Tuple = Impossible<(), Error>;

    #[inline]
    fn text(self, name: &str) -> Result<()> {
        (self.0)(name)
    }
    #[cold]
    #[inline(never)]
    fn reject<R>(self, found: &dyn Display) -> Result<R> {
        Err(Error::unsupported(format_args!("expected a name, found {found}")))
    }
}
