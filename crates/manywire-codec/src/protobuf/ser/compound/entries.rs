//! Fields by name, of a value that may have any: none may come twice, and none be missing.

use serde::ser::{Serialize, SerializeMap};

use super::super::mismatch::unsuitable;
use super::super::name::with_name;
use super::super::place::FieldSerializer;
use super::super::writer::{Open, Writer};
use super::Fields;
use super::odd::Odd;
use super::seen::Seen;
use crate::protobuf::plan::{Field, Message};
use crate::{Error, Result};

/// Fields by name where the value is dynamic: which are there, and how often, is not known before.
pub(in crate::protobuf) struct Entries<'w, 'p> {
    fields: Fields<'w, 'p>,
    seen: Seen,
    pending: Pending,
}

/// A key that was written apart from its value.
enum Pending {
    None,
    Name(String),
    Entry(Open),
}

impl<'w, 'p> Entries<'w, 'p> {
    #[inline]
    pub(in crate::protobuf::ser) fn enter(
        writer: &'w mut Writer<'p>,
        field: &'p Field,
    ) -> Result<Self> {
        let fields = Fields::enter(writer, field)?;
        Ok(Entries { fields, seen: Seen::default(), pending: Pending::None })
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        if self.fields.odd.is_some() {
            return self.fields.odd_field(name, value);
        }
        match self.fields.message.named(name, self.fields.next()) {
            Some(index) if self.seen.insert(index) => Err(twice(name)),
            Some(index) => self.fields.field_at(index, name, value),
            None => self.fields.rest(name, value),
        }
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        let message = self.fields.message;
        if self.fields.odd.is_none()
            && (message.required & !self.seen.first != 0 || message.fields.len() > 64)
        {
            check_required(message, &self.seen)?;
        }
        self.fields.finish()
    }
}

#[cold]
#[inline(never)]
fn twice(name: &str) -> Error {
    unsuitable("the field is there twice").under_key(name)
}

/// Fails if a field is missing that the schema wants in every value: it would be read as zero.
#[cold]
#[inline(never)]
fn check_required(message: &Message, seen: &Seen) -> Result<()> {
    let rest = message.rest();
    let missing = (0..message.fields.len()).find(|&index| {
        message.fields[index].required && Some(index) != rest && !seen.contains(index)
    });
    match missing {
        None => Ok(()),
        Some(index) => {
            Err(unsuitable("the field is missing").under_key(&message.fields[index].name))
        }
    }
}

impl SerializeMap for Entries<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        if let Some(Odd::Map(entry)) = self.fields.odd.as_deref() {
            let writer = &mut *self.fields.writer;
            let mut open = Open::NONE;
            writer.open(entry, &mut open);
            self.pending = Pending::Entry(open);
            let field = &writer.plan.message(entry).fields[0];
            return key.serialize(FieldSerializer { writer, field });
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
                value.serialize(FieldSerializer { writer: self.fields.writer, field })?;
                self.fields.writer.close(open);
                Ok(())
            }
            Pending::None => Err(unsuitable("a value without a key")),
        }
    }

    #[inline]
    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        match self.fields.odd.as_deref() {
            Some(Odd::Map(entry)) => {
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
