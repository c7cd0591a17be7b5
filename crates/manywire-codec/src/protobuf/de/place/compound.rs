//! Values made of values: items, entries, and all that a message may stand for.

use manywire_shape::extension::Kind as Extension;
use manywire_shape::proto::Absent;
use serde::de::Visitor;

use super::super::access::{RecordAccess, RecordValues, TupleAccess};
use super::super::decoder::Decoder;
use super::super::fields::Fields;
use super::super::repeated::{Entries, EntriesAccess, ItemsAccess};
use super::FieldDeserializer;
use super::scalar::Integer;
use crate::core::extension;
use crate::protobuf::plan::{Form, Kind, Message};
use crate::protobuf::wire::ABSENT;
use crate::{Category, Error, Result};

impl<'de> FieldDeserializer<'_, 'de> {
    #[inline]
    pub(super) fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.decoder.deeper()?;
        let mut access = ItemsAccess::new(&mut *self.decoder, self.field, self.wire, self.more);
        let value = visitor.visit_seq(&mut access)?;
        access.finish()?;
        self.decoder.back();
        Ok(value)
    }

    #[inline(never)]
    pub(super) fn entries<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.decoder.deeper()?;
        let mut access = EntriesAccess {
            entries: Entries::new(self.field, self.wire),
            decoder: &mut *self.decoder,
            more: self.more,
        };
        let value = visitor.visit_map(&mut access)?;
        access.finish()?;
        self.decoder.back();
        Ok(value)
    }

    /// The message that stands here.
    #[inline]
    pub(super) fn message(&self) -> Option<&'de Message> {
        (self.field.kind == Kind::Message).then(|| self.decoder.plan.message(self.field))
    }

    #[inline]
    pub(super) fn record<V: Visitor<'de>>(
        self,
        message: &'de Message,
        visitor: V,
    ) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.deeper()?;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = visitor.visit_map(RecordAccess::new(decoder, &mut fields))?;
        fields.leave(decoder)?;
        decoder.back();
        Ok(value)
    }

    /// Gives the values of a record to a visitor that knows their names.
    #[inline]
    pub(super) fn values<V: Visitor<'de>>(
        self,
        message: &'de Message,
        visitor: V,
    ) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.deeper()?;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = visitor.visit_seq(RecordValues { decoder, fields: &mut fields })?;
        fields.leave(decoder)?;
        decoder.back();
        Ok(value)
    }

    pub(super) fn tuple<V: Visitor<'de>>(
        self,
        message: &'de Message,
        visitor: V,
    ) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.deeper()?;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = visitor.visit_seq(TupleAccess { decoder, fields: &mut fields })?;
        fields.leave(decoder)?;
        decoder.back();
        Ok(value)
    }

    /// What a message wraps, or the branch of a union that is set.
    #[inline]
    pub(super) fn within<R>(
        self,
        message: &'de Message,
        read: impl FnOnce(FieldDeserializer<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        if wire == ABSENT && field.absent == Absent::Null {
            return Err(decoder.error(Category::Data, "expected a value, found null"));
        }
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let Some((inner, wire)) = fields.advance(decoder)? else {
            return Err(nothing_set(decoder, message));
        };
        let value = read(fields.place(decoder, inner, wire))?;
        fields.leave(decoder)?;
        Ok(value)
    }

    /// A message without fields.
    pub(super) fn null(self) -> Result<()> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        if wire == ABSENT {
            return Ok(());
        }
        let message = decoder.plan.message(field);
        let frame = decoder.enter(field, wire, more)?;
        Fields::new(message, frame).leave(decoder)
    }

    pub(super) fn timestamp<V: Visitor<'de>>(
        self,
        message: &'de Message,
        visitor: V,
    ) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let mut parts = [0; 2];
        for part in &mut parts {
            if let Some((field, wire)) = fields.advance(decoder)?
                && let Some(Integer::Signed(value)) =
                    fields.place(decoder, field, wire).integer()?
            {
                *part = value;
            }
        }
        fields.leave(decoder)?;
        let [seconds, nanoseconds] = parts;
        match u64::try_from(nanoseconds) {
            Ok(code) if code < 1_000_000_000 => {
                let content = extension::seconds(seconds);
                extension::visit(visitor, Extension::Timestamp, code, content)
            }
            _ => {
                let message = format_args!("{nanoseconds} is no part of a second in nanoseconds");
                Err(decoder.error(Category::Data, message))
            }
        }
    }

    /// Whether null may be within the message that stands here.
    pub(super) fn may_wrap_null(&self) -> bool {
        self.message().is_some_and(|message| match &message.form {
            Form::Wrapper => message.fields[0].nullable,
            Form::Union(branches) => branches.null.is_some(),
            Form::Null => true,
            _ => false,
        })
    }
}

#[cold]
#[inline(never)]
pub(in crate::protobuf::de) fn nothing_set(decoder: &Decoder<'_>, message: &Message) -> Error {
    decoder.error(Category::Data, format_args!("no member of {} is set", message.name))
}
