//! Fields by name where they are not those of a record: entries of a map, and the parts of a
//! variant.

use serde::ser::Serialize;

use super::super::mismatch::{unknown_variant, unsuitable};
use super::super::name::with_name;
use super::super::place::FieldSerializer;
use super::super::writer::Open;
use super::Fields;
use crate::protobuf::plan::{Field, Form, Message};
use crate::{Error, Result};

/// What the next field is.
#[derive(Clone, Copy)]
pub(super) enum Odd<'p> {
    /// An entry of a map.
    Map(&'p Field),
    /// The tag of an internally or adjacently tagged enum.
    Tag,
    /// The content of an adjacently tagged variant.
    Content(&'p Field, &'p str),
    /// The name and content of an externally tagged variant.
    Variant,
    /// There is none: the variant is written.
    Done,
}

impl<'p> Fields<'_, 'p> {
    pub(super) fn entry<K, V>(&mut self, entry: &'p Field, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        let message = self.writer.plan.message(entry);
        let mut open = Open::NONE;
        self.writer.open(entry, &mut open);
        key.serialize(FieldSerializer { writer: self.writer, field: &message.fields[0] })
            .map_err(|error| under_entry(error, key))?;
        value
            .serialize(FieldSerializer { writer: self.writer, field: &message.fields[1] })
            .map_err(|error| under_entry(error, key))?;
        self.writer.close(open);
        Ok(())
    }

    /// A field of anything but a record.
    #[inline(never)]
    pub(super) fn odd_field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let field = match self.odd.as_deref() {
            Some(Odd::Map(entry)) => {
                return self.entry(entry, name, value);
            }
            Some(Odd::Tag) => return self.tag(name, value),
            Some(Odd::Content(field, content)) if name == *content => *field,
            Some(Odd::Variant) => {
                let message = self.message;
                let index =
                    message.named(name, 0).ok_or_else(|| unknown_variant(&message.name, name))?;
                &message.fields[index]
            }
            _ => return Err(unsuitable(format_args!("{name:?} is no part of a variant"))),
        };
        self.odd = Some(Box::new(Odd::Done));
        value
            .serialize(FieldSerializer { writer: self.writer, field })
            .map_err(|error| error.under_key(name))
    }

    /// The tag of an internally or adjacently tagged enum, which comes first.
    fn tag<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let message = self.message;
        let (Form::Internal { tag } | Form::Adjacent { tag, .. }) = &message.form else {
            return Err(unsuitable("an enum without a tag"));
        };
        if *name != **tag {
            return Err(unsuitable(format_args!("expected the tag {tag:?} first, found {name:?}")));
        }
        with_name(value, |variant| {
            let index =
                message.named(variant, 0).ok_or_else(|| unknown_variant(&message.name, variant))?;
            let field = &message.fields[index];
            if let Form::Adjacent { content, .. } = &message.form {
                self.odd = Some(Box::new(Odd::Content(field, content)));
            } else {
                self.writer.open(field, &mut self.open);
                self.message = self.writer.plan.message(field);
                self.expected = self.message.named_fields();
                self.odd = None;
            }
            Ok(())
        })
    }

    #[inline(never)]
    pub(super) fn finish_odd(self) -> Result<()> {
        match self.odd.as_deref() {
            // A variant that carries nothing has no content either.
            Some(Odd::Content(field, _)) if self.writer.is_null(field) => {
                let mut open = Open::NONE;
                self.writer.open(field, &mut open);
                self.writer.close(open);
            }
            Some(Odd::Content(..) | Odd::Tag | Odd::Variant) => {
                return Err(no_variant(self.message));
            }
            Some(Odd::Map(_) | Odd::Done) | None => {}
        }
        self.writer.back();
        self.writer.close(self.open);
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn no_variant(message: &Message) -> Error {
    unsuitable(format_args!("expected {}, found a map that names no variant", message.name))
}

/// Says in which entry of a map an error happened. A key that is not text stands there as it would
/// in JSON.
#[cold]
#[inline(never)]
fn under_entry<K: Serialize + ?Sized>(error: Error, key: &K) -> Error {
    let mut text = String::new();
    let named = with_name(key, |name| {
        text.push_str(name);
        Ok(())
    });
    if named.is_err() {
        text = serde_json::to_string(key).unwrap_or_default();
    }
    error.under_key(text)
}
