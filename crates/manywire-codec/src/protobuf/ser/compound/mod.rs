//! Values made of values: what they open, and where their parts go.

mod entries;
mod fields;
mod items;
mod odd;
mod seen;

pub(super) use self::entries::Entries;
pub(super) use self::fields::Fields;
pub(super) use self::items::Items;
use super::super::plan::{Field, Form, Kind, Message};
use super::mismatch::mismatch;
use super::writer::{Open, Writer};
use crate::{Error, Result};

/// The kind of compound that is to be written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Incoming {
    Items,
    Fields,
    Variant,
}

/// Where the parts of a compound go, once everything around them is open.
pub(super) enum Inner<'p> {
    /// Each into an item of this repeated field.
    Repeated(&'p Field),
    /// In order into the fields of a message.
    Tuple(&'p Message),
    /// By name into the fields of a message.
    Record(&'p Message),
    /// Each into this entry of a map.
    Map(&'p Field),
    /// Into one variant, which is still to be named.
    Variants(&'p Message),
}

impl<'p> Writer<'p> {
    /// Opens the messages between a field and the parts of a compound.
    pub(super) fn enter(
        &mut self,
        mut field: &'p Field,
        incoming: Incoming,
        open: &mut Open,
    ) -> Result<Inner<'p>> {
        loop {
            match (field.kind, incoming) {
                (Kind::Repeated, Incoming::Items) => return Ok(Inner::Repeated(field)),
                (Kind::Packed, Incoming::Items) => {
                    self.open(field, open);
                    return Ok(Inner::Repeated(field));
                }
                (Kind::Map, Incoming::Fields | Incoming::Variant) => {
                    return Ok(Inner::Map(field.item()));
                }
                (Kind::Message, _) => {}
                _ => return Err(unexpected(field, self, incoming)),
            }
            let message = self.plan.message(field);
            let next = match (&message.form, incoming) {
                (Form::Record { .. }, Incoming::Fields) => {
                    self.open(field, open);
                    return Ok(Inner::Record(message));
                }
                (Form::Tuple, Incoming::Items) => {
                    self.open(field, open);
                    return Ok(Inner::Tuple(message));
                }
                (Form::External, Incoming::Fields | Incoming::Variant)
                | (Form::Internal { .. } | Form::Adjacent { .. }, Incoming::Fields) => {
                    self.open(field, open);
                    return Ok(Inner::Variants(message));
                }
                (Form::Wrapper, _) => Some(0),
                (Form::Union(branches), _) => match incoming {
                    Incoming::Items => branches.array,
                    Incoming::Fields => branches.map.or(branches.variants),
                    Incoming::Variant => branches.variants.or(branches.map),
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
fn unexpected(field: &Field, writer: &Writer<'_>, found: Incoming) -> Error {
    let found = match found {
        Incoming::Items => "an array",
        Incoming::Fields => "a map",
        Incoming::Variant => "a variant",
    };
    mismatch(field, writer.plan, found)
}
