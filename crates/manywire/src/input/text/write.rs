use std::fmt::Display;

use serde::ser::{
    Impossible, Serialize, SerializeSeq, SerializeTuple, SerializeTupleStruct, Serializer,
};

use super::error::TextError;

type Result<T> = std::result::Result<T, TextError>;

/// A value as text: nothing where it is absent, one text, or several of a list.
#[cfg(feature = "client")]
pub(crate) fn texts<T: Serialize + ?Sized>(value: &T) -> Result<Vec<String>> {
    value.serialize(Writer)
}

pub(super) struct Writer;

macro_rules! plain {
    ($($method:ident $ty:ty),+ $(,)?) => {$(
        fn $method(self, value: $ty) -> Result<Vec<String>> {
            Ok(vec![value.to_string()])
        }
    )+};
}

macro_rules! not_text {
    ($($method:ident($($arg:ty),*) -> $ok:ty;)+) => {$(
        fn $method(self, $(_: $arg),*) -> Result<$ok> {
            Err(no_place("a record or a variant with content"))
        }
    )+};
}

#[cold]
fn no_place(what: impl Display) -> TextError {
    TextError::new(format_args!("text cannot hold {what}"))
}

fn finite(value: f64, text: String) -> Result<Vec<String>> {
    if value.is_finite() { Ok(vec![text]) } else { Err(no_place(value)) }
}

impl Serializer for Writer {
    type Ok = Vec<String>;
    type Error = TextError;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = Impossible<Vec<String>, TextError>;
    type SerializeMap = Impossible<Vec<String>, TextError>;
    type SerializeStruct = Impossible<Vec<String>, TextError>;
    type SerializeStructVariant = Impossible<Vec<String>, TextError>;

    plain! {
        serialize_bool bool, serialize_char char, serialize_str &str,
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_i128 i128, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32,
        serialize_u64 u64, serialize_u128 u128,
    }

    fn serialize_f32(self, value: f32) -> Result<Vec<String>> {
        finite(value.into(), value.to_string())
    }

    fn serialize_f64(self, value: f64) -> Result<Vec<String>> {
        finite(value, value.to_string())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Vec<String>> {
        match std::str::from_utf8(value) {
            Ok(text) => Ok(vec![text.to_owned()]),
            Err(_) => Err(no_place("bytes that are not UTF-8")),
        }
    }

    fn serialize_none(self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<String>> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<Vec<String>> {
        Ok(vec![name.to_owned()])
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Vec<String>> {
        Ok(vec![variant.to_owned()])
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Vec<String>> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _value: &T,
    ) -> Result<Vec<String>> {
        Err(no_place(format_args!("the content of the variant {variant}")))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<List> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple(self, _len: usize) -> Result<List> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<List> {
        Ok(List(Vec::new()))
    }

    not_text! {
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

/// The items of a list, each a text.
pub(super) struct List(Vec<String>);

impl List {
    fn push<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        let mut texts = item.serialize(Writer)?;
        match (texts.pop(), texts.is_empty()) {
            (Some(text), true) => self.0.push(text),
            _ => return Err(no_place("a list within a list, or nothing within one")),
        }
        Ok(())
    }
}

macro_rules! list {
    ($($name:ident $method:ident),+) => {$(
        impl $name for List {
            type Ok = Vec<String>;
            type Error = TextError;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
                self.push(item)
            }

            fn end(self) -> Result<Vec<String>> {
                Ok(self.0)
            }
        }
    )+};
}

list!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field);
