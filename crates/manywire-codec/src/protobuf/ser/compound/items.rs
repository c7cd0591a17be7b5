//! Items in order.

use manywire_shape::proto::Absent;
use serde::ser::{
    Serialize, SerializeSeq, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};

use super::super::mismatch::unsuitable;
use super::super::place::FieldSerializer;
use super::super::writer::{Open, Writer};
use super::{Incoming, Inner};
use crate::protobuf::plan::{Field, Kind, Message};
use crate::{Error, Result};

/// Items in order: of an array, or of a tuple.
pub(in crate::protobuf) struct Items<'w, 'p> {
    writer: &'w mut Writer<'p>,
    inner: Inner<'p>,
    open: Open,
    count: usize,
}

impl<'w, 'p> Items<'w, 'p> {
    #[inline]
    pub(in crate::protobuf::ser) fn enter(
        writer: &'w mut Writer<'p>,
        field: &'p Field,
        mut open: Open,
    ) -> Result<Self> {
        writer.deeper()?;
        let inner = match field.kind {
            Kind::Repeated => Inner::Repeated(field),
            _ => writer.enter(field, Incoming::Items, &mut open)?,
        };
        Ok(Items { writer, inner, open, count: 0 })
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let field = match self.inner {
            Inner::Repeated(field) => field.item(),
            Inner::Tuple(message) => match message.fields.get(self.count) {
                Some(field) => field,
                None => return Err(self.too_many(message)),
            },
            // `enter` gives no other place to items.
            _ => return Err(unsuitable("items have no place here")),
        };
        value
            .serialize(FieldSerializer { writer: self.writer, field })
            .map_err(|error| error.under_index(self.count))?;
        self.count += 1;
        Ok(())
    }

    #[inline(always)]
    fn finish(mut self) -> Result<()> {
        self.writer.back();
        match self.inner {
            Inner::Tuple(message) if self.count < message.fields.len() => {
                return Err(unsuitable(format_args!(
                    "expected {} items, found {}",
                    message.fields.len(),
                    self.count
                )));
            }
            Inner::Repeated(field) if self.count == 0 => {
                if field.absent != Absent::Zero {
                    return Err(unsuitable("an array that is never empty is empty"));
                }
                if field.kind == Kind::Packed {
                    self.writer.cancel(field, &mut self.open);
                }
            }
            _ => {}
        }
        self.writer.close(self.open);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn too_many(&self, message: &Message) -> Error {
        unsuitable(format_args!("expected {} items, found more", message.fields.len()))
    }
}

/// The four traits of serde that write items in order are one to us.
macro_rules! items {
    ($($of:ident::$method:ident;)*) => {$(
        impl $of for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.item(value)
            }
            #[inline(always)]
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

items! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}
