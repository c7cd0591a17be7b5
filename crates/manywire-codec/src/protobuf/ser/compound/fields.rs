//! Fields by name, of a type that knows which it has.

use serde::ser::{Serialize, SerializeStruct, SerializeStructVariant};

use super::super::mismatch::unsuitable;
use super::super::place::FieldSerializer;
use super::super::writer::{Open, Writer};
use super::odd::Odd;
use super::{Incoming, Inner, unexpected};
use crate::protobuf::plan::{Field, Form, Kind, Message};
use crate::{Error, Result};

/// Fields by name: of a record, mostly.
pub(in crate::protobuf) struct Fields<'w, 'p> {
    pub(super) writer: &'w mut Writer<'p>,
    pub(super) message: &'p Message,
    /// The fields to come, if they come in the order of the schema; none where it is no record.
    pub(super) expected: &'p [Field],
    pub(super) open: Open,
    /// What the next field is, where it is not a record's. Boxed, for a record to stay small: it
    /// is handed from call to call.
    pub(super) odd: Option<Box<Odd<'p>>>,
}

impl<'w, 'p> Fields<'w, 'p> {
    #[inline(always)]
    pub(in crate::protobuf::ser) fn enter(
        writer: &'w mut Writer<'p>,
        field: &'p Field,
    ) -> Result<Self> {
        if field.kind == Kind::Message {
            let message = writer.plan.message(field);
            if matches!(message.form, Form::Record { .. }) {
                writer.deeper()?;
                let open = Open { start: writer.start(field), outer: 0 };
                let expected = message.named_fields();
                return Ok(Fields { writer, message, expected, open, odd: None });
            }
        }
        Fields::enter_within(writer, field, Open::NONE)
    }

    #[inline(never)]
    pub(in crate::protobuf::ser) fn enter_within(
        writer: &'w mut Writer<'p>,
        field: &'p Field,
        mut open: Open,
    ) -> Result<Self> {
        writer.deeper()?;
        let (message, odd) = match writer.enter(field, Incoming::Fields, &mut open)? {
            Inner::Record(message) => (message, None),
            Inner::Map(entry) => (writer.plan.message(entry), Some(Odd::Map(entry))),
            Inner::Variants(message) if message.form == Form::External => {
                (message, Some(Odd::Variant))
            }
            Inner::Variants(message) => (message, Some(Odd::Tag)),
            Inner::Repeated(_) | Inner::Tuple(_) => {
                return Err(unexpected(field, writer, Incoming::Fields));
            }
        };
        let expected = if odd.is_some() { &[] } else { message.named_fields() };
        Ok(Fields { writer, message, expected, open, odd: odd.map(Box::new) })
    }

    /// A field of a derived type, which most often comes in the order of the schema.
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
        if self.odd.is_some() {
            return self.odd_field(name, value);
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
    pub(super) fn field_at<T: Serialize + ?Sized>(
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

    /// The index of the field that is expected.
    #[inline]
    pub(super) fn next(&self) -> usize {
        self.message.named_fields().len() - self.expected.len()
    }

    /// An entry of a record that is no named field.
    #[inline(never)]
    pub(super) fn rest<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let message = self.message;
        let Some(rest) = message.rest() else { return Err(unknown_field(message, name)) };
        self.entry(message.fields[rest].item(), name, value)
    }

    #[inline(always)]
    pub(super) fn finish(self) -> Result<()> {
        if self.odd.is_some() {
            return self.finish_odd();
        }
        self.writer.back();
        self.writer.close(self.open);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn unknown_field(message: &Message, name: &str) -> Error {
    unsuitable(format_args!("{} has no such field", message.name)).under_key(name)
}

impl SerializeStruct for Fields<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }
    #[inline]
    fn skip_field(&mut self, _: &'static str) -> Result<()> {
        self.skip();
        Ok(())
    }
    #[inline(always)]
    fn end(self) -> Result<()> {
        self.finish()
    }
}

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
